import * as v from "valibot";
import { formatValue } from "./shown-value.ts";

interface IntegerBounds {
  /** Minimum accepted value. */
  readonly min: number;
  /** Maximum accepted value. */
  readonly max: number;
}

/**
 * Creates the schema that parses a query parameter to an integer from `min` to `max`. Accepts
 * decimal digits only: no sign, fraction or leading zeros. The error message contains the rejected
 * value.
 */
export function integerParam(
  name: string,
  { min, max, description }: IntegerBounds & { readonly description: string },
): v.GenericSchema<string, number> {
  const refusal = (value: unknown): string =>
    `'${name}' must be an integer from ${min} to ${max} (got ${formatValue(value)}).`;
  const isAccepted = (text: string): boolean =>
    /^(?:0|[1-9]\d{0,15})$/.test(text) && Number(text) >= min && Number(text) <= max;
  return v.pipe(
    v.string(({ input }) => refusal(input)),
    v.check(isAccepted, ({ input }) => refusal(input)),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
    v.description(description),
  );
}
