/** How many items a source takes in one call, as far as it is known by now. */
export interface BatchSize {
  max(): number;
  /** Notes that the source called so many items too many. */
  tooMany(count: number): void;
}

/**
 * Kept across the reads of a process, so that what a source said once is not asked again. A source
 * that calls a single item too many does not mean their number: nothing is learned of it then.
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
