/** The current number of items that a source takes in one call. */
export interface BatchSize {
  max(): number;
  /** Records that the source rejected a batch of this many items as too large. */
  tooMany(count: number): void;
}

/**
 * Creates a batch size for all reads of a process, so that a rejected size is not tried again. A
 * source that rejects a single item does not report a size; the configured one is then used again.
 */
export function batchSize(configuredMax: number): BatchSize {
  let known = configuredMax;
  return {
    max: () => known,
    tooMany(count) {
      known = count === 1 ? configuredMax : Math.min(known, Math.ceil(count / 2));
    },
  };
}
