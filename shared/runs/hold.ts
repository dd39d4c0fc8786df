import type { PointLine } from "../history/history.ts";
import { pointOf } from "../history/point-lines.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Hold, Run } from "./run.ts";
import { isSuspicious } from "./source-shape.ts";
import type { StepResults } from "./run-outcomes.ts";

/** Time after which the service discards a held run, in milliseconds. */
const holdMs = 7 * 86_400_000;

/**
 * Returns true if the brake may hold the run. The batches of such a run also record their items as
 * they were before the run. False for a run without a brake, and for a baseline run, whose items
 * have no earlier readings.
 */
export const mayBeHeld = ({ limits, kind }: Pick<Run, "limits" | "kind">): boolean =>
  limits.brake !== null && kind !== "baseline";

/**
 * Decides whether the brake holds a run: too many items changed, or the shape of the answers
 * (`run.shape`) is suspicious. Returns the hold, or undefined if the run sends its events. Counts an
 * item once, even if several steps report it.
 */
export function holdOf(run: Run, steps: readonly StepResults[]): Hold | undefined {
  const { shape } = run;
  const { brake } = run.limits;
  // A batch that an earlier release read during a deployment cannot be discarded.
  const isPossible = mayBeHeld(run) && steps.every((step) => step.isRestorable);
  if (brake === null || !isPossible) return undefined;
  const isWrongShape = shape !== undefined && isSuspicious(shape);
  const changed = changedIn(steps);
  const changedItems = changed.size;
  const points = steps.reduce((sum, step) => sum + step.points.length, 0);
  // Most runs cannot be above their brake, however many of the points are of new items.
  const answered = run.stats.tracked - countWithout(unansweredIn(steps), changed);
  const mayBeAbove = changedItems * 100 > brake.maxChangedPercent * (answered - points);
  if (!isWrongShape && !mayBeAbove) return undefined;
  const readItems = comparedItems(run, steps);
  const isAbove =
    readItems >= brake.minItems && changedItems * 100 > brake.maxChangedPercent * readItems;
  return isWrongShape || isAbove
    ? { status: "held", changedItems, readItems, decidedAt: null, reason: null }
    : undefined;
}

/**
 * Number of items that a run read completely, and that had an earlier reading with which to compare.
 */
export function comparedItems(
  { stats }: Pick<Run, "stats">,
  steps: readonly StepResults[],
): number {
  const unknown = steps
    .flatMap((step) => step.outcomes)
    .filter(({ lastSnapshot }) => lastSnapshot === null)
    .map(({ id }) => id);
  const first = firstRead(steps.flatMap((step) => step.points));
  const uncompared = new Set([...unansweredIn(steps), ...unknown, ...first]);
  return stats.tracked - countWithout(uncompared, changedIn(steps));
}

const changedIn = (steps: readonly StepResults[]): ReadonlySet<string> =>
  new Set(
    steps
      .flatMap((step) => step.outcomes)
      .filter(isChange)
      .map(({ id }) => id),
  );

const unansweredIn = (steps: readonly StepResults[]): ReadonlySet<string> =>
  new Set([
    ...steps.flatMap((step) => step.unread ?? []),
    ...steps
      .flatMap((step) => step.outcomes)
      .filter(isUnanswered)
      .map(({ id }) => id),
  ]);

const countWithout = (ids: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...ids].filter((id) => !others.has(id)).length;

/** IDs of the items that had no known value before the run. */
function firstRead(lines: readonly PointLine[]): ReadonlySet<string> {
  const first = new Set<string>();
  const compared = new Set<string>();
  for (const { id, status, values } of lines.map(pointOf)) {
    const changes = Object.values(values);
    if (status === "ok" && changes.every(({ before }) => before === undefined)) first.add(id);
    else if (status === "ok") compared.add(id);
  }
  return new Set([...first].filter((id) => !compared.has(id)));
}

/**
 * Returns true if the outcome counts for the brake: it contains a new change, or delists the item.
 * Returns false for an item that its first read did not find, because it has no earlier reading.
 */
export const isChange = ({ changes, isCounted, lastSnapshot }: ItemOutcome): boolean =>
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
