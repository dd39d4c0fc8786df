import type { Item } from "../../watchlists/item.ts";
import { fromColumns, headsIn, type ItemColumns, itemsIn } from "../../watchlists/item-columns.ts";
import { type CutPage, decodeColumns, mayHaveId, type StoredPage } from "../../watchlists/page.ts";
import type { ItemCounts } from "../../watchlists/watchlist.ts";
import type { Row } from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";

/** Returns the inclusive lower bound of a page of items, from the sort key of the page's row. */
export const lowestOf = (row: Row): string => String(row["sk"]).slice("page#".length);

/** Builds the row of a page of items, including its key. */
export const itemPageRow = (watchlistId: string, page: CutPage, version: number): Row => ({
  ...watchlistKeys.page(watchlistId, page.lowest),
  version,
  upper: page.upper ?? undefined,
  counts: page.counts,
  max_changed_at: page.maxChangedAt ?? undefined,
  items: page.encoded,
});

/**
 * Parses the row of a page of items. Decodes the items at their first use. Does not validate the
 * row, because only `itemPageRow` writes these rows.
 */
export function itemPageOf(row: Row): StoredPage {
  let items: readonly Item[] | undefined;
  let columns: ItemColumns | undefined;
  const encoded = row["items"] as Uint8Array;
  const decode = (): ItemColumns => columns ?? decodeColumns(encoded);
  const page: StoredPage = {
    lowest: lowestOf(row),
    upper: (row["upper"] as string | undefined) ?? null,
    version: row["version"] as number,
    counts: row["counts"] as ItemCounts,
    maxChangedAt: (row["max_changed_at"] as string | undefined) ?? null,
    get heads() {
      return items ?? headsIn(decode());
    },
    get items() {
      items ??= fromColumns(decode());
      return items;
    },
    get columns() {
      columns = decode();
      return columns;
    },
    select: (isWanted) => itemsIn(page.columns, isWanted),
    mayHaveId: (prefix) => mayHaveId(encoded, prefix),
  };
  return page;
}
