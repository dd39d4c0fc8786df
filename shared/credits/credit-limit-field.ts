import * as v from "valibot";
import { addRefusedValue } from "../base/shown-value.ts";

/**
 * Creates the schema of a credit limit in request bodies: a number of credits, or null to remove
 * the limit.
 */
export const creditLimitField = (name: string, description: string) => {
  const message = addRefusedValue(
    `'${name}' must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, or null.`,
  );
  return v.optional(
    v.nullable(
      v.pipe(
        v.number(message),
        v.integer(message),
        v.minValue(1, message),
        v.maxValue(Number.MAX_SAFE_INTEGER, message),
        v.description(description),
      ),
    ),
  );
};
