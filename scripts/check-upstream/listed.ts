const shownMax = 3;

/** What a server sent, as a text: a text as it is, the rest as JSON; "" where nothing stands. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** The first few troubles, for a line of the report; null when there are none. */
export function listed(troubles: readonly string[]): string | null {
  const more = troubles.length - shownMax;
  if (troubles.length === 0) return null;
  return troubles.slice(0, shownMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
