import { setTimeout as delay } from "node:timers/promises";
import { ApiError, Client, readEvents, s3Store } from "../../clients/typescript/source/index.ts";
import type { World } from "../../tools/local/world.ts";
import { localCustomer } from "../../tools/customer/bucket.ts";

/** What a tour found. The tours of both clients must find the same. */
export type Found = Readonly<Record<string, unknown>>;

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ids = ["9000001", "9000000", "9000003", "9000007"];
const patienceMs = 120_000;

/** Calls `attempt` until it returns a value. */
async function eventually<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await delay(200)) {
    const value = await attempt();
    if (value !== undefined) return value;
  }
  throw new Error("The expected state was not reached in time.");
}

const codeOf = (error: unknown): string =>
  error instanceof ApiError ? `${error.code} ${error.param ?? ""}` : String(error);

/** Walks from the first call to an export with the TypeScript client. */
export async function tour(world: World): Promise<Found> {
  const client = new Client({ apiKey: world.apiKey, baseUrl: world.baseUrl });
  const found: Record<string, unknown> = {};
  const deliveries = async (): Promise<Delivery[]> =>
    (await (await fetch(`${world.receiverUrl}/deliveries`)).json()) as Delivery[];

  const read = await client.products.read({ platform: "retailer_d", ids });
  found["statuses"] = read.results.map(({ status }) => status);
  const bad = client.products.read({ platform: "retailer_d", ids: ["12"] });
  found["refused"] = await bad.catch(codeOf);

  const url = `${world.receiverUrl}/hooks/typescript`;
  const { id: endpoint, secret } = await client.call("createWebhookEndpoint", {
    body: { url },
  });
  await client.call("putS3Destination", {
    body: {
      bucket: world.customerBucket,
      region: "us-east-1",
      endpoint: world.bucketEndpoint,
      force_path_style: true,
      prefix: "typescript/",
      auth: "access_key",
      access_key_id: localCustomer.accessKeyId,
      secret_access_key: localCustomer.secretAccessKey,
    },
  });
  const test = await client.call("testWebhookEndpoint", { path: { id: endpoint }, body: {} });
  found["tested"] = test.delivered;

  const { id } = await client.call("createWatchlist", {
    body: { name: "Tour", platform: "retailer_d", ids, every: "1h", webhook_endpoint_id: endpoint },
  });
  const path = { id };
  const events = (runs: number) =>
    eventually(async () => {
      const all = [];
      for await (const event of client.events.all({ watchlist_id: id, limit: 2 })) all.push(event);
      const ended = all.filter(({ type }) => type === "watchlist.run.completed");
      return ended.length === runs ? all : undefined;
    });
  const runAgain = () =>
    eventually(() =>
      client.call("runWatchlist", { path }).catch((error: unknown) => {
        // On a loaded machine, the service can return 503. It did not start a run then.
        if (/^(CONFLICT|UNAVAILABLE) /.test(codeOf(error))) return undefined;
        throw error;
      }),
    );
  await events(1);
  await runAgain();
  const afterTwo = await events(2);
  const changed = afterTwo.find((event) => event.type === "watchlist.product.changed");
  const price = changed?.data.changes.find((one) => one.id === ids[0])?.changes["price"];
  found["price changed"] = price !== undefined && price.before !== price.after;

  const rotated = await client.call("rotateWebhookSecret", { path: { id: endpoint }, body: {} });
  await client.call("updateWebhookEndpoint", { path: { id: endpoint }, body: { enabled: false } });
  await runAgain();
  const all = await events(3);
  const since = new Date(Date.now() - 600_000).toISOString();
  await client.call("updateWebhookEndpoint", { path: { id: endpoint }, body: { enabled: true } });
  await client.call("recoverWebhookDeliveries", { path: { id: endpoint }, body: { since } });
  const received = await eventually(async () => {
    const arrived = new Map<string, Delivery>();
    for (const one of await deliveries()) {
      const event = client.webhooks.verify(one.body, one.headers, [secret, rotated.secret]);
      if (event.type !== "webhook.test") arrived.set(event.id, one);
    }
    return all.every((event) => arrived.has(event.id)) ? arrived : undefined;
  });
  found["feed equals deliveries"] =
    received.size === all.length &&
    all.every((event) => JSON.stringify(event) === received.get(event.id)?.body);

  const first = await client
    .list("listWebhookDeliveries", { query: { state: "delivered" } })
    .next();
  const again = await client.call("redeliverWebhook", { path: { id: first.value?.id ?? "" } });
  found["redelivery"] = again.state;

  const store = s3Store({
    bucket: world.customerBucket,
    endpoint: world.bucketEndpoint,
    ...localCustomer,
  });
  const exported = await eventually(async () => {
    const seen = [];
    for await (const event of readEvents(store, { prefix: "typescript/" })) seen.push(event.id);
    return seen.length >= all.length ? seen : undefined;
  });
  found["export equals feed"] =
    JSON.stringify(exported.toSorted()) === JSON.stringify(all.map((event) => event.id).toSorted());

  let credits = 0;
  for await (const entry of client.list("listCreditTransactions", { query: { limit: 5 } }))
    credits += entry.balance_after - entry.balance_before;
  const account = await client.call("getAccount");
  found["ledger equals balance"] = credits === account.credit_balance;
  await client.call("deleteWatchlist", { path });
  found["deleted"] = await client.call("getWatchlist", { path }).catch(codeOf);
  return found;
}
