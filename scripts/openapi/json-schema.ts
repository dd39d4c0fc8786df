import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Schemas that the document names once and refers to. */
export type NamedSchemas = Readonly<Record<string, v.GenericSchema>>;

interface Conversion {
  /** `input`: what a client sends; `output`: what it gets. */
  readonly direction: "input" | "output";
  readonly named: NamedSchemas;
}

/** A valibot schema in JSON Schema 2020-12, named schemas as references into the components. */
export function jsonSchema(schema: v.GenericSchema, { direction, named }: Conversion): JsonObject {
  const { properties } = converted(v.object({ schema }), { direction, named });
  return asObject(asObject(properties)["schema"]);
}

/** The named schemas themselves, for `components.schemas`. */
export function componentSchemas(named: NamedSchemas): Readonly<Record<string, JsonObject>> {
  const definitions = asObject(converted(v.object(named), { direction: "output", named })["$defs"]);
  return Object.fromEntries(
    Object.keys(named).map((name) => [name, asObject(definitions[name])] as const),
  );
}

function converted(schema: v.GenericSchema, { direction, named }: Conversion): JsonObject {
  const json = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode: direction,
    // What JSON Schema cannot say, such as a check across fields, stays with the service.
    errorMode: "ignore",
    definitions: { ...named },
    overrideSchema: ({ valibotSchema, jsonSchema: plain }) => adapted(valibotSchema, plain),
  });
  return tidied(json) as JsonObject;
}

interface Action {
  readonly kind?: string;
  readonly type?: string;
  readonly operation?: unknown;
  readonly requirement?: unknown;
  readonly metadata?: { readonly deprecated?: boolean };
}

/** Adds what the conversion leaves out: deprecation, and numbers that arrive as query text. */
function adapted(schema: v.GenericSchema, plain: object): object | null {
  const { pipe = [] } = schema as { readonly pipe?: readonly Action[] };
  if (pipe.some(({ type, operation }) => type === "transform" && operation === Number)) {
    return { ...described(plain), ...numberOf(pipe) };
  }
  return pipe.some(({ metadata }) => metadata?.deprecated === true)
    ? { ...plain, deprecated: true }
    : null;
}

const described = (plain: object): object => {
  const { description } = plain as { readonly description?: string };
  return description === undefined ? {} : { description };
};

function numberOf(pipe: readonly Action[]): JsonObject {
  const bound = (name: string): unknown => pipe.find(({ type }) => type === name)?.requirement;
  const text = pipe.find(({ type }) => type === "description") as
    | { readonly description?: string }
    | undefined;
  return {
    type: "integer",
    minimum: bound("min_value"),
    maximum: bound("max_value"),
    ...(text?.description === undefined ? {} : { description: text.description }),
  };
}

/** References into the components, defaults of their property's type, and nothing empty. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, inner]) => inner !== undefined && key !== "$schema" && key !== "propertyNames")
    .map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : tidied(inner),
    ]);
  const object: JsonObject = Object.fromEntries(entries);
  const { anyOf } = object;
  // A choice that anything fits is no choice.
  if (Array.isArray(anyOf) && anyOf.some((one) => Object.keys(asObject(one)).length === 0)) {
    const { anyOf: _anyOf, ...rest } = object;
    return rest;
  }
  return object["type"] === "integer" && typeof object["default"] === "string"
    ? { ...object, default: Number(object["default"]) }
    : object;
}

export const asObject = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};
