/**
 * Throws an `Error` if `condition` is false. `message` states the invariant. The error fails only
 * the current API call or queue message, not the process.
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition)
    throw new Error(`Invariant broken: ${message}. Correct the code or the stored data.`);
}

/**
 * Marks a branch that is unreachable according to the types. Throws an `Error` if the branch is
 * reached at run time.
 */
export function assertNever(value: never): never {
  throw new Error(
    `No branch of the code handles the value ${JSON.stringify(value)}. Add a branch for it.`,
  );
}
