import { limits } from "../base/limits.ts";
import { compareIds } from "./id-order.ts";
import type { Item } from "./item.ts";
import {
  type ChangeTimes,
  changeTimesIn,
  headsIn,
  type ItemColumns,
  type ItemHead,
} from "./item-columns.ts";
import { countByState, haveSameCounts, type ItemCounts } from "./item-counts.ts";
import { compress, encodeItems } from "./page-codec.ts";

/** A range of item IDs. The ranges of a watchlist's pages are adjacent and do not overlap. */
export interface PageRange {
  /** Inclusive lower bound of the IDs; "" for the first page. */
  readonly lowest: string;
  /**
   * Exclusive upper bound of the IDs, which is `lowest` of the next page; null for the last page.
   */
  readonly upper: string | null;
}

/** A page that was read, with the version for a conditional write. */
export interface StoredPage extends PageRange {
  /**
   * Version of the page. It increases with every write of the page's range, including a split or
   * merge of pages.
   */
  readonly version: number;
  readonly counts: ItemCounts;
  /** Latest time at which an item of the page changed or was delisted (ISO); null if none did. */
  readonly maxChangedAt: string | null;
  /**
   * The heads of the items, sorted by ID. Built at each access from the decoded columns, without
   * building the other fields.
   */
  readonly heads: readonly ItemHead[];
  /** Items sorted by ID. Decoded at the first access. */
  readonly items: readonly Item[];
  /** The columns of the items. Decoded at the first access. */
  readonly columns: ItemColumns;
  /** Returns the items that `isWanted` selects, sorted by ID. Builds no other items. */
  select(isWanted: (id: string) => boolean): readonly Item[];
  /**
   * Returns false only if no ID begins with `prefix`. The check is much faster than decoding the
   * items.
   */
  mayHaveId(prefix: string): boolean;
  /** Size of the encoded items in the page's own row, in bytes. */
  readonly bytes: number;
  /** The page's second row, with the changed items; null if the page has no second row. */
  readonly secondRow: SecondRow | null;
}

/**
 * The second row of a page: the items that changed after the whole page was written (ADR 0092). The
 * members of `StoredPage` include these items.
 */
export interface SecondRow {
  /** The changed items, sorted by ID. They replace the items of the page with the same IDs. */
  readonly items: readonly Item[];
  /** Version of the page when the whole page was last written. */
  readonly pageVersion: number;
}

/** Limits of pages and watchlists. */
export interface PageBounds {
  /** Maximum number of items of a page. */
  readonly itemsMax: number;
  /**
   * Maximum size of the encoded items of a page, in bytes. A page with a single item may exceed it.
   */
  readonly bytesMax: number;
  /**
   * Maximum size of the items in the second row of a page, divided by the size of the items in the
   * page's own row. If the changed items exceed it, the whole page is written.
   */
  readonly secondRowShareMax: number;
  /**
   * Lower bound of the size limit of a second row, in bytes. It applies to small pages.
   */
  readonly secondRowBytesMin: number;
  /** Adjacent pages are merged if they have at most this many items together. */
  readonly mergeItemsMax: number;
  /** Maximum number of items of a watchlist. */
  readonly watchlistItemsMax: number;
}

/** The bounds of stored pages. Only tests use others. */
export const pageBounds: PageBounds = {
  itemsMax: limits.pageItemsMax,
  bytesMax: limits.pageBytesMax,
  secondRowShareMax: limits.pageSecondRowShareMax,
  secondRowBytesMin: limits.pageSecondRowBytesMin,
  mergeItemsMax: limits.pageMergeItemsMax,
  watchlistItemsMax: limits.watchlistItemsMax,
};

/** A page to store, with its encoded items. */
export interface EncodedPage extends PageRange {
  readonly counts: ItemCounts;
  /** Latest time at which an item of the page changed or was delisted (ISO); null if none did. */
  readonly maxChangedAt: string | null;
  /** The items as `encodeItems` encoded them. */
  readonly encoded: Uint8Array;
}

/** The second row of a page, to store. */
export interface EncodedSecondRow {
  /** Latest time at which an item of the page changed or was delisted (ISO); null if none did. */
  readonly maxChangedAt: string | null;
  /** All changed items since the whole page was written, as `encodeItems` encoded them. */
  readonly encoded: Uint8Array;
  /** Version of the page when the whole page was last written. */
  readonly pageVersion: number;
}

/** A part of a range of IDs, with its entries. */
interface SubRange<Entry> extends PageRange {
  /** Entries of the part, sorted by ID. */
  readonly entries: readonly Entry[];
  readonly encoded: Uint8Array;
}

/**
 * Splits a range of IDs into sub-ranges with almost equal numbers of entries: the smallest number
 * of sub-ranges with at most `itemsMax` entries each. Splits a sub-range again while its encoded
 * entries exceed `bytesMax` and it has at least two entries.
 * @param entries sorted by ID
 */
export function cutRange<Entry extends { readonly id: string }>(
  { lowest, upper }: PageRange,
  entries: readonly Entry[],
  options: Pick<PageBounds, "itemsMax" | "bytesMax"> & {
    readonly encode: (entries: readonly Entry[]) => Uint8Array;
  },
): SubRange<Entry>[] {
  const { itemsMax, bytesMax, encode } = options;
  if (entries.length <= itemsMax) {
    const encoded = encode(entries);
    if (encoded.byteLength <= bytesMax || entries.length < 2) {
      return [{ lowest, upper, entries, encoded }];
    }
  }
  const parts = Math.max(2, Math.ceil(entries.length / itemsMax));
  const size = Math.ceil(entries.length / parts);
  const cut: SubRange<Entry>[] = [];
  for (let start = 0; start < entries.length; start += size) {
    const range = {
      lowest: start === 0 ? lowest : (entries[start]?.id ?? lowest),
      upper: entries[start + size]?.id ?? upper,
    };
    cut.push(...cutRange(range, entries.slice(start, start + size), options));
  }
  return cut;
}

/**
 * Encodes the columns of a range of IDs as one page. Returns undefined if the page would exceed
 * `itemsMax` or `bytesMax`. The caller must then split the range.
 */
export function pageOfColumns(
  { lowest, upper }: PageRange,
  columns: ItemColumns,
  { itemsMax, bytesMax }: Pick<PageBounds, "itemsMax" | "bytesMax">,
): EncodedPage | undefined {
  const heads = headsIn(columns);
  const encoded = compress(columns);
  if (heads.length > itemsMax || encoded.byteLength > bytesMax) return undefined;
  const maxAt = maxChangedAt(changeTimesIn(columns));
  return { lowest, upper, counts: countByState(heads), maxChangedAt: maxAt, encoded };
}

/** A change of some items of a page. */
export interface ItemsChange {
  /** The items that change, sorted by ID. */
  readonly changed: readonly Item[];
  /** The columns of the whole page after the change. */
  readonly columns: ItemColumns;
}

type SecondRowBounds = Pick<PageBounds, "secondRowShareMax" | "secondRowBytesMin">;

/**
 * Encodes the items for the second row of a page: those that change, and those that the row already
 * has. Returns undefined if the whole page must be written: if the page has no second row, if the
 * counts change, or if the items do not fit into the second row.
 */
export function secondRowOfPage(
  { secondRow, counts, bytes }: Pick<StoredPage, "secondRow" | "counts" | "bytes">,
  { changed, columns }: ItemsChange,
  bounds: SecondRowBounds,
): EncodedSecondRow | undefined {
  if (secondRow === null || !haveSameCounts(countByState(headsIn(columns)), counts))
    return undefined;
  const encoded = encodeItems(mergeItems(secondRow.items, changed));
  if (encoded.byteLength > secondRowBytesMax(bytes, bounds)) return undefined;
  const { pageVersion } = secondRow;
  return { maxChangedAt: maxChangedAt(changeTimesIn(columns)), encoded, pageVersion };
}

/** Returns true if `changed` would fit into an empty second row of a page. */
export const fitsSecondRow = (
  { bytes }: Pick<StoredPage, "bytes">,
  changed: readonly Item[],
  bounds: SecondRowBounds,
): boolean => encodeItems(changed).byteLength <= secondRowBytesMax(bytes, bounds);

/** Returns the maximum size of the items in the second row of a page, in bytes. */
const secondRowBytesMax = (
  pageBytes: number,
  { secondRowShareMax, secondRowBytesMin }: SecondRowBounds,
): number => Math.max(secondRowShareMax * pageBytes, secondRowBytesMin);

/** Returns the items of both lists, sorted by ID. An item of `newer` takes precedence. */
export function mergeItems(items: readonly Item[], newer: readonly Item[]): readonly Item[] {
  const byId = new Map([...items, ...newer].map((item) => [item.id, item]));
  return [...byId.values()].toSorted((a, b) => compareIds(a.id, b.id));
}

/**
 * Splits a range of IDs into pages that do not exceed `bounds`.
 * @param items the items of the range, sorted by ID
 */
export const cutPages = (
  range: PageRange,
  items: readonly Item[],
  bounds: Pick<PageBounds, "itemsMax" | "bytesMax">,
): EncodedPage[] =>
  cutRange(range, items, { ...bounds, encode: encodeItems }).map(
    ({ lowest, upper, entries, encoded }) => ({
      lowest,
      upper,
      counts: countByState(entries),
      maxChangedAt: maxChangedAt(entries),
      encoded,
    }),
  );

/**
 * Returns the latest time (ISO 8601) at which one of the items changed or was delisted. Returns
 * null if no item has changed or was delisted.
 */
export function maxChangedAt(items: readonly ChangeTimes[]): string | null {
  let latest: string | null = null;
  for (const item of items) {
    for (const at of [item.lastChange?.changedAt, item.delistedAt]) {
      if (at !== undefined && at !== null && (latest === null || at > latest)) latest = at;
    }
  }
  return latest;
}
