import { countComparedItems, countWithout } from "./compared-items.ts";
import type { Hold, Run } from "./run.ts";
import { holdsEvents } from "./source-shape.ts";
import type { RunTotals } from "./run-totals.ts";

/** Time after which the service discards a held run, in milliseconds. */
const holdMs = 7 * 86_400_000;

/**
 * Returns true if the brake may hold the run. The batches of such a run must also record their
 * items as they were before the run, so that a discard can restore them. Returns false for a run
 * without a brake, and for a baseline run, whose items have no earlier readings.
 */
export const mayBeHeld = ({ limits, kind }: Pick<Run, "limits" | "kind">): boolean =>
  limits.brake !== null && kind !== "baseline";

/**
 * Decides whether the brake holds a run, because too many items changed or because the answers have
 * a suspicious shape (`run.shape`). Returns the hold, or undefined if the run may send its events.
 * An item counts once, even if several steps report it.
 */
export function holdOf(run: Run, totals: RunTotals): Hold | undefined {
  const { shape } = run;
  const { brake } = run.limits;
  // During a deployment, an earlier release may have read a batch of the run without storing the
  // items as they were before. Such a run cannot be discarded, so the brake does not hold it.
  const isPossible = mayBeHeld(run) && totals.isRestorable;
  if (brake === null || !isPossible) return undefined;
  const isWrongShape = shape !== undefined && holdsEvents(shape);
  const { changed, unanswered } = totals.items;
  const changedItems = changed.size;
  // This check spares most runs the slower exact count below. At least `answered - points` items
  // have an earlier reading, because each answered item without one has a history point.
  const answered = run.stats.tracked - countWithout(unanswered, changed);
  const mayBeAbove = changedItems * 100 > brake.maxChangedPercent * (answered - totals.points);
  if (!isWrongShape && !mayBeAbove) return undefined;
  const readItems = countComparedItems(run, totals.items);
  const isAbove =
    readItems >= brake.minItems && changedItems * 100 > brake.maxChangedPercent * readItems;
  return isWrongShape || isAbove
    ? { status: "held", changedItems, readItems, decidedAt: null, reason: null }
    : undefined;
}

/**
 * Returns the time at which the service discards a held run that no client has released or
 * discarded: 7 days after the end of the run. The run must have ended.
 */
export function holdExpiresAt({ finishedAt }: Pick<Run, "finishedAt">): Date {
  return new Date(Date.parse(finishedAt ?? "") + holdMs);
}
