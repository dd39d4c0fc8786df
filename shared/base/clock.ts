/** Time and chance as ports, so that a test can hold both still. */
export interface Clock {
  now(): Date;
  /** Resolves after `milliseconds`. */
  sleep(milliseconds: number): Promise<void>;
}

export interface Chance {
  /** `length` bytes from a cryptographically secure source. */
  bytes(length: number): Uint8Array;
  /** A number in [0, 1), for jitter only. */
  fraction(): number;
}
