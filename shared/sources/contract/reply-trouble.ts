/** Where replies tell of what went wrong, though their status says that nothing did. */
const troubleNames = ["error", "errors", "fault", "message", "warnings"] as const;

/**
 * Whether a reply tells of trouble beside what it holds. What it leaves out, or calls not found, then
 * proves nothing: it may be missing because of that.
 */
export function tellsOfTrouble(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const said = new Map<string, unknown>(Object.entries(body));
  return troubleNames.some((name) => !isNothing(said.get(name)));
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

/**
 * What an operator should hear of a 200 that holds `found` of the items that were asked for; `found`
 * is undefined where it could not be read at all. Undefined where there is nothing to tell: trouble
 * that costs no item is none of the operator's.
 */
export function replyProblem(
  body: unknown,
  { asked, found }: { readonly asked: number; readonly found: number | undefined },
): string | undefined {
  if (tellsOfTrouble(body) && (found ?? 0) < asked) {
    return "tells of an error in its reply (200)";
  }
  return found === undefined ? "sends no reply that can be read (200)" : undefined;
}
