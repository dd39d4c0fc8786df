/** Throws if an invariant does not hold, which fails the current call or message only. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}

/** Marks a branch that cannot be reached according to the types. Throws if it is. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
