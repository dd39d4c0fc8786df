import type { WatchlistItem } from "../../api/resources.ts";
import { csvOf } from "../../format/csv.ts";
import { mainChangeOf } from "./item-values.ts";

/** The columns before the fields of the snapshots, in order. */
const columns = [
  "id",
  "label",
  "title",
  "url",
  "state",
  "added_at",
  "last_read_at",
  "last_read_status",
] as const satisfies readonly (keyof WatchlistItem)[];

const changeColumns = ["changed_at", "changed_field", "before", "after", "change_percent"] as const;

/**
 * Returns items as CSV, with a header: their details, the last known value of each field, and the
 * last change.
 */
export function itemsCsv(items: readonly WatchlistItem[]): string {
  const fields = [...new Set(items.flatMap(({ snapshot }) => Object.keys(snapshot ?? {})))];
  return csvOf(
    [...columns, ...fields, ...changeColumns],
    items.map((item) => {
      const change = mainChangeOf(item);
      return [
        ...columns.map((column) => item[column]),
        ...fields.map((field) => item.snapshot?.[field]),
        item.last_change?.changed_at,
        change?.field,
        change?.before,
        change?.after,
        change?.percent === undefined ? undefined : Math.round(change.percent * 100) / 100,
      ];
    }),
  );
}
