/** Logical clock: numbers the actions of users and the responses they get. */
export interface Moments {
  next(): number;
}

export function countMoments(): Moments {
  let count = 0;
  return {
    next() {
      count += 1;
      return count;
    },
  };
}

/** A change whose outcome is not yet known. */
export interface PendingChange {
  succeeded(): void;
  refused(): void;
}

/**
 * The possible values of something that a single user changes. After a change with an unknown outcome,
 * the old and the new value are possible until a later read shows one of them.
 */
export interface Register {
  /** Starts a change to `value`. Its outcome is unknown until the caller reports it. */
  startChange(value: string): PendingChange;
  /** Sets the only possible value. */
  is(value: string): void;
  /** True when the value was possible at some time since a moment. */
  may(value: string, since: number): boolean;
  /** Returns the values possible now. */
  values(): readonly string[];
}

export function register(initial: string, moments: Moments): Register {
  /** Last moment at which each value was possible; Infinity for values possible now. */
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
