/** Port for the time, so that tests control it. */
export interface Clock {
  now(): Date;
  /** Resolves after `milliseconds`. */
  sleep(milliseconds: number): Promise<void>;
}

/** Port for random values, so that tests control them. */
export interface RandomSource {
  /** Returns `length` bytes from a cryptographically secure source. */
  bytes(length: number): Uint8Array;
  /**
   * Returns a random number in [0, 1), for example for jitter. Use `bytes` for values that must be
   * hard to guess.
   */
  fraction(): number;
}
