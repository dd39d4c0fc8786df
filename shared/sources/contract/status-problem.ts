/** Statuses that ask for a later retry. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

const problems: ReadonlyMap<number, string> = new Map([
  [401, "refuses the key"],
  [402, "requires payment"],
  [403, "refuses the key"],
  [404, "has no API at this address"],
  [410, "has no API at this address"],
]);

/**
 * Returns the problem behind a status that an operator must fix, worded to follow the source's
 * name. Returns undefined for 200 and temporary statuses. `registry/reported.ts` warns if no call
 * succeeds.
 */
export function statusProblem(status: number): string | undefined {
  if (status === 200 || status >= 500 || busyStatuses.has(status)) return undefined;
  const problem = status < 400 ? "redirects calls" : "refuses calls";
  return `${problems.get(status) ?? problem} (${status})`;
}
