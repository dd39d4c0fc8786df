/** Ports for time and randomness, so that tests control both. */
export interface Clock {
  now(): Date;
  /** Resolves after `milliseconds`. */
  sleep(milliseconds: number): Promise<void>;
}

export interface RandomSource {
  /** `length` bytes from a cryptographically secure source. */
  bytes(length: number): Uint8Array;
  /** A number in [0, 1), for jitter only. */
  fraction(): number;
}
