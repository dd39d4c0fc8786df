/** Names of retailers and data vendors, which no field name may contain. */
const brands = /amazon|amzn|walmart|best_?buy|keepa|target|rainforest|oxylabs/i;

/** Returns every object key at any depth of a value, without repetition. */
function keysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return [...new Set(Array.isArray(value) ? inner : [...Object.keys(value), ...inner])];
}

/** Returns the keys at any depth of a value that contain a brand name; empty if there are none. */
export const brandedKeysIn = (value: unknown): string[] =>
  keysIn(value).filter((key) => brands.test(key));
