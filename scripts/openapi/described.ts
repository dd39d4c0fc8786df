import { asObject, type JsonObject } from "../../tools/documents/json-schema.ts";
import { fieldDescriptions } from "./field-descriptions.ts";
import { schemaDescriptions } from "./schema-descriptions.ts";

/**
 * Keywords whose content gets no descriptions: examples, and schemas that only constrain fields
 * described elsewhere.
 */
const constraints = new Set([
  "if",
  "then",
  "else",
  "not",
  "dependentSchemas",
  "example",
  "examples",
  "x-codeSamples",
]);

/**
 * Returns a copy of an OpenAPI document with descriptions of its schemas under `components` and of
 * all fields. The descriptions come from `schemaDescriptions` and `fieldDescriptions`. A schema or
 * field that has a description keeps it. A field with a constant string gets the description
 * "Always ...".
 */
export function addDescriptions(document: JsonObject): JsonObject {
  const { components: parts, ...rest } = document;
  const { schemas, ...others } = asObject(parts);
  return {
    ...asObject(describedPart(rest, "")),
    components: {
      ...asObject(describedPart(others, "")),
      schemas: Object.fromEntries(
        Object.entries(asObject(schemas)).map(([name, schema]) => [
          name,
          withDescription(asObject(describedPart(schema, name)), schemaDescriptions[name]),
        ]),
      ),
    },
  };
}

/**
 * Returns a part of the document, with a description added to each field in it.
 * @param owner the name of the field that contains the part; without such a field, the name of the
 * component or operation that contains the part
 */
function describedPart(part: unknown, owner: string): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => describedPart(one, owner));
  if (typeof part !== "object" || part === null) return part;
  const { operationId } = asObject(part);
  if (typeof operationId === "string" && operationId !== owner) {
    return describedPart(part, operationId);
  }
  return Object.fromEntries(
    Object.entries(part).map(([key, value]: [string, unknown]) => {
      if (constraints.has(key)) return [key, value];
      return [
        key,
        key === "properties"
          ? describedFields(asObject(value), owner)
          : describedPart(value, owner),
      ];
    }),
  );
}

const describedFields = (properties: JsonObject, owner: string): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      describedField(asObject(describedPart(schema, name)), name, owner),
    ]),
  );

function describedField(schema: JsonObject, name: string, owner: string): JsonObject {
  const lifted = liftedDescription(schema);
  if (typeof lifted["const"] === "string") {
    return withDescription(lifted, `Always \`${lifted["const"]}\`.`);
  }
  return withDescription(lifted, fieldDescriptions[`${owner}.${name}`] ?? fieldDescriptions[name]);
}

/**
 * Moves the description of a nullable value to its field, where clients and renderers look for it.
 */
function liftedDescription(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || "description" in schema) return schema;
  const options = anyOf.map(asObject);
  const first = options.find(({ type }) => type !== "null");
  if (first === undefined || options.length !== 2 || !("description" in first)) return schema;
  const { description, ...plain } = first;
  return { ...schema, anyOf: options.map((one) => (one === first ? plain : one)), description };
}

const withDescription = (schema: JsonObject, description: string | undefined): JsonObject =>
  description === undefined || "description" in schema ? schema : { ...schema, description };
