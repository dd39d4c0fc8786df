/**
 * Schemas of values that a source sends. A value of the wrong type becomes undefined, and its item
 * stays valid.
 */
import * as v from "valibot";

/** The maximum length of a text, in characters. Longer texts are truncated. */
const textLengthMax = 1_000;
/** The highest accepted price, in units of its currency. */
export const amountMax = 1_000_000_000;

const decimal = /^\d{1,10}(\.\d{1,10})?$/;

/** Creates a tolerant form of `schema`, which parses an absent or invalid value as undefined. */
export const lenient = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.fallback(v.optional(schema), undefined);

/**
 * Creates the schema of an array. It drops the entries that `entry` rejects. A value that is not an
 * array is invalid.
 */
export const validEntries = <Schema extends v.GenericSchema>(entry: Schema) =>
  v.pipe(
    v.array(v.unknown()),
    v.transform((list) =>
      list.flatMap((one) => {
        const parsed = v.safeParse(entry, one);
        return parsed.success ? [parsed.output] : [];
      }),
    ),
  );

/** A number, or a string that contains a number. */
export const decimalNumber = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.trim(), v.decimal(), v.transform(Number))]),
  v.finite(),
);

/**
 * Schema of a text, which is trimmed and truncated to `textLengthMax` characters. An empty text or
 * any other value becomes undefined.
 */
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

/**
 * Schema of an amount of money: a number or numeric string from 0 to `amountMax`, rounded to the
 * cent. Any other value becomes undefined.
 */
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

/**
 * Schema of a price: an amount of money (see `foreignAmount`), but 0 also becomes undefined,
 * because sources send 0 for an unknown price.
 */
export const foreignPrice = v.pipe(
  foreignAmount,
  v.transform((amount) => (amount === 0 ? undefined : amount)),
);

/** A non-negative integer, from a number or a numeric string; undefined for any other value. */
export const foreignCount = v.fallback(
  v.optional(v.pipe(number, v.safeInteger(), v.minValue(0))),
  undefined,
);

/**
 * Schema of a boolean, or of the text "true" or "false", which becomes a boolean. Any other value
 * becomes undefined.
 */
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

/** The HTTP or HTTPS address of a page or picture, at most 2,000 characters. */
export const foreignUrl = v.fallback(
  v.optional(v.pipe(v.string(), v.trim(), v.maxLength(2_000), v.regex(/^https?:\/\//i), v.url())),
  undefined,
);
