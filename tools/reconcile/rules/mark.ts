import type { Difference } from "./difference.ts";

/** Sweepers look every minute: what has been due for longer than this was passed over. */
const passedOverMs = 10 * 60_000;
/** Clocks of whoever writes and of whoever reads may differ by so much. */
const skewMs = 5 * 60_000;

interface MarkBounds {
  readonly now: Date;
  /** The latest time that anybody writes who writes it at `from`. */
  readonly latest: (from: Date) => Date;
  /** True for a time that may lie in the past. */
  readonly mayBePast?: boolean;
}

/**
 * A time at which somebody is to look (ISO 8601), when it is later than anybody writes it, or long
 * past: what stands there is not found when it has to be.
 */
export function markDifferences(
  { place, field }: Pick<Difference, "place" | "field">,
  mark: string,
  { now, latest, mayBePast = false }: MarkBounds,
): Difference[] {
  const at = Date.parse(mark);
  const from = new Date(now.getTime() - passedOverMs);
  const to = latest(new Date(now.getTime() + skewMs));
  if (at <= to.getTime() && (mayBePast || at >= from.getTime())) return [];
  const expected = mayBePast ? `${to.toISOString()} or before` : between(from, to);
  return [{ place, field, stored: mark, expected }];
}

const between = (from: Date, to: Date): string => `${from.toISOString()} to ${to.toISOString()}`;
