import * as v from "valibot";
import { integerParam } from "./integer-param.ts";

/** A query parameter such as `limit`: how many entries to return, an integer from 1 to a bound. */
export function limitParam(
  bounds: { readonly default: number; readonly max: number },
  name = "limit",
): v.GenericSchema<string | undefined, number> {
  const description = "The most entries to return.";
  return v.optional(
    integerParam(name, { min: 1, max: bounds.max, description }),
    String(bounds.default),
  );
}
