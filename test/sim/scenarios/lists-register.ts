/** Numbers what users do and hear, in its order. */
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

/** A change whose outcome is not known yet. */
export interface Wish {
  took(): void;
  refused(): void;
}

/**
 * What a thing may be as far as users can know, when one of them alone changes it: after an outcome
 * that nobody heard it is what it was or what was wished, until a later look tells.
 */
export interface Register {
  /** A change to `value` begins. Left alone, its outcome stays unknown. */
  wish(value: string): Wish;
  /** It is known to be this. */
  is(value: string): void;
  /** True when it may have been this at some time since a moment. */
  may(value: string, since: number): boolean;
  /** What it may be now. */
  values(): readonly string[];
}

export function register(initial: string, moments: Moments): Register {
  /** Until when it may have been so; for ever while it may still be. */
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
    wish(value) {
      const was = isPossible(value);
      until.set(value, Infinity);
      return {
        took: () => is(value),
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
