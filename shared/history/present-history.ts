import type { ChangesPage, FieldChange } from "./list-changes.ts";
import type { ItemHistoryPage, ShownPoint } from "./item-history.ts";

/** A page of an item's history as an API answer. */
export const presentItemHistory = ({ points, hasMore }: ItemHistoryPage) => ({
  object: "list",
  data: points.map(presentPoint),
  has_more: hasMore,
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

/** A page of changes as an API answer. */
export const presentChanges = ({ changes, next }: ChangesPage) => ({
  object: "list",
  data: changes.map(presentChange),
  has_more: next !== null,
  next_starting_after: next,
});

const presentChange = (change: FieldChange) => ({
  object: "field_change",
  watchlist_id: change.watchlistId,
  item_id: change.itemId,
  field: change.field,
  before: change.before,
  after: change.after,
  delta: rounded(change.delta),
  delta_percent: rounded(change.deltaPercent),
  changed_at: change.at,
  run_number: change.runNumber,
  step: change.step,
});

/** Removes the binary fractions of a subtraction: 12.989999999999998 becomes 12.99. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 10_000) / 10_000;
