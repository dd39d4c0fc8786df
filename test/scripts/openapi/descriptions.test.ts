import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../../scripts/openapi/document.ts";
import { fieldDescriptions } from "../../../scripts/openapi/field-descriptions.ts";
import { asObject, type JsonObject } from "../../../tools/documents/json-schema.ts";

const document = asObject(JSON.parse(JSON.stringify(openApiDocument())));
const { paths, webhooks, components, tags } = document;
const { schemas, responses, headers, securitySchemes } = asObject(components);

const children = (value: unknown): readonly (readonly [string, JsonObject])[] =>
  Object.entries(asObject(value)).map(([name, child]) => [name, asObject(child)]);

interface Described {
  readonly where: string;
  readonly description: unknown;
}

interface Field extends Described {
  readonly name: string;
  /**
   * The name of the field whose object has this field. If there is no such field, the name of the
   * component, or the ID of the operation.
   */
  readonly owner: string;
}

/**
 * Keywords whose values need no descriptions: they only constrain fields that other schemas
 * describe, or are examples.
 */
const constraints = /^(if|then|else|not|dependentSchemas|examples?)$/;

/**
 * Returns the fields of all objects in a part of the document, at any depth. `where` names the
 * part, and `owner` is the `owner` of the fields of its outermost objects.
 */
function fieldsIn(part: unknown, where: string, owner: string): readonly Field[] {
  if (typeof part !== "object" || part === null) return [];
  const operation = asObject(part)["operationId"];
  const ownOwner = typeof operation === "string" ? operation : owner;
  return children(part).flatMap(([key, child]) => {
    if (constraints.test(key)) return [];
    if (key !== "properties") return fieldsIn(child, `${where}/${key}`, ownOwner);
    return children(child).flatMap(([name, field]) => {
      const place = `${where}.${name}`;
      const own = { where: place, description: field["description"], name, owner: ownOwner };
      return [own].concat(fieldsIn(field, place, name));
    });
  });
}

const fields = [
  ...children(schemas).flatMap(([name, schema]) => fieldsIn(schema, name, name)),
  ...fieldsIn(paths, "", ""),
  ...fieldsIn(webhooks, "", ""),
];

const named = (kind: string, value: unknown): readonly Described[] =>
  children(value).map(([name, { description }]) => ({ where: `${kind} ${name}`, description }));

const operations = [...children(paths), ...children(webhooks)].flatMap(([path, methods]) =>
  children(methods).map(([method, operation]) => ({ where: `${method} ${path}`, operation })),
);
const parameters = operations.flatMap(({ where, operation }) =>
  children(operation["parameters"]).map(([, { name, description }]) => ({
    where: `${where} ${String(name)}`,
    description,
  })),
);
/**
 * The responses of all operations, without references, because `responses` has the descriptions of
 * the referenced components.
 */
const answers = operations.flatMap(({ where, operation }) =>
  children(operation["responses"])
    .filter(([, answer]) => !("$ref" in answer))
    .map(([status, { description }]) => ({ where: `${where} ${status}`, description })),
);

describe("the descriptions in the OpenAPI document", () => {
  it.each([
    ["field", fields],
    ["schema", named("schema", schemas)],
    [
      "operation and webhook",
      operations.map(({ where, operation: { description } }) => ({ where, description })),
    ],
    ["parameter", parameters],
    ["answer", [...answers, ...named("response", responses)]],
    ["header", named("header", headers)],
    ["tag and security scheme", [...named("tag", tags), ...named("scheme", securitySchemes)]],
  ] as const)("exist for every element of the kind '%s'", (_kind, described) => {
    expect(described.length).toBeGreaterThan(3);
    const without = described.filter(
      ({ description }) => typeof description !== "string" || !/^.{6,}[.`]$/s.test(description),
    );
    expect(without).toEqual([]);
  });

  it("include no unused descriptions of fields", () => {
    const used = new Set(
      fields.flatMap(({ owner, name, description }) =>
        [`${owner}.${name}`, name].filter((key) => fieldDescriptions[key] === description),
      ),
    );
    expect(Object.keys(fieldDescriptions).filter((key) => !used.has(key))).toEqual([]);
  });

  it("are shared between schemas only if at least two schemas have the field", () => {
    const ambiguous = Object.keys(fieldDescriptions).filter((key) => {
      const ofName = fields.filter(({ name }) => name === key);
      const owners = new Set(ofName.map(({ owner }) => owner));
      const texts = new Set(ofName.map(({ description }) => description));
      return !key.includes(".") && (owners.size < 2 || texts.size > 1);
    });
    expect(ambiguous).toEqual([]);
  });
});
