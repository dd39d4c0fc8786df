import type { Difference } from "./difference.ts";

/** Sweepers run every minute. A mark that has been due for longer was missed. */
const missedMs = 10 * 60_000;
/** The greatest difference between the clocks of writers and readers. */
const skewMs = 5 * 60_000;

interface MarkBounds {
  readonly now: Date;
  /** Returns the latest time that a writer can set at `from`. */
  readonly latest: (from: Date) => Date;
  /** True if the time may be in the past. */
  readonly mayBePast?: boolean;
}

/**
 * Reports a due mark (ISO 8601) that is later than any writer sets it, or long past. A row with
 * such a mark is not found in time.
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
