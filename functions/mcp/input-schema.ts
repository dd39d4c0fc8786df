import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { pipelineBody } from "../../shared/pipelines/pipeline-body.ts";
import type { JsonObject, Tool } from "./tool.ts";

/** The JSON Schema of a tool's arguments, as MCP requires it. */
export interface InputSchema {
  readonly [keyword: string]: unknown;
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

const schemas = new WeakMap<Tool, InputSchema>();

/**
 * Returns the JSON Schema of a tool's arguments, without deprecated names. The schema is derived
 * from the schemas with which the route checks the same values.
 */
export function inputSchema(tool: Tool): InputSchema {
  const known = schemas.get(tool);
  if (known !== undefined) return known;
  const schema = newInputSchema(tool);
  schemas.set(tool, schema);
  return schema;
}

/** Derives the JSON Schema of a tool's arguments from its route, its path arguments and its cap. */
function newInputSchema(tool: Tool): InputSchema {
  const { path = {}, cap, body, required = [] } = tool;
  const capSchema = cap === undefined ? {} : { [cap.name]: cap.schema };
  const inPath = Object.entries(path).map(
    ([name, { description }]) => [name, { type: "string", description }] as const,
  );
  const { properties, required: needed } =
    body === undefined ? fieldsOf(tool) : { properties: {}, required: [] };
  return {
    type: "object",
    properties: { ...Object.fromEntries(inPath), ...properties, ...capSchema },
    required: [
      ...new Set([...Object.keys(path), ...needed, ...required, ...(cap ? [cap.name] : [])]),
    ],
    additionalProperties: false,
  };
}

interface Fields {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/** Returns the fields of the route's body and query. */
function fieldsOf({ route, showsPipeline = false }: Tool): Fields {
  const { body, query } = route;
  const parts = [converted(body, "input", showsPipeline), converted(query, "output", false)];
  const properties = Object.fromEntries(
    parts
      .flatMap((part) => Object.entries(part.properties))
      .filter(([, schema]) => schema["deprecated"] !== true),
  );
  return { properties, required: parts.flatMap((part) => part.required) };
}

const pipelineText = v.pipe(
  v.unknown(),
  v.description("Steps and routes: see `pipeline` of back_test. Default: the platform's pipeline."),
);

/**
 * Converts the schema of a body or a query to JSON Schema. Leaves out rules that JSON Schema cannot
 * express, which the route still checks.
 * @param typeMode `input` for the values of a body; `output` for the parsed values of a query, in
 * which all values are strings
 */
function converted(
  schema: v.GenericSchema | undefined,
  typeMode: "input" | "output",
  showsPipeline: boolean,
): Fields {
  if (schema === undefined || !("entries" in schema)) return { properties: {}, required: [] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object schema has a schema for each entry
  const entries = schema.entries as v.ObjectEntries;
  const pipeline = v.nullish(showsPipeline ? pipelineBody : pipelineText);
  const described = "pipeline" in entries ? { ...entries, pipeline } : entries;
  const { properties = {}, required = [] } = toJsonSchema(v.object(described), {
    target: "draft-2020-12",
    typeMode,
    errorMode: "ignore",
  });
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, withNumericDefault(property)]),
    ),
    required,
  };
}

/**
 * Converts the default of an integer parameter of a query from a string to a number. The values of
 * a query are strings.
 */
function withNumericDefault(property: unknown): JsonObject {
  const schema: JsonObject = typeof property === "object" ? { ...property } : {};
  const { type, default: preset } = schema;
  return type === "integer" && typeof preset === "string"
    ? { ...schema, default: Number(preset) }
    : schema;
}
