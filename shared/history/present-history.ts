import type { FieldChange } from "./field-change.ts";
import type { ChangesPage } from "./changes-query.ts";
import type { ItemHistoryPage, ShownPoint } from "./item-history.ts";

/** Converts a page of an item's history to its form in API responses. */
export const presentItemHistory = ({ points, hasMore, start }: ItemHistoryPage) => ({
  object: "list",
  data: points.map(presentPoint),
  has_more: hasMore,
  values_at_since: start,
});

const presentPoint = ({ id, at, runNumber, step, status, values }: ShownPoint) => ({
  id,
  object: "history_point",
  at,
  run_number: runNumber,
  step,
  status,
  values,
});

/** The parts of an item and its watchlist that an entry of a list of changes contains. */
export interface ChangedItem {
  readonly watchlistName: string;
  readonly platform: string;
  readonly currency: string;
  readonly label: string | null;
  readonly title: string | null;
  readonly url: string | null;
  readonly image: string | null;
}

/**
 * Converts a page of changes to its form in API responses.
 * @param itemOf returns the parts of the changed item and of its watchlist that the response
 * contains
 */
export const presentChanges = (
  { changes, next }: ChangesPage,
  itemOf: (change: FieldChange) => ChangedItem,
) => ({
  object: "list",
  data: changes.map((change) => presentChange(change, itemOf(change))),
  has_more: next !== null,
  next_starting_after: next,
});

const presentChange = (change: FieldChange, item: ChangedItem) => ({
  object: "field_change",
  watchlist_id: change.watchlistId,
  watchlist_name: item.watchlistName,
  platform: item.platform,
  currency: item.currency,
  item_id: change.itemId,
  label: item.label,
  title: item.title,
  url: item.url,
  image: item.image,
  kind: change.kind,
  field: change.field,
  before: change.before,
  after: change.after,
  ...presentDifference(change),
  changed_at: change.at,
  run_number: change.runNumber,
  step: change.step,
});

/** Converts the difference of a change from the last known value to its form in API responses. */
export const presentDifference = ({ lastKnown, delta, deltaPercent }: FieldChange) => ({
  last_known: lastKnown,
  delta: rounded(delta),
  delta_percent: rounded(deltaPercent),
});

/**
 * Removes the rounding errors of a subtraction of binary fractions: 12.989999999999998 becomes
 * 12.99.
 */
const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 10_000) / 10_000;
