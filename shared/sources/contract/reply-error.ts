/** Fields in which sources report errors in spite of status 200. */
const errorFields = ["error", "errors", "fault", "message", "warnings"] as const;

/**
 * Returns true if a body reports an error. Items that it leaves out or calls not found may then
 * exist.
 */
export function reportsError(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const values = new Map<string, unknown>(Object.entries(body));
  return errorFields.some((name) => !isEmpty(values.get(name)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

/**
 * Returns the warning for a 200 that contains `found` of the `asked` items; `found` is undefined
 * for an unreadable body. Returns undefined without a problem, or for an error that cost no item.
 */
export function replyProblem(
  body: unknown,
  { asked, found }: { readonly asked: number; readonly found: number | undefined },
): string | undefined {
  if (reportsError(body) && (found ?? 0) < asked) {
    return "reports an error in a reply with status 200";
  }
  return found === undefined ? "sends an unreadable reply with status 200" : undefined;
}
