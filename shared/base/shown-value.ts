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

/**
 * Returns the message of a schema with the value that it refuses at the end of the first sentence:
 * `'once' must be true or false.` becomes `'once' must be true or false (got 1).` Not for values
 * that may be secrets.
 */
export const withRefused =
  (message: string) =>
  ({ input }: { readonly input: unknown }): string =>
    message.replace(/\.(?= |$)/, () => ` (got ${shownValue(input)}).`);
