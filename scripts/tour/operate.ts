import type { Row, TourClient } from "./clients/tour-client.ts";
import type { Narrator } from "./narrator.ts";
import { deliveriesOf, type ReachableTarget, eventIn, waitSecondsMax, runAgain } from "./runs.ts";
import { type Delivery, verifyDelivery } from "./verify-delivery.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** What the operations are tested with: a client, the world, a watchlist and its endpoint. */
export interface Operated {
  readonly api: TourClient;
  readonly target: ReachableTarget;
  readonly watchlistId: string;
  readonly endpointId: string;
  readonly secret: string;
}

/**
 * Tests the operations that manage webhooks and the export: retries, new secrets, missed events and
 * test deliveries. Call it after two runs whose events were delivered.
 * @throws Error if a check fails.
 */
export async function operate(operated: Operated, narrator: Narrator): Promise<void> {
  await testEndpoint(operated, narrator);
  await failOnceDuringRotation(operated, narrator);
  await recoverMissedEvents(operated, narrator);
  await redeliver(operated, narrator);
  await readFeed(operated, narrator);
  await backfill(operated, narrator);
}

async function testEndpoint({ api, endpointId }: Operated, narrator: Narrator): Promise<void> {
  narrator.chapter("POST /v1/webhook_endpoints/{id}/test");
  const { body } = await api.send("POST", `/webhook_endpoints/${endpointId}/test`);
  narrator.check("the receiver accepts a test delivery", body["delivered"] === true);
}

async function failOnceDuringRotation(operated: Operated, narrator: Narrator): Promise<void> {
  const { api, target, watchlistId, endpointId, secret } = operated;
  narrator.chapter("POST /v1/webhook_endpoints/{id}/rotate, and a receiver that fails once");
  const rotated = await api.send("POST", `/webhook_endpoints/${endpointId}/rotate`);
  const current = String(rotated.body["secret"]);
  await controlReceiver(target, "secrets", { secret: current });
  await controlReceiver(target, "behavior", { status: 500, times: 1 });
  await runAgain(api, watchlistId, narrator);
  const run = { watchlistId, runNumber: 3 };
  // The first event failed. Its retry follows after five seconds, when the other events have
  // arrived.
  const seen = await narrator.wait("the retry", waitSecondsMax, async () => {
    const all = await deliveriesOf(target, run);
    return idsOf(all).length > new Set(idsOf(all)).size ? all : undefined;
  });
  const repeated = seen.filter((one) => idOf(one) === idOf(seen[0]));
  narrator.check(
    "the failed delivery was sent again with the same bytes",
    repeated.length === 2 && repeated[0]?.body === repeated[1]?.body,
  );
  narrator.check(
    "the old and the new secret both verify during the overlap",
    [secret, current].every((one) =>
      seen.every((delivery) => Object.values(verifyDelivery(delivery, one)).every(Boolean)),
    ),
  );
  if (api.library !== undefined) {
    const accepted = [];
    for (const one of seen) accepted.push(await api.library.accepts(one, [secret, current]));
    narrator.check(
      `${api.library.name} accepts deliveries with both secrets`,
      accepted.every(Boolean),
    );
  }
  const entry = await narrator.wait("the delivery log", waitSecondsMax, async () => {
    const log = await api.get(`/webhook_endpoints/${endpointId}/deliveries?limit=100`);
    const foundDelivery = (log.body["data"] as Record<string, unknown>[]).find(
      (one) => one["event_id"] === idOf(seen[0]),
    );
    return foundDelivery?.["state"] === "delivered" ? foundDelivery : undefined;
  });
  narrator.check("the log has both attempts", entry["attempt_count"] === 2);
}

async function recoverMissedEvents(operated: Operated, narrator: Narrator): Promise<void> {
  const { api, target, watchlistId, endpointId } = operated;
  narrator.chapter("A disabled endpoint; POST /v1/webhook_endpoints/{id}/recover");
  const since = new Date(Date.now() - 60_000).toISOString();
  await api.send("PATCH", `/webhook_endpoints/${endpointId}`, { enabled: false });
  await runAgain(api, watchlistId, narrator);
  await narrator.wait("the run without a receiver", waitSecondsMax, async () => {
    const { body } = await api.get(`/watchlists/${watchlistId}/runs?limit=1`);
    const [run] = body["data"] as Record<string, unknown>[];
    return run?.["run_number"] === 4 && run["status"] === "completed" ? run : undefined;
  });
  const feed = await narrator.wait(
    "the events of the run in the feed",
    waitSecondsMax,
    async () => {
      const events = await allEvents(operated);
      return events.filter((event) => runNumberOf(event) === 4).length > 0 ? events : undefined;
    },
  );
  const missed = feed
    .filter((event) => runNumberOf(event) === 4)
    .map((event) => String(event["id"]));
  narrator.note(`${quantity(missed.length, "event")} of run 4 in the feed`);
  narrator.check(
    "the disabled endpoint received nothing",
    (await deliveriesOf(target, { watchlistId, runNumber: 4 })).length === 0,
  );
  await api.send("PATCH", `/webhook_endpoints/${endpointId}`, { enabled: true });
  const answer = await api.send("POST", `/webhook_endpoints/${endpointId}/recover`, { since });
  narrator.check("the recovery is accepted", answer.status === 202);
  // The service sends missed events concurrently, so the check ignores their order.
  const arrived = await narrator.wait("the missed events", waitSecondsMax, async () => {
    const all = await deliveriesOf(target, { watchlistId, runNumber: 4 });
    return missed.every((id) => idsOf(all).includes(id)) ? all : undefined;
  });
  narrator.check("each missed event arrives once", arrived.length === missed.length);
}

async function redeliver(operated: Operated, narrator: Narrator): Promise<void> {
  const { api, target, watchlistId } = operated;
  narrator.chapter("POST /v1/webhook_deliveries/{id}/redeliver");
  const run = { watchlistId, runNumber: 2 };
  const before = await deliveriesOf(target, run);
  const log = await api.get("/webhook_deliveries?limit=100&state=delivered");
  const entry = (log.body["data"] as Record<string, unknown>[]).find(
    (one) => one["event_id"] === idOf(before[0]),
  );
  const answer = await api.send("POST", `/webhook_deliveries/${String(entry?.["id"])}/redeliver`);
  narrator.check("a redelivery is accepted", answer.status === 202);
  const after = await narrator.wait("the redelivery at the receiver", waitSecondsMax, async () => {
    const all = await deliveriesOf(target, run);
    return all.length > before.length ? all : undefined;
  });
  narrator.check("the redelivery has the same bytes", after.at(-1)?.body === before[0]?.body);
}

async function readFeed(operated: Operated, narrator: Narrator): Promise<void> {
  const { target, watchlistId } = operated;
  narrator.chapter("GET /v1/events");
  const events = await allEvents(operated);
  const delivered = new Map<string, string>();
  for (const runNumber of [1, 2, 3, 4]) {
    for (const one of await deliveriesOf(target, { watchlistId, runNumber })) {
      delivered.set(idOf(one), one.body);
    }
  }
  const ids = events.map((event) => String(event["id"]));
  narrator.check(
    `the feed, read two events at a time, has all ${delivered.size} events once`,
    new Set(ids).size === ids.length && ids.length === delivered.size,
  );
  narrator.check(
    "the feed has the same events as the receiver",
    events.every((event) => delivered.get(String(event["id"])) === JSON.stringify(event)),
  );
}

const allEvents = ({ api }: Operated): Promise<readonly Row[]> => api.all("/events?limit=2");

async function backfill({ api }: Operated, narrator: Narrator): Promise<void> {
  narrator.chapter("POST /v1/s3_destination/backfill");
  const exportsOf = async (): Promise<Record<string, unknown>[]> =>
    (await api.get("/s3_destination/exports")).body["data"] as Record<string, unknown>[];
  const before = await exportsOf();
  narrator.check("the export log has every run", before.length === 4);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const answer = await api.send("POST", "/s3_destination/backfill", { since });
  narrator.check("a backfill is accepted", answer.status === 202);
  await narrator.wait("the second export of every run", waitSecondsMax, async () => {
    const now = await exportsOf();
    const again = now.filter((one, n) => {
      const attempts = Number(before[n]?.["attempt_count"]);
      return one["state"] === "done" && Number(one["attempt_count"]) > attempts;
    });
    return again.length === before.length ? again : undefined;
  });
}

const idOf = (delivery: Delivery | undefined): string => String(eventIn(delivery)["id"]);
const idsOf = (deliveries: readonly Delivery[]): string[] => deliveries.map((one) => idOf(one));
const runNumberOf = (event: Row): unknown =>
  (event["data"] as Record<string, unknown>)["run_number"];

async function controlReceiver(
  { receiver }: ReachableTarget,
  path: string,
  body: unknown,
): Promise<void> {
  await fetch(`${receiver.controlUrl}/${path}`, { method: "POST", body: JSON.stringify(body) });
}
