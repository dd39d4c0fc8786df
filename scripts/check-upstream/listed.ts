const shownMax = 3;

/**
 * Returns a value as a string: a string unchanged, an absent value as "", and any other value as
 * JSON.
 */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/**
 * Returns the first three violations in one text, followed by the number of further ones; null
 * if `troubles` is empty.
 */
export function joinTroubles(troubles: readonly string[]): string | null {
  const more = troubles.length - shownMax;
  if (troubles.length === 0) return null;
  return troubles.slice(0, shownMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
