/** Statuses below 500 that ask the client to retry later. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

interface Problem {
  readonly what: string;
  /** The operator's first action. */
  readonly remedy: string;
}

const keyRefused: Problem = {
  what: "refuses the key",
  remedy: "check the secret and the options of the adapter",
};
const noApi: Problem = { what: "has no API at this address", remedy: "check baseUrl" };
const redirect: Problem = { what: "redirects calls", remedy: "check baseUrl" };
const refusal: Problem = { what: "refuses calls", remedy: "check the options of the adapter" };

const problems: ReadonlyMap<number, Problem> = new Map([
  [401, keyRefused],
  [402, { what: "requires payment", remedy: "check the subscription of the key" }],
  [403, keyRefused],
  [404, noApi],
  [410, noApi],
]);

/**
 * Returns the problem that an HTTP status of a source indicates, if an operator must fix the
 * problem, and the operator's first action. The text is the end of a warning that starts with the
 * name of the source, such as "redirects calls (302); check baseUrl".
 *
 * Returns undefined for 200 and for temporary statuses (408, 425, 429, and 500 or higher).
 * `registry/reported.ts` warns of a temporary problem that affects every call of a read.
 */
export function statusProblem(status: number): string | undefined {
  if (status === 200 || status >= 500 || busyStatuses.has(status)) return undefined;
  const { what, remedy } = problems.get(status) ?? (status < 400 ? redirect : refusal);
  return `${what} (${status}); ${remedy}`;
}
