import * as v from "valibot";
import { integerParam } from "./integer-param.ts";

/**
 * Creates the schema of a query parameter such as `limit`: the maximum number of entries to return,
 * from 1 to `bounds.max`. The parsed value is `bounds.default` if the parameter is absent.
 */
export function limitParam(
  bounds: { readonly default: number; readonly max: number },
  name = "limit",
): v.GenericSchema<string | undefined, number> {
  const description = "Maximum number of entries to return.";
  return v.optional(
    integerParam(name, { min: 1, max: bounds.max, description }),
    String(bounds.default),
  );
}
