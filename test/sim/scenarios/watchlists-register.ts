/** A logical clock. It numbers the actions of users and the responses that they receive. */
export interface Moments {
  next(): number;
}

/** Creates a logical clock that starts at 0. */
export function countMoments(): Moments {
  let count = 0;
  return {
    next() {
      count += 1;
      return count;
    },
  };
}

/** A change whose outcome is still unknown. The caller reports the outcome with a method. */
export interface PendingChange {
  succeeded(): void;
  refused(): void;
}

/**
 * The possible values of a variable that only one user changes. After a change with an unknown
 * outcome, both the old and the new value are possible until a read returns one of them.
 */
export interface Register {
  /** Starts a change to `value`. Its outcome is unknown until the caller reports the outcome. */
  startChange(value: string): PendingChange;
  /** Sets the only value that is possible from now on. */
  is(value: string): void;
  /** Returns true if the value was possible at the moment `since` or later. */
  may(value: string, since: number): boolean;
  /** Returns the values that are possible now. */
  values(): readonly string[];
}

/** Creates a register whose only possible value is `initial`. */
export function register(initial: string, moments: Moments): Register {
  /**
   * The last moment at which each value was possible; Infinity for values that are possible now.
   */
  const until = new Map<string, number>([[initial, Infinity]]);
  const isPossible = (value: string): boolean => until.get(value) === Infinity;
  const is = (value: string): void => {
    const now = moments.next();
    for (const other of until.keys()) {
      if (other !== value && isPossible(other)) until.set(other, now);
    }
    until.set(value, Infinity);
  };
  return {
    startChange(value) {
      const was = isPossible(value);
      until.set(value, Infinity);
      return {
        succeeded: () => is(value),
        refused() {
          if (!was) until.set(value, moments.next());
        },
      };
    },
    is,
    may: (value, since) => (until.get(value) ?? -1) >= since,
    values: () => [...until.keys()].filter(isPossible),
  };
}
