/** Names of retailers and of sources, as they might get into a field's name. */
const brands = /amazon|amzn|walmart|best_?buy|keepa|target|rainforest|oxylabs/i;

/** Every key in a value, however deep, each once. */
function keysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return [...new Set(Array.isArray(value) ? inner : [...Object.keys(value), ...inner])];
}

/** The keys in a value, however deep, that hold a brand. */
export const brandedKeysIn = (value: unknown): string[] =>
  keysIn(value).filter((key) => brands.test(key));
