import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { limits } from "../base/limits.ts";
import type { Item } from "./item.ts";
import { type ItemCounts, noItems } from "./watchlist.ts";

/**
 * A sorted id range of a list's items, stored as one compressed row. The range starts at `lowest`
 * (inclusive) and ends where the next page starts.
 */
export interface Page {
  readonly lowest: string;
  /** In ascending id order. */
  readonly items: readonly Item[];
}

/** A page as read, with what a conditional write of it must name. */
export interface StoredPage extends Page {
  readonly version: number;
}

/** Cuts sorted items into pages of equal size, none over the page bound. */
export function paginate(items: readonly Item[]): Page[] {
  const pageCount = Math.max(1, Math.ceil(items.length / limits.pageItemsMax));
  const size = Math.ceil(items.length / pageCount);
  return Array.from({ length: pageCount }, (_, n) => {
    const part = items.slice(n * size, (n + 1) * size);
    // The first page takes in every id that sorts before the lowest known one.
    return { lowest: n === 0 ? "" : (part[0]?.id ?? ""), items: part };
  }).filter((page, n) => n === 0 || page.items.length > 0);
}

export function countItems(items: readonly Item[]): ItemCounts {
  const counts = { ...noItems };
  for (const item of items) counts[item.state] += 1;
  return counts;
}

export function addCounts(a: ItemCounts, b: ItemCounts): ItemCounts {
  return { new: a.new + b.new, active: a.active + b.active, delisted: a.delisted + b.delisted };
}

/** The latest time at which an item of the page changed or was delisted; null for none. */
export function maxChangedAt(items: readonly Item[]): string | null {
  let latest: string | null = null;
  for (const item of items) {
    for (const at of [item.lastChange?.changedAt, item.delistedAt]) {
      if (at !== undefined && at !== null && (latest === null || at > latest)) latest = at;
    }
  }
  return latest;
}

export function encodeItems(items: readonly Item[]): Uint8Array {
  return zstdCompressSync(JSON.stringify(items));
}

export function decodeItems(bytes: Uint8Array): Item[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `encodeItems` made these bytes
  return JSON.parse(zstdDecompressSync(bytes).toString("utf8")) as Item[];
}

/** Plain code-unit order: the order DynamoDB sorts ASCII keys in, so pages and items agree. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
