/** A value that is valid from a time on; null if there is no value from this time on. */
export interface Step {
  /** The time in seconds since 1970. */
  readonly at: number;
  readonly value: number | null;
}

/** A time span. Times are in seconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Times in seconds since 1970 that are marked at an edge of the chart. */
export interface Marks {
  /** Times that are marked by short ticks above the horizontal axis. */
  readonly below: readonly number[];
  /** Times that are marked by triangles at the upper edge. */
  readonly above: readonly number[];
}
