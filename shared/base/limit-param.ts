import * as v from "valibot";

/** A `limit` query parameter: a whole number within the bounds of its listing. */
export function limitParam(bounds: {
  readonly default: number;
  readonly max: number;
}): v.GenericSchema<string | undefined, number> {
  const message = `'limit' is a whole number from 1 to ${bounds.max}.`;
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
