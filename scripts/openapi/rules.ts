import type { JsonObject } from "../../tools/documents/json-schema.ts";

/**
 * Rules about several fields of an object. They use only keywords that validators enforce and
 * client generators ignore (`if`, `not`, `dependentSchemas`), so that generators create one type
 * with all fields.
 */

/**
 * Returns a JSON Schema that requires a field, with any value. It also defines the field, because
 * linters demand a definition of each required field.
 */
export const requireField = (field: string): JsonObject => ({
  properties: { [field]: {} },
  required: [field],
});

/** Returns a JSON Schema that forbids each of the fields. */
export const forbidFields = (...fields: readonly string[]): JsonObject => {
  const [first = ""] = fields;
  return { not: fields.length === 1 ? requireField(first) : { anyOf: fields.map(requireField) } };
};

/** Returns a JSON Schema that requires exactly one of two fields. */
export const exactlyOne = (field: string, other: string): JsonObject => ({
  if: requireField(field),
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
  then: forbidFields(other),
  else: requireField(other),
});

/**
 * Returns a JSON Schema that applies `rules` if a field has one of the values, and `otherwise` if it
 * has another value or is absent.
 */
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

/**
 * Returns a schema that applies the rules of the first case that contains the field's value. If the
 * field is absent or has any other value, the schema applies the rules of the last case.
 */
export function byValue(
  field: string,
  cases: readonly { readonly values: readonly unknown[]; readonly rules: JsonObject }[],
): JsonObject {
  return cases.reduceRight<JsonObject>((otherwise, { values, rules }, at) => {
    const isLast = at === cases.length - 1;
    return isLast ? rules : where(field, values, { rules, otherwise });
  }, {});
}
