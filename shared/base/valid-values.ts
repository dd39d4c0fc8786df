import { picklist } from "valibot";
import { nearest } from "./nearest.ts";

/** As much of a client's value as a message repeats. */
const shownLengthMax = 40;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
};

/**
 * The message for a value that is none of a set: the set, what was sent, and the valid value that
 * was probably meant.
 * @param what the parameter with what it belongs to, such as `'tier' of retailer_a`
 */
export function notOneOf(what: string, valid: readonly string[], value: unknown): string {
  const meant = typeof value === "string" ? nearest(value, valid) : undefined;
  return (
    `${what} must be one of ${valid.join(", ")} (got ${shown(value)}).` +
    (meant === undefined ? "" : ` Did you mean '${meant}'?`)
  );
}

/** The schema of a parameter that takes one of a set. */
export const oneOf = <const Values extends readonly string[]>(param: string, values: Values) =>
  picklist(values, ({ input }) => notOneOf(`'${param}'`, values, input));
