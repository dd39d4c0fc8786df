/** Number of buckets over which the items of a watchlist are spread. */
export const buckets = 512;

/** Number of the bucket of an item: FNV-1a of its ID. Stored keys contain it, so it never changes. */
export function bucketOf(itemId: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let n = 0; n < itemId.length; n += 1) {
    hash = Math.imul(hash ^ itemId.charCodeAt(n), 0x01_00_01_93) >>> 0;
  }
  // The low bits of FNV-1a depend on few characters.
  return (((hash >>> 16) ^ hash) >>> 0) % buckets;
}
