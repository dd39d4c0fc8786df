/** Maximum length of a client's value in an error message. */
const shownLengthMax = 40;

/**
 * Formats a client's value for an error message: as JSON, cut after 40 characters with an ellipsis.
 * Returns `nothing` if the value is `undefined`.
 */
export const formatValue = (value: unknown): string => shorten(JSON.stringify(value) ?? "nothing");

/**
 * Shortens a string for an error message: cuts it after 40 characters and adds an ellipsis. Returns
 * a string of at most 40 characters unchanged.
 */
export const shorten = (text: string): string =>
  text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;

/**
 * Creates the message function of a schema: it adds the refused value to `message`, at the end of
 * the first sentence. `'once' must be true or false.` becomes `'once' must be true or false (got
 * 1).` Do not use it for values that may be secrets.
 */
export const addRefusedValue =
  (message: string) =>
  ({ input }: { readonly input: unknown }): string =>
    message.replace(/\.(?= |$)/, () => ` (got ${formatValue(input)}).`);

/**
 * Creates the message function of a schema: it adds the type of the refused value to `message`.
 * `must be a number` becomes `must be a number (got a string)`. It does not show the value, so it
 * is safe for secrets.
 */
export const addRefusedType =
  (message: string) =>
  ({ input }: { readonly input: unknown }): string =>
    message.replace(/\.?$/, (stop) => ` (got ${typeName(input)})${stop}`);

/** Returns the type of a value as the end of "got …". */
function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
