import {
  type BaseIssue,
  type GenericSchema,
  getDotPath,
  type IssuePathItem,
  safeParse,
} from "valibot";
import { invalidParam, missingParam } from "../../shared/base/errors.ts";

/**
 * Parses a value from a client with a schema.
 * @throws 400 MISSING_PARAM or INVALID_PARAM that names the first invalid parameter
 */
export function validate<Output>(schema: GenericSchema<unknown, Output>, value: unknown): Output {
  const result = safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  refuseArray(issue);
  const param = withBrackets(getDotPath(issue) ?? "body");
  if (issue.received === "undefined" && param !== "body") throw missingParam(param);
  throw invalidParam(param, issue.message);
}

/**
 * Refuses an array in place of an object. A schema of an object accepts an array, and would then
 * report the first missing key.
 * @throws 400 INVALID_PARAM that names the array
 */
function refuseArray(issue: BaseIssue<unknown>): void {
  const path: readonly IssuePathItem[] = issue.path ?? [];
  const place = path.findIndex(({ type, input }) => type === "object" && Array.isArray(input));
  if (place < 1) return;
  const names = path.slice(0, place).map(({ key }) => String(key));
  const param = withBrackets(names.join("."));
  throw invalidParam(param, `'${param}' must be an object, not an array.`);
}

/**
 * Returns the path of a parameter in the notation of the specification: `add.3` becomes `add[3]`.
 */
const withBrackets = (path: string): string => path.replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
