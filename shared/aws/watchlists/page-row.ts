import type { Item } from "../../watchlists/item.ts";
import {
  fromColumns,
  headsIn,
  type ItemColumns,
  itemsIn,
  withChanged,
} from "../../watchlists/item-columns.ts";
import { decodeColumns, decodeItems, mayHaveId } from "../../watchlists/page-codec.ts";
import type { EncodedSecondRow, EncodedPage, StoredPage } from "../../watchlists/page.ts";
import type { ItemCounts } from "../../watchlists/item-counts.ts";
import type { Row } from "../table/dynamo.ts";
import { secondRowSuffix, watchlistKeys } from "../table/table.ts";

/** Returns the inclusive lower bound of a page of items, from the sort key of one of its rows. */
export const lowestOf = (row: Row): string =>
  String(row["sk"]).slice("page#".length, isSecondRow(row) ? -secondRowSuffix.length : undefined);

const isPageRow = (row: Row): boolean => String(row["sk"]).startsWith("page#");

/** Returns true for the second row of a page, which has the page's changed items. */
export const isSecondRow = (row: Row): boolean => String(row["sk"]).endsWith(secondRowSuffix);

/** Returns true if `row` is the second row of the page whose own row is `pageRow`. */
export const isSecondRowOf = (row: Row | undefined, pageRow: Row | undefined): boolean =>
  row?.["sk"] === `${String(pageRow?.["sk"])}${secondRowSuffix}`;

/** How a page of items is stored. */
interface PageStorage {
  readonly version: number;
  /** True if the page has a second row, for its changed items. */
  readonly hasSecondRow: boolean;
}

/** Builds the row of a page of items, including its key. */
export const itemPageRow = (
  watchlistId: string,
  page: EncodedPage,
  { version, hasSecondRow }: PageStorage,
): Row => ({
  ...watchlistKeys.page(watchlistId, page.lowest),
  version,
  upper: page.upper ?? undefined,
  counts: page.counts,
  max_changed_at: page.maxChangedAt ?? undefined,
  has_second_row: hasSecondRow ? true : undefined,
  items: page.encoded,
});

/**
 * Builds the second row of a page, including its key.
 * @param version the new version of the page
 */
export const itemPageSecondRow = (
  watchlistId: string,
  { lowest, maxChangedAt, encoded, pageVersion }: EncodedSecondRow & Pick<EncodedPage, "lowest">,
  version: number,
): Row => ({
  ...watchlistKeys.pageSecondRow(watchlistId, lowest),
  version,
  page_version: pageVersion,
  max_changed_at: maxChangedAt ?? undefined,
  items: encoded,
});

/**
 * Parses the rows of pages of items, in the order of their keys. Returns the pages before the first
 * incomplete page: a read can observe only some of the writes of a transaction, or end between the
 * two rows of a page. The caller reads the other pages again.
 */
export function itemPagesOf(rows: readonly Row[]): StoredPage[] {
  const pages: StoredPage[] = [];
  let start = 0;
  while (start < rows.length) {
    const end = start + (isSecondRowOf(rows[start + 1], rows[start]) ? 2 : 1);
    const page = itemPageOf(rows.slice(start, end));
    if (page === "incomplete") break;
    pages.push(page);
    start = end;
  }
  return pages;
}

/**
 * Parses the last rows before an upper bound, in descending order of their keys, to the page that
 * they belong to. Returns undefined if the first row is not a row of a page, and `incomplete` if
 * the page must be read again.
 */
export function lastItemPageOf([last, before]: readonly Row[]):
  | StoredPage
  | "incomplete"
  | undefined {
  if (last === undefined || !isPageRow(last)) return undefined;
  return itemPageOf(before !== undefined && isSecondRowOf(last, before) ? [before, last] : [last]);
}

/**
 * Parses the rows of one page of items: the page's own row, and its second row if it was read.
 * Decodes the items at their first use. Does not validate the rows, because only `itemPageRow` and
 * `itemPageSecondRow` write them. Returns `incomplete` if the page's own row is missing, or if the
 * second row is missing or newer than the page's own row.
 */
export function itemPageOf([row, secondRow]: readonly Row[]): StoredPage | "incomplete" {
  if (row === undefined || isSecondRow(row)) return "incomplete";
  if (!hasSecondRow(row)) return storedPage(row, undefined);
  const pageVersion = Number(row["version"]);
  const changedVersion = secondRow === undefined ? Infinity : Number(secondRow["page_version"]);
  if (changedVersion > pageVersion) return "incomplete";
  // Changed items of an earlier version of the page are already in the page.
  return storedPage(row, changedVersion === pageVersion ? secondRow : undefined);
}

const hasSecondRow = (row: Row): boolean => row["has_second_row"] === true;

/**
 * Builds a page from its own row.
 * @param secondRow the second row; undefined if the page's own row has all items
 */
function storedPage(row: Row, secondRow: Row | undefined): StoredPage {
  let items: readonly Item[] | undefined;
  let columns: ItemColumns | undefined;
  let changed: readonly Item[] | undefined;
  const newest = secondRow ?? row;
  const encoded = row["items"] as Uint8Array;
  const changedItems = (): readonly Item[] => {
    changed ??= secondRow === undefined ? [] : decodeItems(secondRow["items"] as Uint8Array);
    return changed;
  };
  const decode = (): ItemColumns => columns ?? withChanged(decodeColumns(encoded), changedItems());
  const page: StoredPage = {
    lowest: lowestOf(row),
    upper: (row["upper"] as string | undefined) ?? null,
    version: newest["version"] as number,
    counts: row["counts"] as ItemCounts,
    maxChangedAt: (newest["max_changed_at"] as string | undefined) ?? null,
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
    bytes: encoded.byteLength,
    secondRow: hasSecondRow(row)
      ? {
          get items() {
            return changedItems();
          },
          pageVersion: row["version"] as number,
        }
      : null,
  };
  return page;
}
