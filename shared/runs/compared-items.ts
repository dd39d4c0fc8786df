import type { HistoryPoint } from "../history/history.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Run } from "./run.ts";

/**
 * IDs of the items of a run, grouped by what its steps read. An item can be in several groups. The
 * size depends on the number of items, not on the number of steps.
 */
export interface ComparedItems {
  /** Items that changed or were delisted. */
  readonly changed: Set<string>;
  /** Items that a step did not read completely. */
  readonly unanswered: Set<string>;
  /** Items that were delisted without an earlier reading. */
  readonly unknown: Set<string>;
  /** Items of which a step read a value without a known earlier value. */
  readonly first: Set<string>;
  /** Items of which a step read a value with a known earlier value. */
  readonly known: Set<string>;
}

/** Creates the groups that `addComparedItems` fills with items. All groups are empty. */
export const noComparedItems = (): ComparedItems => ({
  changed: new Set(),
  unanswered: new Set(),
  unknown: new Set(),
  first: new Set(),
  known: new Set(),
});

/**
 * Adds the items of a batch to the groups in `items`, depending on the outcomes and history points
 * of the batch.
 */
export function addComparedItems(
  items: ComparedItems,
  outcomes: readonly ItemOutcome[],
  points: readonly HistoryPoint[],
): void {
  for (const outcome of outcomes) {
    if (isChange(outcome)) items.changed.add(outcome.id);
    if (isUnanswered(outcome)) items.unanswered.add(outcome.id);
    if (outcome.lastSnapshot === null) items.unknown.add(outcome.id);
  }
  for (const { id, status, values } of points) {
    if (status !== "ok") continue;
    const isFirst = Object.values(values).every(({ before }) => before === undefined);
    (isFirst ? items.first : items.known).add(id);
  }
}

/**
 * Returns the number of items that a run read completely and that had an earlier reading, so that
 * the run was able to compare their values. An item that changed always counts.
 */
export function countComparedItems(
  { stats }: Pick<Run, "stats">,
  { changed, unanswered, unknown, first, known }: ComparedItems,
): number {
  const unread = [...first].filter((id) => !known.has(id));
  return stats.tracked - countWithout(new Set([...unanswered, ...unknown, ...unread]), changed);
}

/** Returns how many of `ids` are not in `others`. */
export const countWithout = (ids: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...ids].filter((id) => !others.has(id)).length;

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
