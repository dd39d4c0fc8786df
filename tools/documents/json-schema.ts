import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";

/** A JSON object, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Schemas that the document defines once and references by name. */
export type NamedSchemas = Readonly<Record<string, v.GenericSchema>>;

interface Conversion {
  /**
   * `input` converts the form that a client sends in a body. `output` converts the form that a
   * client receives, and the parsed value of a query parameter.
   */
  readonly direction: "input" | "output";
  readonly named: NamedSchemas;
}

const componentPath = "#/components/schemas/";

/**
 * Converts a Valibot schema to JSON Schema 2020-12. Leaves out rules that JSON Schema cannot
 * express.
 * @param conversion `direction` is `input` for what a client sends and `output` for what it
 * receives. The schemas in `named` become references to components.
 */
export function jsonSchema(schema: v.GenericSchema, conversion: Conversion): JsonObject {
  const { properties } = convert(v.object({ schema }), conversion);
  return asObject(asObject(properties)["schema"]);
}

/** Converts the named schemas to JSON Schema. Returns them by name, for `components.schemas`. */
export function componentSchemas({
  direction,
  named,
}: Conversion): Readonly<Record<string, JsonObject>> {
  const definitions = asObject(convert(v.object(named), { direction, named })["$defs"]);
  return Object.fromEntries(
    Object.keys(named).map((name) => [name, asObject(definitions[name])] as const),
  );
}

function convert(schema: v.GenericSchema, { direction, named }: Conversion): JsonObject {
  const json = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode: direction,
    // Rules that JSON Schema cannot express, such as a check across fields, are left out.
    errorMode: "ignore",
    definitions: { ...named },
    // A discriminator belongs to OpenAPI and references components. Plain JSON Schema has none.
    overrideSchema: ({ valibotSchema, jsonSchema: plain }) =>
      Object.keys(named).length === 0 ? null : withDiscriminator(valibotSchema, plain),
  });
  return tidy(json) as JsonObject;
}

interface Variant {
  readonly type: string;
  readonly key?: string;
  readonly options?: readonly VariantOption[];
}

interface VariantOption {
  readonly entries: Readonly<
    Record<string, { readonly literal?: string; readonly options?: readonly string[] }>
  >;
}

/**
 * Returns the JSON schema `plain` with a discriminator if the valibot schema is a `variant`; null
 * for any other schema.
 * @throws Error if an option of the variant has no component name
 */
function withDiscriminator(schema: unknown, plain: object): object | null {
  const { type, key: propertyName = "", options = [] } = schema as Variant;
  if (type !== "variant") return null;
  const { oneOf = [] } = plain as { readonly oneOf?: readonly { readonly $ref?: string }[] };
  const mapping = options.flatMap(({ entries }, at) => {
    const { literal, options: values = [] } = entries[propertyName] ?? {};
    const reference = oneOf[at]?.$ref;
    if (reference === undefined) {
      throw new Error(
        `Option ${at + 1} of the variant schema with the key '${propertyName}' has no component name. Add a name for it to scripts/openapi/named-schemas.ts.`,
      );
    }
    return (literal === undefined ? values : [literal]).map((value) => [
      value,
      componentRef(reference),
    ]);
  });
  return { ...plain, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}

const componentRef = (reference: string): string => reference.replace("#/$defs/", componentPath);

/**
 * Rewrites references to components, gives defaults the type of their property, and removes empty
 * keywords.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, inner]) => inner !== undefined && key !== "$schema" && key !== "propertyNames")
    .map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string" ? componentRef(inner) : tidy(inner),
    ]);
  const object: JsonObject = Object.fromEntries(entries);
  const { anyOf } = object;
  // Removes an `anyOf` if one of its options accepts any value, because such an `anyOf` has no
  // effect.
  if (Array.isArray(anyOf) && anyOf.some((one) => Object.keys(asObject(one)).length === 0)) {
    const { anyOf: _anyOf, ...rest } = object;
    return rest;
  }
  return object["type"] === "integer" && typeof object["default"] === "string"
    ? { ...object, default: Number(object["default"]) }
    : object;
}

/** Returns the value if it is an object, otherwise an empty object. */
export const asObject = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};
