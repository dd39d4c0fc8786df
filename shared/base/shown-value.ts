/** As much of a client's value as a message repeats. */
const shownLengthMax = 40;

/** A client's value as a message repeats it: as JSON, cut with an ellipsis. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
