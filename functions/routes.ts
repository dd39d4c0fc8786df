/**
 * The route table: each route of the API, the group that handles the route, and the scopes that a
 * key needs to call it. The CDK app creates the gateway resources from this table, and the handlers
 * use it to dispatch calls.
 */
import type { Scope } from "../shared/accounts/scopes.ts";

export interface Group {
  /**
   * The first path segments below `/v1` that the group handles. Each segment has separate limits in
   * the gateway.
   */
  readonly roots: readonly string[];
  /** True for the group that also handles every path outside the roots of all groups. */
  readonly handlesOtherPaths?: true;
  /**
   * True if the roots are at the top level instead of below `/v1`, because their paths have no
   * version of the API.
   */
  readonly unversioned?: true;
  /**
   * True if the handler reads files of its folder `generated`, which are deployed with its code.
   */
  readonly readsGeneratedFiles?: true;
  /**
   * True if responses are streamed because they may exceed the limit of a buffered Lambda response.
   */
  readonly streaming: boolean;
  /** True if every call of the group charges by item. `RouteEntry.itemCall` marks single routes. */
  readonly itemCalls: boolean;
  /**
   * How calls of the group use API keys.
   * - `required`: every call requires a key.
   * - `counted`: no key is required, but a call with a key counts against the key's rate limit. For
   *   public documents.
   * - `ignored`: keys are not read. For files, so that serving them never reads the database.
   */
  readonly keys: "required" | "counted" | "ignored";
}

/** The route groups. Each group is one Lambda function. */
export const groups = {
  products: { roots: ["products"], streaming: true, keys: "required", itemCalls: true },
  offers: { roots: ["offers"], streaming: true, keys: "required", itemCalls: true },
  watchlists: {
    roots: ["watchlists", "changes"],
    streaming: false,
    keys: "required",
    itemCalls: false,
  },
  "webhook-endpoints": {
    roots: ["webhook_endpoints", "webhook_deliveries"],
    streaming: false,
    keys: "required",
    itemCalls: false,
  },
  events: { roots: ["events"], streaming: false, keys: "required", itemCalls: false },
  "s3-destination": {
    roots: ["s3_destination"],
    streaming: false,
    keys: "required",
    itemCalls: false,
  },
  account: {
    roots: ["account", "usage", "credit_transactions", "api_keys"],
    streaming: false,
    keys: "required",
    itemCalls: false,
  },
  platforms: { roots: ["platforms"], streaming: false, keys: "counted", itemCalls: false },
  structured: { roots: ["structured"], streaming: false, keys: "required", itemCalls: false },
  dashboard: {
    roots: ["dashboard"],
    unversioned: true,
    streaming: true,
    keys: "ignored",
    itemCalls: false,
  },
  // A server of the Model Context Protocol: its tools call routes of other groups.
  mcp: { roots: ["mcp"], unversioned: true, streaming: true, keys: "required", itemCalls: false },
  meta: {
    // A separate root has a separate limit. Monitors therefore do not get 429 when other paths are
    // flooded with calls.
    roots: ["health"],
    handlesOtherPaths: true,
    readsGeneratedFiles: true,
    streaming: false,
    keys: "counted",
    itemCalls: false,
  },
} as const satisfies Record<string, Group>;

export type GroupName = keyof typeof groups;

export interface RouteEntry {
  readonly group: GroupName;
  /**
   * The scopes that a key needs; it must have all of them. Empty for a route that every key may
   * call.
   * - `read`: the call returns data of the account, or calculates from it.
   * - `spend`: the call charges credits, or changes what the runs of a watchlist charge.
   * - `write`: the call creates, changes or deletes something.
   */
  readonly scopes: readonly Scope[];
  /**
   * True if the route charges by item, false if it does not. Set only if the route differs from the
   * other routes of the group.
   */
  readonly itemCall?: boolean;
}

/**
 * The group and the scopes of each route. A route is `METHOD /path`, with parameters in braces.
 * `{proxy+}` matches the rest of a path, and `ANY` matches every method.
 */
export const routes = {
  "POST /v1/products": { group: "products", scopes: ["spend"] },
  // This route charges nothing, so keys of the demo workspace can call it.
  "POST /v1/products/sandbox": { group: "products", scopes: ["read"], itemCall: false },
  "GET /v1/products/{id}/offers": { group: "products", scopes: ["spend"] },
  "POST /v1/offers": { group: "offers", scopes: ["spend"] },
  "POST /v1/offers/check": { group: "offers", scopes: ["spend"] },
  "GET /v1/platforms": { group: "platforms", scopes: [] },
  "GET /v1/structured": { group: "structured", scopes: ["read"] },
  "GET /v1/structured/{platform}/{kind}": { group: "structured", scopes: ["read"] },
  "POST /v1/structured/{platform}/{kind}": { group: "structured", scopes: ["read"] },
  "GET /v1/watchlists": { group: "watchlists", scopes: ["read"] },
  "POST /v1/watchlists": { group: "watchlists", scopes: ["spend", "write"] },
  // This is a POST, because a pipeline is too large for a query. The call writes nothing, so `read`
  // is enough.
  "POST /v1/watchlists/estimate": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/schedule": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/scrapers": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/sources": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/{id}": { group: "watchlists", scopes: ["read"] },
  "PATCH /v1/watchlists/{id}": { group: "watchlists", scopes: ["spend", "write"] },
  "DELETE /v1/watchlists/{id}": { group: "watchlists", scopes: ["write"] },
  "POST /v1/watchlists/{id}/run": { group: "watchlists", scopes: ["spend", "write"] },
  // Like an estimate, a back-test changes no watchlist and costs nothing, so `read` is enough.
  "POST /v1/watchlists/{id}/backtest": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/{id}/backtests/{backtest_id}": { group: "watchlists", scopes: ["read"] },
  "POST /v1/watchlists/{id}/preview": { group: "watchlists", scopes: ["spend"], itemCall: true },
  "GET /v1/watchlists/{id}/runs": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/{id}/runs/{run_number}": { group: "watchlists", scopes: ["read"] },
  "POST /v1/watchlists/{id}/runs/{run_number}/release": {
    group: "watchlists",
    scopes: ["spend", "write"],
  },
  "POST /v1/watchlists/{id}/runs/{run_number}/discard": { group: "watchlists", scopes: ["write"] },
  "GET /v1/watchlists/{id}/items": { group: "watchlists", scopes: ["read"] },
  "POST /v1/watchlists/{id}/items": { group: "watchlists", scopes: ["spend", "write"] },
  "GET /v1/watchlists/{id}/items/{item_id}": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/{id}/items/{item_id}/history": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/{id}/changes": { group: "watchlists", scopes: ["read"] },
  "GET /v1/changes": { group: "watchlists", scopes: ["read"] },
  "GET /v1/watchlists/items": { group: "watchlists", scopes: ["read"] },
  "POST /v1/watchlists/{id}/asins": { group: "watchlists", scopes: ["spend", "write"] },
  "GET /v1/webhook_endpoints": { group: "webhook-endpoints", scopes: ["read"] },
  "POST /v1/webhook_endpoints": { group: "webhook-endpoints", scopes: ["write"] },
  "GET /v1/webhook_endpoints/{id}": { group: "webhook-endpoints", scopes: ["read"] },
  "PATCH /v1/webhook_endpoints/{id}": { group: "webhook-endpoints", scopes: ["write"] },
  "DELETE /v1/webhook_endpoints/{id}": { group: "webhook-endpoints", scopes: ["write"] },
  "POST /v1/webhook_endpoints/{id}/rotate": { group: "webhook-endpoints", scopes: ["write"] },
  "POST /v1/webhook_endpoints/{id}/test": { group: "webhook-endpoints", scopes: ["write"] },
  "GET /v1/webhook_endpoints/{id}/deliveries": { group: "webhook-endpoints", scopes: ["read"] },
  "POST /v1/webhook_endpoints/{id}/recover": { group: "webhook-endpoints", scopes: ["write"] },
  "GET /v1/webhook_deliveries": { group: "webhook-endpoints", scopes: ["read"] },
  "GET /v1/webhook_deliveries/{id}": { group: "webhook-endpoints", scopes: ["read"] },
  "POST /v1/webhook_deliveries/{id}/redeliver": { group: "webhook-endpoints", scopes: ["write"] },
  "GET /v1/events": { group: "events", scopes: ["read"] },
  "GET /v1/events/{id}": { group: "events", scopes: ["read"] },
  "POST /v1/events/{id}/send": { group: "events", scopes: ["write"] },
  "GET /v1/s3_destination": { group: "s3-destination", scopes: ["read"] },
  "PUT /v1/s3_destination": { group: "s3-destination", scopes: ["write"] },
  "PATCH /v1/s3_destination": { group: "s3-destination", scopes: ["write"] },
  "DELETE /v1/s3_destination": { group: "s3-destination", scopes: ["write"] },
  "POST /v1/s3_destination/test": { group: "s3-destination", scopes: ["write"] },
  "GET /v1/s3_destination/exports": { group: "s3-destination", scopes: ["read"] },
  "POST /v1/s3_destination/backfill": { group: "s3-destination", scopes: ["write"] },
  "GET /v1/account": { group: "account", scopes: ["read"] },
  "PATCH /v1/account": { group: "account", scopes: ["write"] },
  "GET /v1/usage": { group: "account", scopes: ["read"] },
  "GET /v1/credit_transactions": { group: "account", scopes: ["read"] },
  "GET /v1/api_keys": { group: "account", scopes: ["read"] },
  "POST /v1/api_keys": { group: "account", scopes: ["write"] },
  "DELETE /v1/api_keys/{id}": { group: "account", scopes: ["write"] },
  // No scopes here: each tool requires the scopes of the route that it calls.
  "POST /mcp": { group: "mcp", scopes: [] },
  "GET /": { group: "meta", scopes: [] },
  "GET /v1/health": { group: "meta", scopes: [] },
  "GET /v1/openapi.json": { group: "meta", scopes: [] },
  "GET /v1/agent_profiles/{version}": { group: "meta", scopes: [] },
  "GET /v1/changelog": { group: "meta", scopes: [] },
  "GET /v1/postman.json": { group: "meta", scopes: [] },
  "GET /v1/schemas/{name}": { group: "meta", scopes: [] },
  "GET /llms.txt": { group: "meta", scopes: [] },
  "GET /dashboard": { group: "dashboard", scopes: [] },
  "GET /dashboard/{file}": { group: "dashboard", scopes: [] },
  "GET /docs": { group: "meta", scopes: [] },
  "GET /docs/{page}": { group: "meta", scopes: [] },
  "GET /docs/assets/{file}": { group: "meta", scopes: [] },
  "ANY /v1/scrape": { group: "meta", scopes: [] },
  "ANY /v1/scrape/{proxy+}": { group: "meta", scopes: [] },
  "ANY /v1/jobs": { group: "meta", scopes: [] },
  "ANY /v1/jobs/{proxy+}": { group: "meta", scopes: [] },
  "ANY /v1/batches": { group: "meta", scopes: [] },
  "ANY /v1/batches/{proxy+}": { group: "meta", scopes: [] },
  "ANY /{proxy+}": { group: "meta", scopes: [] },
} as const satisfies Record<string, RouteEntry>;

export type RouteKey = keyof typeof routes;

/** Returns the scopes that a key needs to call a route. */
export const scopesOf = (key: RouteKey): readonly Scope[] => routes[key].scopes;

/** Returns true for a route that needs no key. */
export const isPublic = (key: RouteKey): boolean => groups[routes[key].group].keys !== "required";

/**
 * Returns true for a route that changes something or charges credits. Keys of the demo workspace
 * cannot call such a route.
 */
export const hasEffects = (key: RouteKey): boolean => scopesOf(key).some((one) => one !== "read");

/** Returns true for a route that charges by item. */
export function isItemCall(key: RouteKey): boolean {
  const { group, itemCall }: RouteEntry = routes[key];
  return itemCall ?? groups[group].itemCalls;
}

export type RouteKeyOf<G extends GroupName> = {
  [K in RouteKey]: (typeof routes)[K]["group"] extends G ? K : never;
}[RouteKey];
