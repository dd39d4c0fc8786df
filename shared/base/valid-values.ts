import { picklist } from "valibot";
import { didYouMean } from "./nearest.ts";
import { shownValue } from "./shown-value.ts";

/**
 * The message for a value that is none of a set: the set, what was sent, and the valid value that
 * was probably meant.
 * @param what the parameter with what it belongs to, such as `'tier' of retailer_a`
 */
export function invalidChoiceMessage(
  what: string,
  valid: readonly string[],
  value: unknown,
): string {
  const meant = typeof value === "string" ? didYouMean(value, valid) : "";
  const set = valid.length === 1 ? valid[0] : `one of ${valid.join(", ")}`;
  return `${what} must be ${set} (got ${shownValue(value)}).${meant}`;
}

/** The schema of a parameter that takes one of a set. */
export const oneOf = <const Values extends readonly string[]>(param: string, values: Values) =>
  picklist(values, ({ input }) => invalidChoiceMessage(`'${param}'`, values, input));
