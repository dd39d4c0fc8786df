/** Fields of a reply in which sources report errors, even with status 200. */
const errorFields = ["error", "errors", "fault", "message", "warnings"] as const;

/**
 * Returns true if the body of a reply reports an error. An item that such a reply omits or reports
 * as not found may still exist.
 */
export function reportsError(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const values = new Map<string, unknown>(Object.entries(body));
  return errorFields.some((name) => !isEmpty(values.get(name)));
}

/** Returns true for a value that reports no error, such as an empty array, `false` or 0. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

/**
 * Returns a warning for the operator about a reply with status 200. Returns undefined if the reply
 * needs no warning. A reply needs a warning if its body is unreadable, or if it reports an error
 * and lacks some of the items.
 * @param asked number of requested items
 * @param foundCount number of these items in the reply; undefined if the body is unreadable
 */
export function replyProblem(
  body: unknown,
  { asked, foundCount }: { readonly asked: number; readonly foundCount: number | undefined },
): string | undefined {
  if (reportsError(body) && (foundCount ?? 0) < asked) {
    return "reports an error in a reply with status 200; check the options and the secret of the adapter";
  }
  return foundCount === undefined
    ? "sends an unreadable reply with status 200; check baseUrl"
    : undefined;
}
