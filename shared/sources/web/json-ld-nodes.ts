import { type SchemaNode, type SchemaValue, termOf } from "./schema-node.ts";

/** The maximum nesting depth. Deeper nodes are ignored. */
const depthMax = 8;
/** The maximum number of nodes in one page. Further nodes are ignored. */
const nodesMax = 5_000;

interface Reading {
  /** Nodes that have more than an `@id` and a type, by `@id`. */
  readonly byId: Map<string, Json>;
  nodesLeft: number;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the top-level nodes of JSON-LD blocks, including the nodes in an `@graph`. Omits nodes
 * without a type, and nodes beyond `depthMax` and `nodesMax`. Resolves a reference by `@id` only
 * within the same page.
 */
export function jsonLdNodes(blocks: readonly object[]): SchemaNode[] {
  const reading: Reading = { byId: new Map(), nodesLeft: nodesMax };
  for (const one of blocks.flatMap(listOf)) index(one, 0, reading);
  reading.nodesLeft = nodesMax;
  return blocks.flatMap(listOf).flatMap((one) => topNodes(one, 0, reading));
}

/** Adds a value and the nodes inside it to `reading.byId`. */
function index(value: unknown, depth: number, reading: Reading): void {
  if (depth > depthMax || reading.nodesLeft <= 0 || !isJson(value)) return;
  reading.nodesLeft -= 1;
  const id = value["@id"];
  if (typeof id === "string" && !isReference(value) && !reading.byId.has(id)) {
    reading.byId.set(id, value);
  }
  for (const one of Object.values(value)) {
    for (const each of listOf(one)) index(each, depth + 1, reading);
  }
}

/** Returns the node of a value and the nodes in its `@graph`, without nodes that have no type. */
function topNodes(value: unknown, depth: number, reading: Reading): SchemaNode[] {
  if (depth > depthMax || !isJson(value)) return [];
  const graph = listOf(value["@graph"] ?? []);
  const inGraph = graph.flatMap((one) => topNodes(one, depth + 1, reading));
  const node = nodeOf(value, depth, reading);
  return node === undefined || node.types.length === 0 ? inGraph : [node, ...inGraph];
}

/** Converts a JSON object to a node; undefined beyond the limits. */
function nodeOf(json: Json, depth: number, reading: Reading): SchemaNode | undefined {
  if (depth > depthMax || reading.nodesLeft <= 0) return undefined;
  reading.nodesLeft -= 1;
  const id = json["@id"];
  const target = typeof id === "string" && isReference(json) ? reading.byId.get(id) : undefined;
  const source = target ?? json;
  const values = new Map<string, SchemaValue[]>();
  for (const [key, value] of Object.entries(source)) {
    if (key.startsWith("@")) continue;
    const term = termOf(key);
    const read = listOf(value).flatMap((one) => valuesIn(one, depth + 1, reading));
    if (read.length > 0) values.set(term, [...(values.get(term) ?? []), ...read]);
  }
  return { id: typeof id === "string" ? id : undefined, types: typesOf(source), values };
}

/** Returns the values that a property value contains: none beyond the limits. */
function valuesIn(value: unknown, depth: number, reading: Reading): SchemaValue[] {
  if (depth > depthMax || reading.nodesLeft <= 0) return [];
  if (!isJson(value)) return isPlain(value) ? [value] : [];
  const inner = value["@value"] ?? value["@list"] ?? value["@set"];
  if (inner !== undefined) {
    return listOf(inner).flatMap((one) => valuesIn(one, depth + 1, reading));
  }
  const node = nodeOf(value, depth, reading);
  return node === undefined ? [] : [node];
}

const typesOf = (json: Json): string[] =>
  [json["@type"]]
    .flat()
    .filter((type) => typeof type === "string")
    .map(termOf);

const isReference = (json: Json): boolean =>
  Object.keys(json).every((key) => key === "@id" || key === "@type");

/** Returns a value, or an array nested up to two levels deep, as a flat array. */
const listOf = (value: unknown): unknown[] => [value].flat(2);

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
