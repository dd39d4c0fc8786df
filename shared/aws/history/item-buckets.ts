/**
 * Number of buckets (groups of items by the hash of their ID) over which the items of a watchlist
 * are spread.
 */
export const buckets = 512;

/**
 * Returns the number of the bucket (hash group of item IDs) to which an item belongs, from 0 to
 * `buckets` - 1. The number is derived from the FNV-1a hash of the item's ID. Stored keys contain
 * the number, so the calculation must never change.
 */
export function bucketOf(itemId: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let n = 0; n < itemId.length; n += 1) {
    hash = Math.imul(hash ^ itemId.charCodeAt(n), 0x01_00_01_93) >>> 0;
  }
  // A short ID hardly affects the low bits of FNV-1a, so the high bits are mixed into them.
  return (((hash >>> 16) ^ hash) >>> 0) % buckets;
}
