import type { PointLine } from "../history/history.ts";
import { pointOf } from "../history/point-lines.ts";
import type { Hold, ItemOutcome, Run } from "./run.ts";
import type { StepResults } from "./run-outcomes.ts";

/** Time after which the service discards a held run, in milliseconds. */
const holdMs = 7 * 86_400_000;

/**
 * Returns true if the brake may hold the run. The batches of such a run also record their items as
 * they were before the run. False for a run without a brake, and for a baseline run, whose items
 * have no earlier readings.
 */
export const mayBeHeld = ({ brake, kind }: Pick<Run, "brake" | "kind">): boolean =>
  brake !== null && kind !== "baseline";

/**
 * Decides whether a run ends above its brake. Returns the hold, or undefined if the run sends its
 * events. Counts an item once, even if several steps report it. Items count as read if they had an
 * earlier reading with which to compare.
 */
export function holdOf(run: Run, steps: readonly StepResults[]): Hold | undefined {
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
  const changedItems = changed.size;
  const isAbove = (readItems: number): boolean =>
    readItems >= brake.minItems && changedItems * 100 > brake.maxChangedPercent * readItems;
  const points = steps.flatMap((step) => step.points);
  // Most runs cannot be above their brake, however many of the points are of new items.
  const answered = run.stats.tracked - countWithout(unanswered, changed);
  if (changedItems * 100 <= brake.maxChangedPercent * (answered - points.length)) return undefined;
  const unknown = outcomes.filter(({ lastSnapshot }) => lastSnapshot === null).map(({ id }) => id);
  const uncompared = new Set([...unanswered, ...unknown, ...firstRead(points)]);
  const readItems = run.stats.tracked - countWithout(uncompared, changed);
  return isAbove(readItems)
    ? { status: "held", changedItems, readItems, decidedAt: null, reason: null }
    : undefined;
}

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
