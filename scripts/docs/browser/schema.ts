import { type ApiSchema, refName } from "./document.ts";
import { element, inline } from "./element.ts";

type Schemas = Readonly<Record<string, ApiSchema>>;

/** How deep objects inside objects are shown. */
const depthMax = 5;

/** The properties of a schema as a list, objects inside as lists inside, unions one after the other. */
export function schemaList(schema: ApiSchema, schemas: Schemas, depth = 0): HTMLElement {
  const objects = depth > depthMax ? [] : objectsOf(schema, schemas);
  const [first] = objects;
  if (objects.length > 1) {
    return element(
      "ul",
      {},
      ...objects.map((one) =>
        element(
          "li",
          {},
          element("b", {}, one.title ?? "One of"),
          propertyList(one, schemas, depth),
        ),
      ),
    );
  }
  return first === undefined ? element("ul") : propertyList(first, schemas, depth);
}

function propertyList(
  { properties = {}, required = [] }: ApiSchema,
  schemas: Schemas,
  depth: number,
): HTMLElement {
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

/** The objects that a schema is, names, holds, lists or chooses from. */
function objectsOf(schema: ApiSchema, schemas: Schemas): readonly ApiSchema[] {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    const found = objectsOf(schemas[name] ?? {}, schemas);
    return found.length === 1 ? found.map((one) => ({ title: name, ...one })) : found;
  }
  if (schema.items !== undefined) return objectsOf(schema.items, schemas);
  if (typeof schema.additionalProperties === "object") {
    return objectsOf(schema.additionalProperties, schemas);
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((one) => objectsOf(one, schemas));
  return schema.properties === undefined ? [] : [schema];
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
    ["entries at least", schema.minItems],
    ["entries at most", schema.maxItems],
  ] as const;
  return [
    ...bounds.flatMap(([label, bound]) => (bound === undefined ? [] : [`${label} ${bound}`])),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}
