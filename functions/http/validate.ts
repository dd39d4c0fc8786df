import { type GenericSchema, getDotPath, safeParse } from "valibot";
import { invalidParam, missingParam } from "../../shared/base/errors.ts";

/**
 * Returns a value from a client as the schema parses it.
 * @throws 400 MISSING_PARAM or INVALID_PARAM that names the first invalid parameter
 */
export function validate<Output>(schema: GenericSchema<unknown, Output>, value: unknown): Output {
  const result = safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const param = bracketed(getDotPath(issue) ?? "body");
  if (issue.received === "undefined" && param !== "body") throw missingParam(param);
  throw invalidParam(param, issue.message);
}

/**
 * Returns the path of a parameter in the notation of the specification: `add.3` becomes `add[3]`.
 */
const bracketed = (path: string): string => path.replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
