/** Maximum length of a client's value in an error message. */
const shownLengthMax = 40;

/**
 * Formats a client's value for an error message: as JSON, cut after 40 characters with an ellipsis.
 * Returns `nothing` for `undefined`.
 */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
