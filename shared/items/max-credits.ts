import * as v from "valibot";
import { integerParam } from "../base/integer-param.ts";
import { addRefusedValue } from "../base/shown-value.ts";

const message = addRefusedValue(
  `'max_credits' must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, or null.`,
);
const description =
  "Maximum number of credits that this call may reserve. A call that would reserve more returns 402 " +
  "INVALID_PARAM, and nothing is read or charged.";

/** Schema of `max_credits` in the body of an item call. */
export const maxCreditsField = v.optional(
  v.nullable(
    v.pipe(
      v.number(message),
      v.integer(message),
      v.minValue(0, message),
      v.maxValue(Number.MAX_SAFE_INTEGER, message),
      v.description(`${description} Null: no maximum.`),
    ),
  ),
);

/** Schema of `max_credits` in the query of an item call. */
export const maxCreditsParam = v.optional(
  integerParam("max_credits", { min: 0, max: Number.MAX_SAFE_INTEGER, description }),
);

/** The parsed `max_credits` of an item call. */
export interface CreditCap {
  /** Maximum number of credits that the call may reserve; absent if the call has no cap. */
  readonly maxCredits?: number;
}

/**
 * Returns the credit cap that `max_credits` of a parsed body or query sets; an empty object if
 * `max_credits` is absent or null.
 */
export const creditCap = ({
  max_credits: maxCredits,
}: {
  readonly max_credits?: number | null | undefined;
}): CreditCap => (maxCredits == null ? {} : { maxCredits });
