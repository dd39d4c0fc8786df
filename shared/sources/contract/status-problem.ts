/** Statuses below 500 that ask the client to retry later. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

const problems: ReadonlyMap<number, string> = new Map([
  [401, "refuses the key"],
  [402, "requires payment"],
  [403, "refuses the key"],
  [404, "has no API at this address"],
  [410, "has no API at this address"],
]);

/**
 * Returns the problem that an HTTP status of a source indicates, if an operator must fix the
 * problem. The problem is the end of a warning that starts with the name of the source, such as
 * "refuses the key (401)". Returns undefined for 200 and for temporary statuses (408, 425, 429, and
 * 500 or higher). `registry/reported.ts` warns of a temporary problem that affects every call of a
 * read.
 */
export function statusProblem(status: number): string | undefined {
  if (status === 200 || status >= 500 || busyStatuses.has(status)) return undefined;
  const problem = status < 400 ? "redirects calls" : "refuses calls";
  return `${problems.get(status) ?? problem} (${status})`;
}
