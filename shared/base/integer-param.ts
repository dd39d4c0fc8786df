import * as v from "valibot";
import { shownValue } from "./shown-value.ts";

interface IntegerBounds {
  /** The least accepted value. */
  readonly min: number;
  /** The greatest accepted value. */
  readonly max: number;
}

/**
 * Schema of a query parameter that is an integer: decimal digits without a sign, a fraction or
 * leading zeros. The error message contains the refused value.
 */
export function integerParam(
  name: string,
  { min, max, description }: IntegerBounds & { readonly description: string },
): v.GenericSchema<string, number> {
  const refusal = (text: string): string =>
    `'${name}' must be an integer from ${min} to ${max} (got ${shownValue(text)}).`;
  const isAccepted = (text: string): boolean =>
    /^(?:0|[1-9]\d{0,15})$/.test(text) && Number(text) >= min && Number(text) <= max;
  return v.pipe(
    v.string(`'${name}' must be an integer from ${min} to ${max}.`),
    v.check(isAccepted, ({ input }) => refusal(input)),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
    v.description(description),
  );
}
