import type { Difference } from "./difference.ts";

/** A due mark that is older than this was missed, because the sweeper runs every minute. */
const missedMs = 10 * 60_000;
/** The largest accepted difference between the clocks of writers and readers, in milliseconds. */
const skewMs = 5 * 60_000;

interface MarkBounds {
  readonly now: Date;
  /** Returns the latest due time that a writer may set at the time `from`. */
  readonly latest: (from: Date) => Date;
  /** True if a due time in the past is valid. */
  readonly mayBePast?: boolean;
}

/**
 * Checks a due mark: the time (ISO 8601) at which the sweeper next checks a row. Reports a time
 * that is more than 5 minutes (the accepted clock difference) after the latest time that a writer
 * may set. Unless `mayBePast` is true, also reports a time more than 10 minutes ago, which the
 * sweeper has missed.
 */
export function markDifferences(
  { place, field }: Pick<Difference, "place" | "field">,
  mark: string,
  { now, latest, mayBePast = false }: MarkBounds,
): Difference[] {
  const at = Date.parse(mark);
  const from = new Date(now.getTime() - missedMs);
  const to = latest(new Date(now.getTime() + skewMs));
  if (at <= to.getTime() && (mayBePast || at >= from.getTime())) return [];
  const expected = mayBePast ? `${to.toISOString()} or before` : between(from, to);
  return [{ place, field, stored: mark, expected }];
}

const between = (from: Date, to: Date): string => `${from.toISOString()} to ${to.toISOString()}`;
