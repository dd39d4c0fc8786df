import { picklist } from "valibot";
import { didYouMean } from "./nearest.ts";
import { formatValue } from "./shown-value.ts";

/**
 * Returns the error message for a value outside a set: the valid values, the rejected value, and
 * the nearest valid value if there is one.
 * @param what the parameter and its context, such as `'tier' of retailer_a`
 */
export function invalidChoiceMessage(
  what: string,
  valid: readonly string[],
  value: unknown,
): string {
  const meant = typeof value === "string" ? didYouMean(value, valid) : "";
  const set = valid.length === 1 ? valid[0] : `one of ${valid.join(", ")}`;
  return `${what} must be ${set} (got ${formatValue(value)}).${meant}`;
}

/**
 * Creates the schema of a parameter with a set of valid values. The error message lists the valid
 * values.
 */
export const oneOf = <const Values extends readonly string[]>(param: string, values: Values) =>
  picklist(values, ({ input }) => invalidChoiceMessage(`'${param}'`, values, input));
