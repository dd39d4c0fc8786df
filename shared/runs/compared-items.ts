import type { PointLine } from "../history/history.ts";
import { pointOf } from "../history/point-lines.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { StepResults } from "./run-outcomes.ts";
import type { Run } from "./run.ts";

/**
 * Returns the number of items that a run read completely and that had an earlier reading, so that
 * the run was able to compare their values.
 */
export function countComparedItems(
  { stats }: Pick<Run, "stats">,
  steps: readonly StepResults[],
): number {
  const unknown = steps
    .flatMap((step) => step.outcomes)
    .filter(({ lastSnapshot }) => lastSnapshot === null)
    .map(({ id }) => id);
  const first = firstRead(steps.flatMap((step) => step.points));
  const uncompared = new Set([...unansweredIdsIn(steps), ...unknown, ...first]);
  return stats.tracked - countWithout(uncompared, changedIdsIn(steps));
}

/** Returns the IDs of the items that changed or were delisted in the steps of a run. */
export const changedIdsIn = (steps: readonly StepResults[]): ReadonlySet<string> =>
  new Set(
    steps
      .flatMap((step) => step.outcomes)
      .filter(isChange)
      .map(({ id }) => id),
  );

/**
 * Returns the IDs of the items that at least one step of a run could not read completely, or did
 * not read because the step was deferred.
 */
export const unansweredIdsIn = (steps: readonly StepResults[]): ReadonlySet<string> =>
  new Set([
    ...steps.flatMap((step) => step.unread ?? []),
    ...steps
      .flatMap((step) => step.outcomes)
      .filter(isUnanswered)
      .map(({ id }) => id),
  ]);

/** Returns how many of `ids` are not in `others`. */
export const countWithout = (ids: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...ids].filter((id) => !others.has(id)).length;

/** Returns the IDs of the items that had no known value before the run. */
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
 * Returns true if the brake counts an outcome as a change, because the outcome contains a new
 * change or delists the item. An item that was not found at its first read does not count, because
 * it has no earlier reading.
 */
export const isChange = ({ changes, isCounted, lastSnapshot }: ItemOutcome): boolean =>
  (lastSnapshot !== undefined && lastSnapshot !== null) ||
  (changes !== undefined && isCounted !== true);

const isUnanswered = ({ status }: ItemOutcome): boolean =>
  status === "partial" || status === "unavailable" || status === "deferred";
