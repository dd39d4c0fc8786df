/** Maximum length of a client's value in an error message. */
const shownLengthMax = 40;

/** Formats a client's value for an error message: as JSON, cut with an ellipsis. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
