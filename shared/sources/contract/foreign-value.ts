/**
 * Schemas for values that a source sends. A value of the wrong type becomes undefined and does not
 * invalidate its item.
 */
import * as v from "valibot";

/** Longer texts are cut. */
const textLengthMax = 1_000;
/** Upper bound of a price in any currency. */
const amountMax = 1_000_000_000;

const decimal = /^\d{1,10}(\.\d{1,10})?$/;

export const foreignText = v.fallback(
  v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.trim().slice(0, textLengthMax)),
      v.minLength(1),
    ),
  ),
  undefined,
);

const number = v.union([
  v.number(),
  v.pipe(v.string(), v.trim(), v.regex(decimal), v.transform(Number)),
]);

/** An amount of money: a number or numeric string, finite and not negative, rounded to the cent. */
export const foreignAmount = v.fallback(
  v.optional(
    v.pipe(
      number,
      v.finite(),
      v.minValue(0),
      v.maxValue(amountMax),
      v.transform((amount) => Math.round(amount * 100) / 100),
    ),
  ),
  undefined,
);

/** A price. Sources send 0 for an unknown price, so 0 becomes undefined. */
export const foreignPrice = v.pipe(
  foreignAmount,
  v.transform((amount) => (amount === 0 ? undefined : amount)),
);

export const foreignCount = v.fallback(
  v.optional(v.pipe(number, v.safeInteger(), v.minValue(0))),
  undefined,
);

export const foreignFlag = v.fallback(
  v.optional(
    v.union([
      v.boolean(),
      v.pipe(
        v.picklist(["true", "false"]),
        v.transform((text) => text === "true"),
      ),
    ]),
  ),
  undefined,
);

/** The address of a page or picture. */
export const foreignUrl = v.fallback(
  v.optional(v.pipe(v.string(), v.trim(), v.maxLength(2_000), v.regex(/^https?:\/\//i), v.url())),
  undefined,
);
