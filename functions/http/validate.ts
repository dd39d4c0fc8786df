import { type GenericSchema, getDotPath, safeParse } from "valibot";
import { invalidParam, missingParam } from "../../shared/base/errors.ts";

/**
 * Parses what came from outside.
 * @throws 400 MISSING_PARAM or INVALID_PARAM that names the first parameter at fault.
 */
export function validate<Output>(schema: GenericSchema<unknown, Output>, value: unknown): Output {
  const result = safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const param = bracketed(getDotPath(issue) ?? "body");
  if (issue.received === "undefined" && param !== "body") throw missingParam(param);
  throw invalidParam(param, issue.message);
}

/** `add.3` as the specification writes it: `add[3]`. */
const bracketed = (path: string): string => path.replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
