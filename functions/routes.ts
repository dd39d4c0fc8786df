/**
 * The route table: each route of the API, the group that handles the route, and the keys that may
 * call it. The CDK app creates the gateway resources from this table, and the handlers use it to
 * dispatch calls.
 */

/**
 * `public`: no key is required. `read`: any key. `write`: any key except the keys of the demo
 * workspace.
 */
export type Access = "public" | "read" | "write";

export interface Group {
  /**
   * The first path segments below `/v1` that the group handles. Each segment has separate limits in
   * the gateway.
   */
  readonly roots: readonly string[];
  /** True for the group that also handles all paths without a root. */
  readonly handlesOtherPaths?: true;
  /**
   * True if the roots are at the top level instead of below `/v1`, because their pages are not part
   * of the API.
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
   * Whether calls require an API key.
   *
   * - `required`: every call requires a key.
   * - `counted`: no key is required, but a call with a key counts against the key's rate limit. For
   *   public documents.
   * - `ignored`: keys are not read. For files, which need no stored data.
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
  meta: {
    // A separate root has a separate limit, so that a flood of calls to other paths does not make a
    // monitor get 429.
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
  readonly access: Access;
  /** True for a route that charges by item in a group whose other routes are free. */
  readonly itemCall?: true;
}

/** The group and the access of each route. A route is `METHOD /path`, with parameters in braces. */
export const routes = {
  "POST /v1/products": { group: "products", access: "write" },
  "GET /v1/products/{id}/offers": { group: "products", access: "write" },
  "POST /v1/offers": { group: "offers", access: "write" },
  "POST /v1/offers/check": { group: "offers", access: "write" },
  "GET /v1/platforms": { group: "platforms", access: "public" },
  "GET /v1/structured": { group: "structured", access: "read" },
  "GET /v1/structured/{platform}/{kind}": { group: "structured", access: "read" },
  "POST /v1/structured/{platform}/{kind}": { group: "structured", access: "read" },
  "GET /v1/watchlists": { group: "watchlists", access: "read" },
  "POST /v1/watchlists": { group: "watchlists", access: "write" },
  // A POST, because a pipeline is too large for a query. The call writes nothing, so its access is
  // `read`.
  "POST /v1/watchlists/estimate": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/schedule": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/scrapers": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/sources": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/{id}": { group: "watchlists", access: "read" },
  "PATCH /v1/watchlists/{id}": { group: "watchlists", access: "write" },
  "DELETE /v1/watchlists/{id}": { group: "watchlists", access: "write" },
  "POST /v1/watchlists/{id}/run": { group: "watchlists", access: "write" },
  // Changes nothing of the account, like the estimate.
  "POST /v1/watchlists/{id}/backtest": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/{id}/backtests/{backtest_id}": { group: "watchlists", access: "read" },
  "POST /v1/watchlists/{id}/preview": { group: "watchlists", access: "write", itemCall: true },
  "GET /v1/watchlists/{id}/runs": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/{id}/runs/{run_number}": { group: "watchlists", access: "read" },
  "POST /v1/watchlists/{id}/runs/{run_number}/release": { group: "watchlists", access: "write" },
  "POST /v1/watchlists/{id}/runs/{run_number}/discard": { group: "watchlists", access: "write" },
  "GET /v1/watchlists/{id}/items": { group: "watchlists", access: "read" },
  "POST /v1/watchlists/{id}/items": { group: "watchlists", access: "write" },
  "GET /v1/watchlists/{id}/items/{item_id}": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/{id}/items/{item_id}/history": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/{id}/changes": { group: "watchlists", access: "read" },
  "GET /v1/changes": { group: "watchlists", access: "read" },
  "GET /v1/watchlists/items": { group: "watchlists", access: "read" },
  "POST /v1/watchlists/{id}/asins": { group: "watchlists", access: "write" },
  "GET /v1/webhook_endpoints": { group: "webhook-endpoints", access: "read" },
  "POST /v1/webhook_endpoints": { group: "webhook-endpoints", access: "write" },
  "GET /v1/webhook_endpoints/{id}": { group: "webhook-endpoints", access: "read" },
  "PATCH /v1/webhook_endpoints/{id}": { group: "webhook-endpoints", access: "write" },
  "DELETE /v1/webhook_endpoints/{id}": { group: "webhook-endpoints", access: "write" },
  "POST /v1/webhook_endpoints/{id}/rotate": { group: "webhook-endpoints", access: "write" },
  "POST /v1/webhook_endpoints/{id}/test": { group: "webhook-endpoints", access: "write" },
  "GET /v1/webhook_endpoints/{id}/deliveries": { group: "webhook-endpoints", access: "read" },
  "POST /v1/webhook_endpoints/{id}/recover": { group: "webhook-endpoints", access: "write" },
  "GET /v1/webhook_deliveries": { group: "webhook-endpoints", access: "read" },
  "GET /v1/webhook_deliveries/{id}": { group: "webhook-endpoints", access: "read" },
  "POST /v1/webhook_deliveries/{id}/redeliver": { group: "webhook-endpoints", access: "write" },
  "GET /v1/events": { group: "events", access: "read" },
  "GET /v1/events/{id}": { group: "events", access: "read" },
  "POST /v1/events/{id}/send": { group: "events", access: "write" },
  "GET /v1/s3_destination": { group: "s3-destination", access: "read" },
  "PUT /v1/s3_destination": { group: "s3-destination", access: "write" },
  "PATCH /v1/s3_destination": { group: "s3-destination", access: "write" },
  "DELETE /v1/s3_destination": { group: "s3-destination", access: "write" },
  "POST /v1/s3_destination/test": { group: "s3-destination", access: "write" },
  "GET /v1/s3_destination/exports": { group: "s3-destination", access: "read" },
  "POST /v1/s3_destination/backfill": { group: "s3-destination", access: "write" },
  "GET /v1/account": { group: "account", access: "read" },
  "PATCH /v1/account": { group: "account", access: "write" },
  "GET /v1/usage": { group: "account", access: "read" },
  "GET /v1/credit_transactions": { group: "account", access: "read" },
  "GET /v1/api_keys": { group: "account", access: "read" },
  "POST /v1/api_keys": { group: "account", access: "write" },
  "DELETE /v1/api_keys/{id}": { group: "account", access: "write" },
  "GET /": { group: "meta", access: "public" },
  "GET /v1/health": { group: "meta", access: "public" },
  "GET /v1/openapi.json": { group: "meta", access: "public" },
  "GET /v1/agent_profiles/{version}": { group: "meta", access: "public" },
  "GET /v1/changelog": { group: "meta", access: "public" },
  "GET /v1/postman.json": { group: "meta", access: "public" },
  "GET /v1/schemas/{name}": { group: "meta", access: "public" },
  "GET /llms.txt": { group: "meta", access: "public" },
  "GET /dashboard": { group: "dashboard", access: "public" },
  "GET /dashboard/{file}": { group: "dashboard", access: "public" },
  "GET /docs": { group: "meta", access: "public" },
  "GET /docs/{page}": { group: "meta", access: "public" },
  "GET /docs/assets/{file}": { group: "meta", access: "public" },
  "ANY /v1/scrape": { group: "meta", access: "public" },
  "ANY /v1/scrape/{proxy+}": { group: "meta", access: "public" },
  "ANY /v1/jobs": { group: "meta", access: "public" },
  "ANY /v1/jobs/{proxy+}": { group: "meta", access: "public" },
  "ANY /v1/batches": { group: "meta", access: "public" },
  "ANY /v1/batches/{proxy+}": { group: "meta", access: "public" },
  "ANY /{proxy+}": { group: "meta", access: "public" },
} as const satisfies Record<string, RouteEntry>;

export type RouteKey = keyof typeof routes;
/** Returns true for a route that charges by item. */
export function isItemCall(key: RouteKey): boolean {
  const { group, itemCall }: RouteEntry = routes[key];
  return itemCall === true || groups[group].itemCalls;
}

export type RouteKeyOf<G extends GroupName> = {
  [K in RouteKey]: (typeof routes)[K]["group"] extends G ? K : never;
}[RouteKey];
