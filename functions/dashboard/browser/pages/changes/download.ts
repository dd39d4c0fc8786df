import type { FieldChange } from "../../api/resources.ts";
import { csvOf } from "../../format/csv.ts";

/** The columns of a download, in order. */
const columns = [
  "changed_at",
  "watchlist_id",
  "watchlist_name",
  "item_id",
  "label",
  "title",
  "url",
  "kind",
  "field",
  "before",
  "after",
  "delta",
  "delta_percent",
  "currency",
  "run_number",
  "step",
] as const satisfies readonly (keyof FieldChange)[];

/** Returns changes as CSV, with a header. */
export const changesCsv = (changes: readonly FieldChange[]): string =>
  csvOf(
    columns,
    changes.map((change) => columns.map((column) => change[column])),
  );

/** Returns changes as a JSON array of API entries. */
export const changesJson = (changes: readonly FieldChange[]): string =>
  `${JSON.stringify(changes, undefined, 2)}\n`;
