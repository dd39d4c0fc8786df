const shownMax = 3;

/** Returns a value as text: a string unchanged, anything else as JSON, "" for an absent value. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Returns the first violations for the report; null if there are none. */
export function listed(troubles: readonly string[]): string | null {
  const more = troubles.length - shownMax;
  if (troubles.length === 0) return null;
  return troubles.slice(0, shownMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
