import type { ApiClient } from "../../tools/customer/api-client.ts";
import { checkExport, checkSignatures, exportPrefix } from "./check-deliveries.ts";
import { httpClient } from "./clients/http.ts";
import type { TourClient } from "./clients/tour-client.ts";
import type { Narrator } from "./narrator.ts";
import { operate } from "./operate.ts";
import { type ReachableTarget, runAgain, waitForRun, type TourTarget } from "./runs.ts";

const platformDefault = "retailer_d";

/**
 * Tests the service from a new account to a change that the customer receives, and checks every
 * step.
 * @throws Error if a check fails.
 */
export async function runTour(target: ReachableTarget, narrator: Narrator): Promise<void> {
  const { connect = httpClient, baseUrl } = target;
  const api = connect(baseUrl, await openAccount(target, narrator));
  try {
    await visit(api, target, narrator);
  } finally {
    await api.close();
  }
}

async function visit(api: TourClient, target: ReachableTarget, narrator: Narrator): Promise<void> {
  await readProducts(api, target, narrator);
  await readWithLibrary(api, target, narrator);
  const { endpointId, secret } = await registerReceiver(api, target, narrator);
  await registerBucket(api, target, narrator);
  const watchlistId = await createWatchlist(api, target, narrator);
  const first = await waitForRun(target, narrator, { watchlistId, runNumber: 1 });
  narrator.check(
    "the first run reads every item and reports no change",
    first.changed.length === 0,
  );
  narrator.chapter(`The price changes; POST /v1/watchlists/{id}/run`);
  await target.movePrice();
  await runAgain(api, watchlistId, narrator);
  const second = await waitForRun(target, narrator, { watchlistId, runNumber: 2 });
  reportChange(second.changed, target, narrator);
  const deliveries = [...first.all, ...second.all];
  await checkSignatures(api, { deliveries, secret }, narrator);
  await checkExport(api, { deliveries, target }, narrator);
  await operate({ api, target, watchlistId, endpointId, secret }, narrator);
  await checkBalance(api, narrator);
  await checkLedger(api, narrator);
  await deleteWatchlist(api, watchlistId, narrator);
}

/**
 * Creates an account, checks its free credits, and creates an API key. Returns the key.
 * @throws Error if the account does not have 5,000 credits, or if a command fails.
 */
export async function openAccount(target: TourTarget, narrator: Narrator): Promise<string> {
  narrator.chapter("An account and a key (npm run admin)");
  const account = await target.admin(
    "create-account",
    "--name",
    "Tour",
    "--email",
    "tour@example.com",
  );
  const key = await target.admin(
    "create-key",
    "--account",
    String(account["id"]),
    "--name",
    "tour",
  );
  narrator.note(
    `account ${String(account["id"])} with ${String(account["credit_balance"])} free credits`,
  );
  narrator.check("a new account has 5,000 credits", account["credit_balance"] === 5_000);
  return String(key["key"]);
}

/**
 * Reads products, and checks the response, its charge and its headers. Also checks that the API
 * refuses a malformed ID. Use a new account: the expected balance is 5,000 credits minus the
 * charge.
 * @throws Error if a check fails.
 */
export async function readProducts(
  api: ApiClient,
  { ids, platform = platformDefault }: TourTarget,
  narrator: Narrator,
): Promise<void> {
  narrator.chapter("POST /v1/products");
  const answer = await api.send("POST", "/products", { platform, ids });
  narrator.check("the call returns 200", answer.status === 200);
  const results = answer.body["results"] as Record<string, unknown>[];
  for (const result of results) narrator.note(describeResult(result));
  const charged = results.filter((result) =>
    ["ok", "not_found"].includes(String(result["status"])),
  );
  narrator.check("every ID has one result, in order", sameIds(results, ids));
  narrator.check(
    `${charged.length} items with a result cost ${charged.length} credits, in body and header`,
    answer.body["credits"] === charged.length &&
      answer.headers.get("x-service-credits") === String(charged.length),
  );
  narrator.check(
    `X-Service-Balance is ${5_000 - charged.length}`,
    answer.headers.get("x-service-balance") === String(5_000 - charged.length),
  );
  await refuseBadInput(api, platform, narrator);
}

async function refuseBadInput(api: ApiClient, platform: string, narrator: Narrator): Promise<void> {
  const answer = await api.send("POST", "/products", { platform, ids: ["12"] });
  const error = answer.body["error"] as Record<string, unknown>;
  narrator.note(
    `a malformed ID: ${answer.status} ${String(error["code"])}: ${String(error["message"])}`,
  );
  narrator.check(
    "the error names the position of the malformed ID",
    answer.status === 400 && error["param"] === "ids[0]",
  );
}

/**
 * Reads the products with the function of the packaged client that accepts any number of IDs, and
 * checks their order. Does nothing for a client without this function.
 */
async function readWithLibrary(
  { library }: TourClient,
  { ids, platform = platformDefault }: TourTarget,
  narrator: Narrator,
): Promise<void> {
  if (library === undefined) return;
  const results = await library.readAll(platform, ids);
  narrator.check(`${library.name} reads all products in order`, sameIds(results, ids));
}

const sameIds = (results: readonly Record<string, unknown>[], ids: readonly string[]): boolean =>
  JSON.stringify(results.map((result) => result["id"])) === JSON.stringify(ids);

function describeResult(result: Record<string, unknown>): string {
  const price = result["price"] as { amount?: number; currency?: string } | undefined;
  const stock = result["availability"] as { inStock?: boolean } | undefined;
  const shown = price === undefined ? "" : `  ${price.amount} ${price.currency}`;
  const inStock = stock === undefined ? "" : `  ${stock.inStock ? "in stock" : "out of stock"}`;
  return `${String(result["id"])}  ${String(result["status"])}${shown}${inStock}  ${typeof result["title"] === "string" ? result["title"] : ""}`;
}

async function registerReceiver(
  api: ApiClient,
  target: ReachableTarget,
  narrator: Narrator,
): Promise<{ readonly endpointId: string; readonly secret: string }> {
  narrator.chapter("POST /v1/webhook_endpoints");
  const answer = await api.send("POST", "/webhook_endpoints", { url: receiverPath(target) });
  narrator.check("the receiver is registered", answer.status === 201);
  const secret = String(answer.body["secret"]);
  narrator.check("the response contains the endpoint's secret", secret.startsWith("whsec_"));
  const endpointId = String(answer.body["id"]);
  const again = await api.get(`/webhook_endpoints/${endpointId}`);
  narrator.check(
    "a later response does not contain the secret",
    again.status === 200 && again.body["secret"] === undefined,
  );
  await fetch(`${target.receiver.controlUrl}/secrets`, {
    method: "POST",
    body: JSON.stringify({ secret }),
  });
  return { endpointId, secret };
}

const receiverPath = (target: ReachableTarget): string => `${target.receiver.url}/hooks/tour`;

async function registerBucket(
  api: ApiClient,
  { bucket }: ReachableTarget,
  narrator: Narrator,
): Promise<void> {
  narrator.chapter("PUT /v1/s3_destination");
  const answer = await api.send("PUT", "/s3_destination", {
    bucket: bucket.name,
    region: "us-east-1",
    endpoint: bucket.endpoint,
    force_path_style: true,
    prefix: exportPrefix,
    auth: "access_key",
    access_key_id: bucket.accessKeyId,
    secret_access_key: bucket.secretAccessKey,
  });
  narrator.check("the bucket is verified by a write and accepted", answer.status === 201);
  narrator.check(
    "the response does not contain the secret key",
    answer.body["secret_access_key"] === undefined,
  );
}

/**
 * Creates a watchlist of the tour's items, whose first run is due immediately. Returns the ID of
 * the watchlist.
 * @throws Error if the watchlist is not created
 */
export async function createWatchlist(
  api: ApiClient,
  { ids, platform = platformDefault }: TourTarget,
  narrator: Narrator,
): Promise<string> {
  narrator.chapter("POST /v1/watchlists");
  const answer = await api.send("POST", "/watchlists", {
    name: "Tour",
    platform,
    ids,
    every: "1h",
  });
  narrator.check("the watchlist is created", answer.status === 201);
  narrator.note(
    `watchlist ${String(answer.body["id"])}, ${ids.length} items, every hour; first run due now`,
  );
  return String(answer.body["id"]);
}

/**
 * Checks that an event reports the changed price of the first item.
 * @param changed the changes in the events of a run
 * @throws Error if no change contains the price
 */
export function reportChange(
  changed: readonly Record<string, unknown>[],
  { ids }: TourTarget,
  narrator: Narrator,
): void {
  const entry = changed.find((one) => one["id"] === ids[0]);
  const price = (
    entry?.["changes"] as Record<string, { before: number; after: number }> | undefined
  )?.["price"];
  narrator.note(`${ids[0]}: price ${String(price?.before)} → ${String(price?.after)}`);
  narrator.check(
    "the event has the price before and after the change",
    price !== undefined && price.before !== price.after,
  );
  narrator.check(
    "the snapshot holds the new price",
    (entry?.["snapshot"] as Record<string, unknown> | undefined)?.["price"] === price?.after,
  );
}

/**
 * Checks that the balance and the spent credits add up to the 5,000 credits of a new account. Also
 * checks that no concurrency slot is in use.
 * @throws Error if a check fails
 */
export async function checkBalance(api: ApiClient, narrator: Narrator): Promise<void> {
  narrator.chapter("GET /v1/account");
  const { body } = await api.get("/account");
  const balance = Number(body["credit_balance"]);
  const spent = Number(body["credits_spent"]);
  narrator.note(`balance ${balance}, spent ${spent}`);
  narrator.check("spent and remaining credits add up to 5,000", balance + spent === 5_000);
  const { in_flight: inFlight } = body["concurrency"] as { in_flight: number };
  narrator.check("no concurrency slot is in use", inFlight === 0);
}

/** Checks that the credit transactions, read five at a time, add up to the balance. */
async function checkLedger(api: TourClient, narrator: Narrator): Promise<void> {
  narrator.chapter("GET /v1/credit_transactions");
  const entries = await api.all("/credit_transactions?limit=5");
  const total = entries.reduce(
    (sum, entry) => sum + Number(entry["balance_after"]) - Number(entry["balance_before"]),
    0,
  );
  const { body } = await api.get("/account");
  narrator.note(`${entries.length} transactions`);
  narrator.check("the transactions add up to the balance", total === body["credit_balance"]);
}

async function deleteWatchlist(
  api: ApiClient,
  watchlistId: string,
  narrator: Narrator,
): Promise<void> {
  narrator.chapter("DELETE /v1/watchlists/{id}");
  const deleted = await api.send("DELETE", `/watchlists/${watchlistId}`);
  narrator.check("the watchlist is deleted", deleted.status === 200);
  const after = await api.get(`/watchlists/${watchlistId}`);
  narrator.check("a later call returns 404", after.status === 404);
}
