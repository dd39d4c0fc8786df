import type { GenericSchema } from "valibot";
import * as v from "valibot";
import { destinationBodies, destinationUpdateBodies } from "./bodies/destination.ts";
import { pipelineBodies } from "./bodies/pipeline.ts";
import { offerCheckBodies, offersBodies, productsBodies } from "./bodies/products.ts";
import { newWatchlistBodies, watchlistBodies } from "./bodies/watchlists.ts";
import {
  componentSchemas,
  type JsonObject,
  type NamedSchemas,
} from "../../tools/documents/json-schema.ts";

/** A request body, or an object in one, that is a named component of the OpenAPI document. */
interface NamedBody {
  readonly schema: GenericSchema;
  /** Rules across its fields, in JSON Schema. */
  readonly rules: JsonObject;
}

const bodies: Readonly<Record<string, NamedBody>> = {
  ...productsBodies,
  ...offersBodies,
  ...offerCheckBodies,
  ...newWatchlistBodies,
  ...watchlistBodies,
  ...pipelineBodies,
  ...destinationBodies,
  ...destinationUpdateBodies,
};

/** The schemas of the named components, by name. */
export const namedBodies: NamedSchemas = Object.fromEntries(
  Object.entries(bodies).map(([name, { schema }]) => [name, schema]),
);

/** Returns the named bodies for `components.schemas`, each with the rules across its fields. */
export const bodyComponents = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    Object.entries(componentSchemas({ direction: "input", named: namedBodies })).map(
      ([name, schema]) => [name, { title: name, ...closedSchema(schema), ...bodies[name]?.rules }],
    ),
  );

/**
 * Returns a copy of a JSON Schema that forbids additional fields. Returns a schema without
 * `properties` unchanged.
 */
export const closedSchema = (schema: JsonObject): JsonObject =>
  "properties" in schema ? { ...schema, additionalProperties: false } : schema;

/** Returns a schema that accepts any one of several named objects. */
export const anyOf = (variants: Readonly<Record<string, NamedBody>>): GenericSchema =>
  v.union(Object.values(variants).map(({ schema }) => schema));
