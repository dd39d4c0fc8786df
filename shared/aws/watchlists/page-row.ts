import type { Item } from "../../watchlists/item.ts";
import {
  fromColumns,
  headsIn,
  type ItemColumns,
  itemsIn,
  withChanged,
} from "../../watchlists/item-columns.ts";
import {
  type CutChanges,
  type CutPage,
  decodeColumns,
  decodeItems,
  mayHaveId,
  type StoredPage,
} from "../../watchlists/page.ts";
import type { ItemCounts } from "../../watchlists/watchlist.ts";
import type { Row } from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";

/** Returns the inclusive lower bound of a page of items, from the sort key of the page's row. */
export const lowestOf = (row: Row): string => String(row["sk"]).slice("page#".length);

const isPageRow = (row: Row): boolean => String(row["sk"]).startsWith("page#");

/** Returns true for the row with the changed items of a page. */
export const isChangesRow = (row: Row): boolean => String(row["sk"]).endsWith("!");

/** How a page of items is stored. */
interface PageStorage {
  readonly version: number;
  /** True if the page has a row for its changed items. */
  readonly hasChanges: boolean;
}

/** Builds the row of a page of items, including its key. */
export const itemPageRow = (
  watchlistId: string,
  page: CutPage,
  { version, hasChanges }: PageStorage,
): Row => ({
  ...watchlistKeys.page(watchlistId, page.lowest),
  version,
  upper: page.upper ?? undefined,
  counts: page.counts,
  max_changed_at: page.maxChangedAt ?? undefined,
  has_changes: hasChanges ? true : undefined,
  items: page.encoded,
});

/** The version of a page with changed items, and the version of its row. */
interface ChangesVersions {
  readonly version: number;
  readonly pageVersion: number;
}

/** Builds the row with the changed items of a page, including its key. */
export const pageChangesRow = (
  watchlistId: string,
  { lowest, maxChangedAt, encoded }: CutChanges & Pick<CutPage, "lowest">,
  { version, pageVersion }: ChangesVersions,
): Row => ({
  ...watchlistKeys.pageChanges(watchlistId, lowest),
  version,
  page_version: pageVersion,
  max_changed_at: maxChangedAt ?? undefined,
  items: encoded,
});

/**
 * Parses the rows of pages of items, in the order of their keys. Returns the pages up to the first
 * one that is incomplete: a read can observe only some of the writes of a transaction, or end
 * between the two rows of a page. The caller reads the other pages again.
 */
export function itemPagesOf(rows: readonly Row[]): StoredPage[] {
  const pages: StoredPage[] = [];
  for (let n = 0; n < rows.length; n += 1) {
    const row = rows[n];
    if (row === undefined || isChangesRow(row)) break;
    const next = rows[n + 1];
    const changes = next !== undefined && isChangesRow(next) ? next : undefined;
    if (changes !== undefined) n += 1;
    const page = itemPageOf(row, changes);
    if (page === "incomplete") break;
    pages.push(page);
  }
  return pages;
}

/**
 * Parses the rows of the last page of a range.
 * @param rows the last rows before an upper bound, in descending order of their keys. Rows of other
 * kinds can follow if the range has no page.
 */
export function lastItemPageOf(rows: readonly Row[]): StoredPage | "incomplete" | undefined {
  const [last, before] = rows;
  if (last === undefined || !isPageRow(last)) return undefined;
  if (!isChangesRow(last)) return itemPageOf(last, undefined);
  return before === undefined || `${String(before["sk"])}!` !== last["sk"]
    ? "incomplete"
    : itemPageOf(before, last);
}

/**
 * Parses the row of a page of items and the row with its changed items. Decodes the items at their
 * first use. Does not validate the rows, because only `itemPageRow` and `pageChangesRow` write
 * them. Returns `incomplete` if the row with the changed items is missing or newer than the page.
 */
function itemPageOf(row: Row, changesRow: Row | undefined): StoredPage | "incomplete" {
  if (row["has_changes"] !== true) return storedPage(row, { changes: null });
  const pageVersion = Number(row["version"]);
  const changedVersion = changesRow === undefined ? Infinity : Number(changesRow["page_version"]);
  if (changedVersion > pageVersion) return "incomplete";
  // If the changed items belong to an earlier version of the page, the page includes them.
  return storedPage(row, { changes: changedVersion === pageVersion ? changesRow : undefined });
}

interface Changes {
  /** The row with the changed items; undefined if no item has changed, null if there is no row. */
  readonly changes: Row | undefined | null;
}

function storedPage(row: Row, { changes: changesRow }: Changes): StoredPage {
  let items: readonly Item[] | undefined;
  let columns: ItemColumns | undefined;
  let changed: readonly Item[] | undefined;
  const newest = changesRow ?? row;
  const encoded = row["items"] as Uint8Array;
  const changedItems = (): readonly Item[] => {
    changed ??= newest === row ? [] : decodeItems(newest["items"] as Uint8Array);
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
    changes:
      changesRow === null
        ? null
        : {
            get items() {
              return changedItems();
            },
            pageVersion: row["version"] as number,
            pageBytes: encoded.byteLength,
          },
  };
  return page;
}
