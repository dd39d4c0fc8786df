import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { limits } from "../base/limits.ts";
import type { Item } from "./item.ts";
import { fromColumns, type ItemColumns, toColumns } from "./item-columns.ts";
import { type ItemCounts, noItems } from "./watchlist.ts";

/** A range of item IDs. The ranges of a watchlist's pages are adjacent. */
export interface PageRange {
  /** Inclusive; the first page starts at "". */
  readonly lowest: string;
  /** Exclusive: start of the next page; null for the last page. */
  readonly upper: string | null;
}

/** A page as read, with the version for a conditional write. */
export interface StoredPage extends PageRange {
  /** Increases with every write of the range, also when pages are split and merged. */
  readonly version: number;
  readonly counts: ItemCounts;
  /** Latest time at which an item of the page changed or was delisted; null for none. */
  readonly maxChangedAt: string | null;
  /** Sorted by ID. Decoded at the first access. */
  readonly items: readonly Item[];
}

/** Limits of pages and watchlists. */
export interface PageBounds {
  readonly itemsMax: number;
  /** Maximum bytes of a page's encoded items. A page with a single item may exceed it. */
  readonly bytesMax: number;
  /** Adjacent pages with at most this many items together are merged. */
  readonly mergeItemsMax: number;
  readonly listItemsMax: number;
}

export const pageBounds: PageBounds = {
  itemsMax: limits.pageItemsMax,
  bytesMax: limits.pageBytesMax,
  mergeItemsMax: limits.pageMergeItemsMax,
  listItemsMax: limits.watchlistItemsMax,
};

/** A page to be stored. */
export interface CutPage extends PageRange {
  readonly counts: ItemCounts;
  readonly maxChangedAt: string | null;
  readonly encoded: Uint8Array;
}

/** Cuts the sorted items of a range into the fewest pages of equal size within the bounds. */
export function cutPages(
  { lowest, upper }: PageRange,
  items: readonly Item[],
  bounds: Pick<PageBounds, "itemsMax" | "bytesMax">,
): CutPage[] {
  if (items.length <= bounds.itemsMax) {
    const encoded = encodeItems(items);
    if (encoded.byteLength <= bounds.bytesMax || items.length < 2) {
      const [counts, changedAt] = [countByState(items), maxChangedAt(items)];
      return [{ lowest, upper, counts, maxChangedAt: changedAt, encoded }];
    }
  }
  const parts = Math.max(2, Math.ceil(items.length / bounds.itemsMax));
  const size = Math.ceil(items.length / parts);
  const cut: CutPage[] = [];
  for (let start = 0; start < items.length; start += size) {
    const range = {
      lowest: start === 0 ? lowest : (items[start]?.id ?? lowest),
      upper: items[start + size]?.id ?? upper,
    };
    cut.push(...cutPages(range, items.slice(start, start + size), bounds));
  }
  return cut;
}

export function countByState(items: readonly Item[]): ItemCounts {
  const counts = { ...noItems };
  for (const item of items) counts[item.state] += 1;
  return counts;
}

export function addCounts(a: ItemCounts, b: ItemCounts): ItemCounts {
  return { new: a.new + b.new, active: a.active + b.active, delisted: a.delisted + b.delisted };
}

export const totalOf = (counts: ItemCounts): number => counts.new + counts.active + counts.delisted;

/** Latest time at which one of the items changed or was delisted; null for none. */
export function maxChangedAt(items: readonly Item[]): string | null {
  let latest: string | null = null;
  for (const item of items) {
    for (const at of [item.lastChange?.changedAt, item.delistedAt]) {
      if (at !== undefined && at !== null && (latest === null || at > latest)) latest = at;
    }
  }
  return latest;
}

/** Level 9 makes pages 2% smaller than the default for 1 ms per page. Higher levels take longer without gain. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

export const encodeItems = (items: readonly Item[]): Uint8Array =>
  zstdCompressSync(JSON.stringify(toColumns(items)), compression);

export const decodeItems = (bytes: Uint8Array): Item[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `encodeItems` made these bytes
  fromColumns(JSON.parse(zstdDecompressSync(bytes).toString("utf8")) as ItemColumns);

/** Compares IDs by code unit, which is the order of ASCII keys in DynamoDB. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
