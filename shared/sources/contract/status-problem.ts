/** Statuses by which a source says "not now". */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

const problems: ReadonlyMap<number, string> = new Map([
  [401, "refuses the key"],
  [402, "wants to be paid first"],
  [403, "refuses the key"],
  [404, "has nothing at this address"],
  [410, "has nothing at this address"],
]);

/**
 * What an operator must mend of a source that answers so, as a sentence goes on after its name;
 * undefined for a 200 and for what may pass. A source that only ever fails is told of elsewhere.
 */
export function statusProblem(status: number): string | undefined {
  if (status === 200 || status >= 500 || busyStatuses.has(status)) return undefined;
  const problem = status < 400 ? "sends callers elsewhere" : "turns calls away";
  return `${problems.get(status) ?? problem} (${status})`;
}
