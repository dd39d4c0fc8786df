import type { RouteKey } from "../../functions/routes.ts";
import { protocolVersions } from "../../shared/sources/storefront/agent-profile.ts";
import type { ApiClient } from "../../tools/customer/api-client.ts";
import { localCustomer } from "../../tools/customer/bucket.ts";
import { untilTrue } from "./accounts.ts";

/**
 * The resources with which a call is prepared: the API client of the call's account, and the local
 * receiver and bucket.
 */
export interface Scene {
  readonly api: ApiClient;
  readonly receiverUrl: string;
  readonly bucket: { readonly endpoint: string; readonly name: string };
}

/** A sample call of one route. */
export interface SampleCall {
  /**
   * Creates the resource that the path names. Returns its ID, which replaces the path parameter.
   */
  readonly prepare?: (scene: Scene) => Promise<string>;
  /** The path to call. @default the route's path */
  readonly path?: string;
  readonly query?: string;
  /** Returns the body of the call. Absent for a call without a body. */
  readonly body?: (scene: Scene) => unknown;
  /**
   * The status of a healthy service.
   * @default any 2xx
   */
  readonly documented?: number;
  /** True if the call uses the store only to check its API key. */
  readonly needsKeyOnly?: true;
  /**
   * True if the call checks the store although its route is public. The result of an earlier check
   * is used for some seconds.
   */
  readonly checksStore?: true;
}

const steadyId = "9000000";
const asin = "B0SANDBOX0";
const watchlistBody = { name: "Outage", platform: "retailer_d", ids: [steadyId], every: "24h" };
const preparationSecondsMax = 60;

const idOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): string => {
  const { id } = body;
  if (typeof id !== "string") {
    throw new Error(
      `The API did not create a sample resource (got ${JSON.stringify(body)} instead of a body with an ID). Correct the body of the call in scripts/outage/sample-calls.ts.`,
    );
  }
  return id;
};
/**
 * Creates a watchlist and waits for its first run, because the API refuses `run` while a run is in
 * progress.
 */
async function watchlist({ api }: Scene): Promise<string> {
  const id = idOf(await api.send("POST", "/watchlists", watchlistBody));
  await untilTrue(preparationSecondsMax, async () => {
    const { body } = await api.get(`/watchlists/${id}`);
    return body["last_run_status"] === "completed";
  });
  return id;
}
const endpointBody = ({ receiverUrl }: Scene) => ({ url: `${receiverUrl}/hooks` });
const endpoint = async (scene: Scene): Promise<string> =>
  idOf(await scene.api.send("POST", "/webhook_endpoints", endpointBody(scene)));
/**
 * Creates an endpoint and a watchlist, waits for a successful delivery, and returns the ID of the
 * delivery. A test delivery is not suitable, because the API refuses to send it again.
 */
async function delivery(scene: Scene): Promise<string> {
  await endpoint(scene);
  await watchlist(scene);
  let delivered: Record<string, unknown> | undefined;
  await untilTrue(preparationSecondsMax, async () => {
    const { body } = await scene.api.get("/webhook_deliveries");
    const deliveries = body["data"] as readonly Record<string, unknown>[];
    delivered = deliveries.find(({ state }) => state === "delivered");
    return delivered !== undefined;
  });
  return idOf({ body: delivered ?? {} });
}
async function event(scene: Scene): Promise<string> {
  await watchlist(scene);
  const { body } = await scene.api.get("/events");
  const [first] = body["data"] as readonly Record<string, unknown>[];
  return idOf({ body: first ?? {} });
}
const destinationBody = ({ bucket }: Scene) => ({
  bucket: bucket.name,
  region: "us-east-1",
  endpoint: bucket.endpoint,
  force_path_style: true,
  prefix: "outage/",
  auth: "access_key",
  access_key_id: localCustomer.accessKeyId,
  secret_access_key: localCustomer.secretAccessKey,
});
async function destination(scene: Scene): Promise<string> {
  await scene.api.send("PUT", "/s3_destination", destinationBody(scene));
  return "";
}
const apiKey = async ({ api }: Scene): Promise<string> =>
  idOf(await api.send("POST", "/api_keys", { name: "other" }));

/** A sample call for each route. A route without a sample call is a compile error. */
export const sampleCalls: Readonly<Record<RouteKey, SampleCall>> = {
  "POST /v1/products": { body: () => ({ platform: "retailer_d", ids: [steadyId] }) },
  "POST /v1/products/sandbox": {
    body: () => ({ platform: "retailer_d", ids: [steadyId] }),
    needsKeyOnly: true,
  },
  "GET /v1/products/{id}/offers": { path: `/v1/products/${asin}/offers` },
  "POST /v1/offers": { body: () => ({ ids: [asin] }) },
  "POST /v1/offers/check": { body: () => ({ offers: [{ asin, offerListingId: "offer-1" }] }) },
  "GET /v1/platforms": {},
  "GET /v1/structured": { needsKeyOnly: true },
  "GET /v1/structured/{platform}/{kind}": {
    path: "/v1/structured/retailer_a/search",
    query: "query=lamp",
    documented: 501,
    needsKeyOnly: true,
  },
  "POST /v1/structured/{platform}/{kind}": {
    path: "/v1/structured/retailer_a/search",
    body: () => ({ query: "lamp" }),
    documented: 501,
    needsKeyOnly: true,
  },
  "GET /v1/watchlists": {},
  "POST /v1/watchlists": { body: () => watchlistBody },
  "POST /v1/watchlists/estimate": {
    body: () => ({ platform: "retailer_d", items: 10 }),
  },
  "GET /v1/watchlists/schedule": { query: "every=1h", needsKeyOnly: true },
  "GET /v1/watchlists/scrapers": { needsKeyOnly: true },
  // The call succeeds without the accounts table too: the health of all sources is then unknown.
  "GET /v1/watchlists/sources": { needsKeyOnly: true },
  "GET /v1/watchlists/{id}": { prepare: watchlist },
  "PATCH /v1/watchlists/{id}": { prepare: watchlist, body: () => ({ name: "Renamed" }) },
  "DELETE /v1/watchlists/{id}": { prepare: watchlist },
  "POST /v1/watchlists/{id}/run": { prepare: watchlist },
  "POST /v1/watchlists/{id}/backtest": { prepare: watchlist, body: () => ({}) },
  "GET /v1/watchlists/{id}/backtests/{backtest_id}": { prepare: watchlist, documented: 404 },
  "POST /v1/watchlists/{id}/preview": { prepare: watchlist, body: () => ({}) },
  "GET /v1/watchlists/{id}/runs": { prepare: watchlist },
  "GET /v1/watchlists/{id}/runs/{run_number}": { prepare: watchlist },
  "POST /v1/watchlists/{id}/runs/{run_number}/release": { prepare: watchlist, documented: 409 },
  "POST /v1/watchlists/{id}/runs/{run_number}/discard": { prepare: watchlist, documented: 409 },
  "GET /v1/watchlists/{id}/items": { prepare: watchlist },
  "GET /v1/watchlists/{id}/items/{item_id}": { prepare: watchlist },
  "GET /v1/watchlists/{id}/items/{item_id}/history": { prepare: watchlist },
  "GET /v1/watchlists/{id}/changes": { prepare: watchlist },
  "GET /v1/changes": {},
  "GET /v1/watchlists/items": { query: "search=9000001" },
  "POST /v1/watchlists/{id}/items": { prepare: watchlist, body: () => ({ add: ["9000004"] }) },
  "POST /v1/watchlists/{id}/asins": { prepare: watchlist, body: () => ({ add: ["9000004"] }) },
  "GET /v1/webhook_endpoints": {},
  "POST /v1/webhook_endpoints": { body: endpointBody },
  "GET /v1/webhook_endpoints/{id}": { prepare: endpoint },
  "PATCH /v1/webhook_endpoints/{id}": { prepare: endpoint, body: () => ({ description: "new" }) },
  "DELETE /v1/webhook_endpoints/{id}": { prepare: endpoint },
  "POST /v1/webhook_endpoints/{id}/rotate": { prepare: endpoint, body: () => ({}) },
  "POST /v1/webhook_endpoints/{id}/test": { prepare: endpoint },
  "GET /v1/webhook_endpoints/{id}/deliveries": { prepare: endpoint },
  "POST /v1/webhook_endpoints/{id}/recover": {
    prepare: endpoint,
    body: () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  },
  "GET /v1/webhook_deliveries": {},
  "GET /v1/webhook_deliveries/{id}": { prepare: delivery },
  "POST /v1/webhook_deliveries/{id}/redeliver": { prepare: delivery },
  "GET /v1/events": {},
  "GET /v1/events/{id}": { prepare: event },
  // The API looks up the event and the endpoint before it refuses the call.
  "POST /v1/events/{id}/send": {
    prepare: event,
    body: () => ({ webhook_endpoint_id: `we_${"0".repeat(24)}` }),
    documented: 400,
  },
  "GET /v1/s3_destination": { prepare: destination },
  "PUT /v1/s3_destination": { body: destinationBody },
  "PATCH /v1/s3_destination": { prepare: destination, body: () => ({ enabled: false }) },
  "DELETE /v1/s3_destination": { prepare: destination },
  "POST /v1/s3_destination/test": { prepare: destination },
  "GET /v1/s3_destination/exports": {},
  "POST /v1/s3_destination/backfill": {
    prepare: destination,
    body: () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  },
  "GET /v1/account": {},
  "PATCH /v1/account": { body: () => ({ daily_credit_budget: null }) },
  "GET /v1/usage": { query: "days=7" },
  "GET /v1/credit_transactions": {},
  "GET /v1/api_keys": {},
  "POST /v1/api_keys": { body: () => ({ name: "other" }) },
  "DELETE /v1/api_keys/{id}": { prepare: apiKey },
  "GET /": { documented: 302 },
  "GET /v1/health": { checksStore: true },
  "GET /v1/openapi.json": {},
  "GET /v1/changelog": { path: "/v1/changelog" },
  "GET /v1/postman.json": { path: "/v1/postman.json" },
  "GET /v1/schemas/{name}": { path: "/v1/schemas/manifest" },
  "GET /llms.txt": { path: "/llms.txt" },
  "GET /v1/agent_profiles/{version}": { path: `/v1/agent_profiles/${protocolVersions[0]}` },
  "POST /mcp": {
    body: () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    needsKeyOnly: true,
  },
  "GET /dashboard": {},
  "GET /dashboard/{file}": { path: "/dashboard/config.json" },
  "GET /docs": {},
  "GET /docs/{page}": { path: "/docs/errors" },
  "GET /docs/assets/{file}": { path: "/docs/assets/unknown.js", documented: 404 },
  "ANY /v1/scrape": { documented: 410 },
  "ANY /v1/scrape/{proxy+}": { path: "/v1/scrape/anything", documented: 410 },
  "ANY /v1/jobs": { documented: 410 },
  "ANY /v1/jobs/{proxy+}": { path: "/v1/jobs/anything", documented: 410 },
  "ANY /v1/batches": { documented: 410 },
  "ANY /v1/batches/{proxy+}": { path: "/v1/batches/anything", documented: 410 },
  "ANY /{proxy+}": { path: "/no/such/page", documented: 404 },
};

/**
 * Returns the path and query of a route's sample call.
 * @param preparedId The ID of the resource that `prepare` created. It replaces the path parameter.
 */
export function pathOf(route: RouteKey, preparedId: string): string {
  const [, own = ""] = route.split(" ");
  const { path = own, query } = sampleCalls[route];
  const filled = path
    .replace("{item_id}", steadyId)
    .replace("{run_number}", "1")
    .replace("{backtest_id}", "bt_000000000000000000000000")
    .replace(/\{\w+\}/, preparedId);
  return query === undefined ? filled : `${filled}?${query}`;
}
