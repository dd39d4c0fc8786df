import * as v from "valibot";

/** A query parameter such as `limit`: how many entries, a whole number from 1 to a bound. */
export function limitParam(
  bounds: { readonly default: number; readonly max: number },
  name = "limit",
): v.GenericSchema<string | undefined, number> {
  const message = `'${name}' is a whole number from 1 to ${bounds.max}.`;
  return v.optional(
    v.pipe(
      v.string(message),
      v.regex(/^\d{1,6}$/, message),
      v.transform(Number),
      v.minValue(1, message),
      v.maxValue(bounds.max, message),
      v.description("At most so many entries."),
    ),
    String(bounds.default),
  );
}
