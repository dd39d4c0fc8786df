/** The official JSON schemas of the catalog protocol, in `test/fixtures/ucp`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const folder = new URL("../../../test/fixtures/ucp/schemas", import.meta.url).pathname;
const site = "https://ucp.dev/schemas/";

/** The schemas of whole documents, by the names that this project gives them. */
const references = {
  toolCall: "transports/mcp_tool_call.json#/$defs/request",
  toolReply: "transports/mcp_tool_call.json#/$defs/response",
  rpcError: "transports/jsonrpc.json#/$defs/error_response",
  lookupRequest: "shopping/catalog_lookup.json#/$defs/lookup_request",
  lookupResponse: "shopping/catalog_lookup.json#/$defs/lookup_response",
  searchRequest: "shopping/catalog_search.json#/$defs/search_request",
  searchResponse: "shopping/catalog_search.json#/$defs/search_response",
  errorResponse: "common/types/error_response.json",
  businessProfile: "profile.json#/$defs/business_schema",
  agentProfile: "profile.json#/$defs/platform_schema",
} as const;

/** The name that this project gives to an official schema. */
export type OfficialSchema = keyof typeof references;

let loaded: Ajv2020 | undefined;

function ajv(): Ajv2020 {
  if (loaded !== undefined) return loaded;
  // The schemas have annotations of the protocol, which strict mode refuses as unknown keywords.
  loaded = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(loaded);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".json"))
      loaded.addSchema(JSON.parse(readFileSync(join(folder, name), "utf8")));
  }
  return loaded;
}

/**
 * Returns descriptions of how a value violates an official schema of the catalog protocol; an empty
 * array for a valid value.
 * @throws Error if the official schemas do not contain the schema
 */
export function violationsOf(schema: OfficialSchema, value: unknown): string[] {
  const validate = ajv().getSchema(`${site}${references[schema]}`);
  if (validate === undefined)
    throw new Error(`The official schemas do not contain ${references[schema]}. Check its path.`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${schema}${instancePath} ${message ?? "is not valid"}`,
  );
}
