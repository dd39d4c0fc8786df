const shownMax = 3;

/**
 * Returns a value as text: a string unchanged, an absent value as an empty string, and any other
 * value as JSON.
 */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/**
 * Joins the first three violations into one text, and adds the number of further violations.
 * Returns null if there are no violations.
 */
export function joinTroubles(troubles: readonly string[]): string | null {
  const more = troubles.length - shownMax;
  if (troubles.length === 0) return null;
  return troubles.slice(0, shownMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
