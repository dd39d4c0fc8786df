/**
 * A reference store: a server of the catalog protocol with invented products. Refuses every request
 * that violates the official schemas, and sends only replies that match them.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { slowMilliseconds } from "../../../shared/scrapers/reserved-ids.ts";
import { type LocalServer, readBody, serveFrom } from "../../local/local-server.ts";
import { isSlow, type Prices } from "./catalog.ts";
import { isTemporary, type Misbehavior, misbehave } from "./misbehaviors.ts";
import { type OfficialSchema, violationsOf } from "./official-schemas.ts";
import { profileReader } from "./profile-reader.ts";
import { lookupContent, searchContent, type ToolContent } from "./replies.ts";

export interface ReferenceStoreOptions {
  /** The port; 0 takes any free port. */
  readonly port: number;
  /** The maximum number of IDs in a lookup. */
  readonly maxBatch?: number;
  /** The versions of the protocol that the store supports, newest first. */
  readonly versions?: readonly string[];
  /** False: the store publishes no business profile. */
  readonly isDiscoverable?: boolean;
  /** The path that accepts tool calls. */
  readonly endpointPath?: string;
  /** Returns how a lookup misbehaves; undefined for a correct reply. */
  readonly misbehave?: (call: StoreCall) => Misbehavior | undefined;
}

/** A valid call of a tool. */
export interface StoreCall {
  /** The position of the call among the valid calls, from 1. */
  readonly number: number;
  readonly tool: string;
  /** The requested IDs; empty for a search. */
  readonly ids: readonly string[];
  /** The address of the caller's profile. */
  readonly profile: string;
  readonly catalog: Readonly<Record<string, unknown>>;
}

/** A running reference store. */
export interface ReferenceStore extends LocalServer {
  /** All valid calls so far, oldest first. */
  readonly calls: readonly StoreCall[];
  /** The violations in the requests that the store refused. */
  readonly violations: readonly string[];
  /** The numbers of IDs in the lookups that the store refused as too large. */
  readonly refusedBatches: readonly number[];
  /** Sets the price of an item in later replies, in minor units. */
  setPrice(number: string, amount: number): void;
}

/** The default of `ReferenceStoreOptions.maxBatch`. */
export const maxBatchDefault = 10;
/** The default of `ReferenceStoreOptions.versions`. */
export const versionsDefault = ["2026-08-25", "2026-04-08"];
const endpointPathDefault = "/api/ucp/mcp";
const wellKnownPath = "/.well-known/ucp";
const bodyBytesMax = 1024 * 1024;

interface Store extends Required<Omit<ReferenceStoreOptions, "misbehave" | "port">> {
  readonly misbehave: ReferenceStoreOptions["misbehave"];
  readonly calls: StoreCall[];
  readonly violations: string[];
  readonly refusedBatches: number[];
  readonly prices: Prices;
  readonly readProfile: ReturnType<typeof profileReader>;
  /** The store's address. */
  readonly url: () => string;
}

/**
 * Starts the reference store on loopback. It serves a catalog of invented products with the
 * Universal Commerce Protocol. It records its calls, and the violations of the official schemas.
 */
export async function startReferenceStore(options: ReferenceStoreOptions): Promise<ReferenceStore> {
  const prices = new Map<string, number>();
  let url = "";
  const store: Store = {
    maxBatch: options.maxBatch ?? maxBatchDefault,
    versions: options.versions ?? versionsDefault,
    isDiscoverable: options.isDiscoverable ?? true,
    endpointPath: options.endpointPath ?? endpointPathDefault,
    misbehave: options.misbehave,
    calls: [],
    violations: [],
    refusedBatches: [],
    prices,
    readProfile: profileReader(),
    url: () => url,
  };
  const server = await serveFrom(
    options.port,
    (request, response) => {
      void answer(request, response, store).catch((error: unknown) => {
        store.violations.push(String(error));
        response.destroy();
      });
    },
    "Choose another port with --port.",
  );
  ({ url } = server);
  const { calls, violations, refusedBatches } = store;
  const setPrice = (number: string, amount: number): void => void prices.set(number, amount);
  return { ...server, calls, violations, refusedBatches, setPrice };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  store: Store,
): Promise<void> {
  const path = `${request.method} ${request.url}`;
  const bytes = await readBody(request, bodyBytesMax);
  if (path.startsWith(`GET ${wellKnownPath}`) && store.isDiscoverable) {
    const version = request.url?.slice(`${wellKnownPath}/`.length) || store.versions[0];
    return sendProfile(response, version ?? "", store);
  }
  if (path !== `POST ${store.endpointPath}`) {
    response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
    return;
  }
  await answerCall(parseBody(bytes), response, store);
}

function parseBody(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(String(bytes));
  } catch {
    return undefined;
  }
}

function sendProfile(response: ServerResponse, version: string, store: Store): void {
  if (!store.versions.includes(version)) return void response.writeHead(404).end();
  const [current, ...others] = store.versions;
  const release = `https://ucp.dev/${version}`;
  const capability = (name: string): object[] => [
    { version, schema: `${release}/schemas/shopping/catalog_${name}.json` },
  ];
  const profile = {
    ucp: {
      version,
      ...(version === current &&
        others.length > 0 && {
          supported_versions: Object.fromEntries(
            others.map((other) => [other, `${store.url()}${wellKnownPath}/${other}`]),
          ),
        }),
      services: {
        "dev.ucp.shopping": [
          {
            version,
            transport: "mcp",
            schema: `${release}/services/shopping/mcp.openrpc.json`,
            endpoint: `${store.url()}${store.endpointPath}`,
          },
        ],
      },
      capabilities: {
        "dev.ucp.shopping.catalog.lookup": capability("lookup"),
        "dev.ucp.shopping.catalog.search": capability("search"),
      },
      payment_handlers: {},
    },
  };
  assertValid("businessProfile", profile);
  response.writeHead(200, {
    "Content-Type": "application/json",
    "Cache-Control": "public, max-age=300",
  });
  response.end(JSON.stringify(profile));
}

/**
 * Checks a reply of this store.
 * @throws Error if the reply violates its official schema, which is a bug of this store
 */
function assertValid(schema: OfficialSchema, value: unknown): void {
  const violations = violationsOf(schema, value);
  if (violations.length > 0) throw new Error(violations.join("; "));
}

/** The parts of a valid tool call that the store uses. */
interface ToolCallBody {
  readonly id?: unknown;
  readonly params: {
    readonly name: string;
    readonly arguments: {
      readonly meta?: { readonly "ucp-agent"?: { readonly profile: string } };
      readonly catalog?: Readonly<Record<string, unknown>>;
    };
  };
}

const requestSchemas: Readonly<Record<string, OfficialSchema>> = {
  lookup_catalog: "lookupRequest",
  search_catalog: "searchRequest",
};

async function answerCall(body: unknown, response: ServerResponse, store: Store): Promise<void> {
  const { id = null }: { readonly id?: unknown } = Object(body);
  const fail = (code: number, message: string, data?: object): void =>
    sendRpc(response, { jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } });
  const invalid = (violations: readonly string[]): void => {
    store.violations.push(...violations);
    fail(-32_602, `Invalid params: ${violations.join("; ")}`);
  };
  const envelope = violationsOf("toolCall", body);
  if (envelope.length > 0) return invalid(envelope);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the official schema
  const { name, arguments: sent } = (body as ToolCallBody).params;
  const schema = requestSchemas[name];
  if (schema === undefined) return fail(-32_601, `Unknown tool: ${name}`);
  const { meta, catalog = {} } = sent;
  const wrong = [...violationsOf(schema, catalog), ...missingInput(schema, catalog)];
  if (wrong.length > 0) return invalid(wrong);
  const profile = meta?.["ucp-agent"]?.profile;
  if (profile === undefined) return invalid(["meta.ucp-agent.profile is missing"]);
  const read = await store.readProfile(profile);
  if ("problem" in read) {
    return fail(-32_001, "UCP discovery failed", {
      code: read.problem,
      content: `Unable to use the agent profile ${profile}`,
    });
  }
  const { version } = read;
  if (!store.versions.includes(version)) {
    const content = `Protocol version ${version} is not supported.`;
    return fail(-32_001, "Protocol version not supported", {
      code: "version_unsupported",
      content,
    });
  }
  const ids = idsIn(catalog);
  if (ids.length > store.maxBatch) {
    store.refusedBatches.push(ids.length);
    return fail(-32_602, `Invalid params: at most ${store.maxBatch} IDs`);
  }
  const call = { number: store.calls.length + 1, tool: name, ids, profile, catalog };
  return serve(call, { version, response, id, store });
}

/** The specification requires a query or filters in a search, but its schema does not. */
const missingInput = (schema: OfficialSchema, catalog: object): readonly string[] =>
  schema === "searchRequest" && !("query" in catalog) && !("filters" in catalog)
    ? ["a search must have a query or filters"]
    : [];

/** Returns the IDs of a valid lookup; empty for a search. */
function idsIn(catalog: Readonly<Record<string, unknown>>): readonly string[] {
  const { ids = [] } = catalog;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the official schema
  return ids as readonly string[];
}

interface Serving {
  readonly version: string;
  readonly response: ServerResponse;
  /** The JSON-RPC ID of the call. */
  readonly id: unknown;
  readonly store: Store;
}

/** Responds to a valid call, unless the store must misbehave. */
async function serve(call: StoreCall, { version, response, id, store }: Serving): Promise<void> {
  const { tool, ids, catalog } = call;
  store.calls.push(call);
  const moment = { version, prices: store.prices };
  const content =
    tool === "lookup_catalog" ? lookupContent(ids, moment) : searchContent(catalog, moment);
  if (ids.some(isSlow)) await delay(slowMilliseconds);
  const fault = store.misbehave?.(call);
  if (fault !== undefined) return misbehave(fault, { response, id, content });
  assertValid(tool === "lookup_catalog" ? "lookupResponse" : "searchResponse", content);
  return sendContent(response, id, content);
}

function sendContent(response: ServerResponse, id: unknown, content: ToolContent): void {
  const text = JSON.stringify(content);
  const reply = {
    jsonrpc: "2.0",
    id,
    result: { structuredContent: content, content: [{ type: "text", text }] },
  };
  assertValid("toolReply", reply);
  sendRpc(response, reply);
}

function sendRpc(response: ServerResponse, message: object): void {
  if ("error" in message) assertValid("rpcError", message);
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(message));
}

/**
 * Returns a value for the option `misbehave` with which the store shows the misbehavior `name` at
 * every call. A temporary misbehavior is shown only at the first call.
 */
export const misbehavesAs =
  (name: Misbehavior): NonNullable<ReferenceStoreOptions["misbehave"]> =>
  ({ number }) =>
    number > 1 && isTemporary(name) ? undefined : name;
