import type { Hold, ItemOutcome, Run } from "./run.ts";
import type { StepOutcomes } from "./run-outcomes.ts";

/** Time after which the service discards a held run, in milliseconds. */
const holdMs = 7 * 86_400_000;

/**
 * Returns true if the brake may hold the run. The batches of such a run also record their items as
 * they were before the run. False for a run without a brake, and for a baseline run, whose items
 * have no earlier readings.
 */
export const mayBeHeld = ({ brake, kind }: Pick<Run, "brake" | "kind">): boolean =>
  brake !== null && kind !== "baseline";

/** Outcomes of a step, and whether its batches can be discarded. */
interface BrakedStep extends StepOutcomes {
  readonly isRestorable: boolean;
}

/**
 * Decides whether a run ends above its brake. Returns the hold, or undefined if the run sends its
 * events. Counts an item once, even if several steps report it.
 */
export function holdOf(run: Run, steps: readonly BrakedStep[]): Hold | undefined {
  const { brake } = run;
  // A batch that an earlier release read during a deployment cannot be discarded.
  const isPossible = mayBeHeld(run) && steps.every((step) => step.isRestorable);
  if (brake === null || !isPossible) return undefined;
  const outcomes = steps.flatMap((step) => step.outcomes);
  const changed = new Set(outcomes.filter(isChange).map(({ id }) => id));
  const unanswered = new Set([
    ...steps.flatMap((step) => step.unread ?? []),
    ...outcomes.filter(isUnanswered).map(({ id }) => id),
  ]);
  const readItems = run.stats.tracked - [...unanswered].filter((id) => !changed.has(id)).length;
  const isAbove =
    readItems >= brake.minItems && changed.size * 100 > brake.maxChangedPercent * readItems;
  const changedItems = changed.size;
  return isAbove
    ? { status: "held", changedItems, readItems, decidedAt: null, reason: null }
    : undefined;
}

/**
 * Returns true for a new change and for a delisting. An item that was not found by its first read
 * does not count, because it has no earlier reading.
 */
const isChange = ({ changes, isCounted, lastSnapshot }: ItemOutcome): boolean =>
  (lastSnapshot !== undefined && lastSnapshot !== null) ||
  (changes !== undefined && isCounted !== true);

const isUnanswered = ({ status }: ItemOutcome): boolean =>
  status === "partial" || status === "unavailable" || status === "deferred";

/**
 * Time at which the service discards a held run that no client has released or discarded: 7 days
 * after the end of the run. The run must have ended.
 */
export function holdExpiresAt({ finishedAt }: Pick<Run, "finishedAt">): Date {
  return new Date(Date.parse(finishedAt ?? "") + holdMs);
}
