import { type ApiSchema, refName } from "./document.ts";
import { element, inline } from "./element.ts";

type Schemas = Readonly<Record<string, ApiSchema>>;

/** How deep objects inside objects are shown. */
const depthMax = 5;

/** The properties of a schema as a list, objects inside as lists inside. */
export function schemaList(schema: ApiSchema, schemas: Schemas, depth = 0): HTMLElement {
  const { properties, required = [] } = objectOf(schema, schemas);
  if (properties === undefined || depth > depthMax) return element("ul");
  return element(
    "ul",
    {},
    ...Object.entries(properties).map(([name, property]) => {
      const facts = [
        typeText(property),
        ...(required.includes(name) ? [] : ["optional"]),
        ...boundsOf(property),
      ].join(", ");
      return element(
        "li",
        {},
        element("code", property.deprecated === true ? { class: "deprecated" } : {}, name),
        ` ${facts}. `,
        ...inline(descriptionOf(property)),
        schemaList(property, schemas, depth + 1),
      );
    }),
  );
}

const descriptionOf = ({ description, anyOf = [] }: ApiSchema): string =>
  description ?? anyOf.find((one) => one.description !== undefined)?.description ?? "";

/** The object that a schema is, names, holds or lists. */
function objectOf(schema: ApiSchema, schemas: Schemas): ApiSchema {
  if (schema.$ref !== undefined) return objectOf(schemas[refName(schema.$ref)] ?? {}, schemas);
  if (schema.items !== undefined) return objectOf(schema.items, schemas);
  if (typeof schema.additionalProperties === "object") {
    return objectOf(schema.additionalProperties, schemas);
  }
  const inner = (schema.anyOf ?? schema.oneOf ?? [])
    .map((one) => objectOf(one, schemas))
    .find((one) => one.properties !== undefined);
  return inner ?? schema;
}

function typeText(schema: ApiSchema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((one) => typeText(one)).join(" | ");
  if (schema.items !== undefined) return `array of ${typeText(schema.items)}`;
  if (typeof schema.additionalProperties === "object") {
    return `map to ${typeText(schema.additionalProperties)}`;
  }
  return schema.format ?? schema.type ?? "any";
}

function boundsOf(schema: ApiSchema): string[] {
  const bounds = [
    ["at least", schema.minimum],
    ["at most", schema.maximum],
    ["characters at least", schema.minLength],
    ["characters at most", schema.maxLength],
  ] as const;
  return [
    ...bounds.flatMap(([label, bound]) => (bound === undefined ? [] : [`${label} ${bound}`])),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}
