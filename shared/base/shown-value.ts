/** Maximum length of a client's value in an error message. */
const shownLengthMax = 40;

/**
 * Formats a client's value for an error message: as JSON, cut after 40 characters with an ellipsis.
 * Returns `nothing` for `undefined`.
 */
export const formatValue = (value: unknown): string => shorten(JSON.stringify(value) ?? "nothing");

/** Cuts a string for an error message after 40 characters, and adds an ellipsis. */
export const shorten = (text: string): string =>
  text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;

/**
 * Adds the refused value to a schema's error message, at the end of the first sentence: `'once' must
 * be true or false.` becomes `'once' must be true or false (got 1).` Not for values that may be
 * secrets.
 * @returns the message function to pass to the schema
 */
export const addRefusedValue =
  (message: string) =>
  ({ input }: { readonly input: unknown }): string =>
    message.replace(/\.(?= |$)/, () => ` (got ${formatValue(input)}).`);

/**
 * Adds the type of the refused value to a schema's error message: `must be a number` becomes `must be
 * a number (got a string)`. For values that may be secrets, because it does not show the value.
 * @returns the message function to pass to the schema
 */
export const addRefusedType =
  (message: string) =>
  ({ input }: { readonly input: unknown }): string =>
    message.replace(/\.?$/, (stop) => ` (got ${typeName(input)})${stop}`);

function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
