const shownMax = 3;

/** Returns a value as text: text unchanged, an absent value as "", and any other value as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/**
 * Returns the first few violations in one text, with the number of the others; null if there are
 * none.
 */
export function listed(troubles: readonly string[]): string | null {
  const more = troubles.length - shownMax;
  if (troubles.length === 0) return null;
  return troubles.slice(0, shownMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
