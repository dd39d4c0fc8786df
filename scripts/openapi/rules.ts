import type { JsonObject } from "../../tools/documents/json-schema.ts";

/**
 * Rules across the fields of an object. They are written with keywords that validators enforce and
 * that generators of clients pass over (`if`, `not`, `dependentSchemas`), so that a client's type
 * stays one object with its fields.
 */

/**
 * The field is sent, whatever its value. It is defined too, as linters want of a required field.
 */
export const sent = (field: string): JsonObject => ({
  properties: { [field]: {} },
  required: [field],
});

/** No field of these may be sent. */
export const forbidden = (...fields: readonly string[]): JsonObject => {
  const [first = ""] = fields;
  return { not: fields.length === 1 ? sent(first) : { anyOf: fields.map(sent) } };
};

/** One of the two is sent, and not both. */
export const exactlyOne = (field: string, other: string): JsonObject => ({
  if: sent(field),
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
  then: forbidden(other),
  else: sent(other),
});

/** `rules` where a field has one of the values, `otherwise` where it has another or is absent. */
export const where = (
  field: string,
  values: readonly unknown[],
  { rules, otherwise = {} }: { readonly rules: JsonObject; readonly otherwise?: JsonObject },
): JsonObject => ({
  if: {
    properties: { [field]: values.length === 1 ? { const: values[0] } : { enum: values } },
    required: [field],
  },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
  then: rules,
  ...(Object.keys(otherwise).length === 0 ? {} : { else: otherwise }),
});

/** The rules of the first case whose values a field has; those of the last for all others. */
export function byValue(
  field: string,
  cases: readonly { readonly values: readonly unknown[]; readonly rules: JsonObject }[],
): JsonObject {
  return cases.reduceRight<JsonObject>((otherwise, { values, rules }, at) => {
    const isLast = at === cases.length - 1;
    return isLast ? rules : where(field, values, { rules, otherwise });
  }, {});
}
