import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { customerBucketReader } from "../../tools/customer/bucket.ts";
import type { Narrator } from "./narrator.ts";
import { operate } from "./operate.ts";
import {
  type ReachableTarget,
  parsed,
  waitSecondsMax,
  runAgain,
  runCompleted,
  type TourTarget,
} from "./runs.ts";
import { type Delivery, verifyDelivery } from "./verify-delivery.ts";

/** Tests everything from a new account to a change at the customer, with a check at every step. */
export async function runTour(target: ReachableTarget, tell: Narrator): Promise<void> {
  const api = apiClient(target.baseUrl, await openAccount(target, tell));
  await readProducts(api, target, tell);
  const { endpointId, secret } = await registerReceiver(api, target, tell);
  await registerBucket(api, target, tell);
  const watchlistId = await createWatchlist(api, target, tell);
  const first = await runCompleted(target, tell, { watchlistId, runNumber: 1 });
  tell.check("the first run reads every item and reports no change", first.changed.length === 0);
  tell.chapter(`The price changes; POST /v1/watchlists/{id}/run`);
  await target.movePrice();
  await runAgain(api, watchlistId, tell);
  const second = await runCompleted(target, tell, { watchlistId, runNumber: 2 });
  reportChange(second.changed, target, tell);
  checkSignatures([...first.all, ...second.all], secret, tell);
  await checkExport([...first.all, ...second.all], target, tell);
  await operate({ api, target, watchlistId, endpointId, secret }, tell);
  await checkBalance(api, tell);
}

export async function openAccount(target: TourTarget, tell: Narrator): Promise<string> {
  tell.chapter("An account and a key (npm run admin)");
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
  tell.say(
    `account ${String(account["id"])} with ${String(account["credit_balance"])} free credits`,
  );
  tell.check("a new account has 5,000 credits", account["credit_balance"] === 5_000);
  return String(key["key"]);
}

export async function readProducts(
  api: ApiClient,
  { ids }: TourTarget,
  tell: Narrator,
): Promise<void> {
  tell.chapter("POST /v1/products");
  const answer = await api.send("POST", "/products", { platform: "retailer_d", ids });
  tell.check("the call answers 200", answer.status === 200);
  const results = answer.body["results"] as Record<string, unknown>[];
  for (const result of results) tell.say(describeResult(result));
  const charged = results.filter((result) =>
    ["ok", "not_found"].includes(String(result["status"])),
  );
  tell.check(`every id is answered once, in order`, sameIds(results, ids));
  tell.check(
    `${charged.length} answered items cost ${charged.length} credits, in body and header`,
    answer.body["credits"] === charged.length &&
      answer.headers.get("x-service-credits") === String(charged.length),
  );
  tell.check(
    `X-Service-Balance is ${5_000 - charged.length}`,
    answer.headers.get("x-service-balance") === String(5_000 - charged.length),
  );
  await refuseBadInput(api, tell);
}

async function refuseBadInput(api: ApiClient, tell: Narrator): Promise<void> {
  const answer = await api.send("POST", "/products", { platform: "retailer_d", ids: ["12"] });
  const error = answer.body["error"] as Record<string, unknown>;
  tell.say(
    `a malformed id: ${answer.status} ${String(error["code"])}: ${String(error["message"])}`,
  );
  tell.check("it is refused by position", answer.status === 400 && error["param"] === "ids[0]");
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
  tell: Narrator,
): Promise<{ readonly endpointId: string; readonly secret: string }> {
  tell.chapter("POST /v1/webhook_endpoints");
  const answer = await api.send("POST", "/webhook_endpoints", { url: receiverPath(target) });
  tell.check("the receiver is registered", answer.status === 201);
  const secret = String(answer.body["secret"]);
  tell.check("its secret is shown once", secret.startsWith("whsec_"));
  const endpointId = String(answer.body["id"]);
  const again = await api.get(`/webhook_endpoints/${endpointId}`);
  tell.check("and never again", again.status === 200 && again.body["secret"] === undefined);
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
  tell: Narrator,
): Promise<void> {
  tell.chapter("PUT /v1/s3_destination");
  const answer = await api.send("PUT", "/s3_destination", {
    bucket: bucket.name,
    region: "us-east-1",
    endpoint: bucket.endpoint,
    force_path_style: true,
    prefix: "tour/",
    auth: "access_key",
    access_key_id: bucket.accessKeyId,
    secret_access_key: bucket.secretAccessKey,
  });
  tell.check("the bucket is verified by a write and accepted", answer.status === 201);
  tell.check("the secret key is not echoed", answer.body["secret_access_key"] === undefined);
}

export async function createWatchlist(
  api: ApiClient,
  { ids }: TourTarget,
  tell: Narrator,
): Promise<string> {
  tell.chapter("POST /v1/watchlists");
  const answer = await api.send("POST", "/watchlists", {
    name: "Tour",
    platform: "retailer_d",
    ids,
    every: "1h",
  });
  tell.check("the watchlist is created", answer.status === 201);
  tell.say(
    `watchlist ${String(answer.body["id"])}, ${ids.length} items, every hour; first run due now`,
  );
  return String(answer.body["id"]);
}

export function reportChange(
  changed: readonly Record<string, unknown>[],
  { ids }: TourTarget,
  tell: Narrator,
): void {
  const entry = changed.find((one) => one["id"] === ids[0]);
  const price = (
    entry?.["changes"] as Record<string, { before: number; after: number }> | undefined
  )?.["price"];
  tell.say(`${ids[0]}: price ${String(price?.before)} → ${String(price?.after)}`);
  tell.check(
    "the changed price is reported, before and after",
    price !== undefined && price.before !== price.after,
  );
  tell.check(
    "the snapshot holds the new price",
    (entry?.["snapshot"] as Record<string, unknown> | undefined)?.["price"] === price?.after,
  );
}

function checkSignatures(deliveries: readonly Delivery[], secret: string, tell: Narrator): void {
  tell.chapter("Signatures, verified by libraries of other vendors");
  const verdicts = deliveries.map((delivery) => verifyDelivery(delivery, secret));
  tell.check(
    `stripe accepts all ${deliveries.length} deliveries`,
    verdicts.every((verdict) => verdict.stripe),
  );
  tell.check(
    `standardwebhooks accepts all ${deliveries.length} deliveries`,
    verdicts.every((verdict) => verdict.standardWebhooks),
  );
  const [first] = deliveries;
  if (first === undefined)
    throw new Error("Check failed: no delivery arrived, so none can be tampered with");
  const tampered = verifyDelivery({ ...first, body: `${first.body} ` }, secret);
  tell.check("both refuse a changed byte", !tampered.stripe && !tampered.standardWebhooks);
}

async function checkExport(
  deliveries: readonly Delivery[],
  target: ReachableTarget,
  tell: Narrator,
): Promise<void> {
  tell.chapter("The same events in the bucket");
  const bucket = customerBucketReader(target.bucket.endpoint, target.bucket.name, target.bucket);
  try {
    const keys = await tell.wait("both manifests", waitSecondsMax, async () => {
      const found = await bucket.keys();
      return found.filter((key) => key.endsWith("_manifest.json")).length >= 2 ? found : undefined;
    });
    for (const key of keys) tell.say(key);
    for (const delivery of deliveries) {
      const id = String(parsed(delivery)["id"]);
      const key = keys.find((one) => one.includes(id));
      const line = key === undefined ? "" : await bucket.read(key);
      tell.check(`the line of ${id} is the webhook's body`, line === `${delivery.body}\n`);
    }
  } finally {
    bucket.close();
  }
}

export async function checkBalance(api: ApiClient, tell: Narrator): Promise<void> {
  tell.chapter("GET /v1/account");
  const { body } = await api.get("/account");
  const balance = Number(body["credit_balance"]);
  const spent = Number(body["credits_spent"]);
  tell.say(`balance ${balance}, spent ${spent}`);
  tell.check("spent and remaining credits equal the granted ones", balance + spent === 5_000);
  const { in_flight: inFlight } = body["concurrency"] as { in_flight: number };
  tell.check("no slot is left in use", inFlight === 0);
}
