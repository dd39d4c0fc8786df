import type { FoundItem } from "../../api/resources.ts";
import { csvOf } from "../../format/csv.ts";

/** The columns of a download, in order. */
const itemColumns = [
  "watchlist_id",
  "watchlist_name",
  "platform",
  "id",
  "label",
  "title",
] as const satisfies readonly (keyof FoundItem)[];

const stockColumns = [
  "price",
  "currency",
  "stock_since",
  "values_since",
  "url",
] as const satisfies readonly (keyof NonNullable<FoundItem["stock"]>)[];

/** Returns items with their stock as CSV, with a header. */
export const stockCsv = (items: readonly FoundItem[]): string =>
  csvOf(
    [...itemColumns, ...stockColumns],
    items.map((item) => [
      ...itemColumns.map((column) => item[column]),
      ...stockColumns.map((column) => item.stock?.[column]),
    ]),
  );
