import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import {
  deliveryWrite,
  dynamoDeliveryStore,
} from "../../../../shared/aws/deliveries/delivery-store.ts";
import { dynamoDueTargets } from "../../../../shared/aws/deliveries/due-targets.ts";
import { dynamoOutboxStore } from "../../../../shared/aws/deliveries/outbox-store.ts";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import { runEventId } from "../../../../shared/events/event.ts";
import { endpointTarget, type OutboxStore } from "../../../../shared/outbox/outbox.ts";
import { type Delivery, newDelivery } from "../../../../shared/webhooks/delivery.ts";
import type { DeliveryRecord } from "../../../../shared/webhooks/attempt-delivery.ts";
import type { DeliveryFilter, DeliveryStore } from "../../../../shared/webhooks/delivery-store.ts";
import { redeliveryEntry } from "../../../../shared/webhooks/outbox-entries.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const account = "acct_1";
const start = "2026-11-20T10:00:00.000Z";
const type = "watchlist.run.completed";
const clock = fixedClock(start);
const random = countingRandom();

const tables = openTables();
let tableName: string;
let store: DeliveryStore;
let outbox: OutboxStore<DeliveryRecord>;
beforeEach(async () => {
  clock.set(start);
  tableName = await tables.create();
  store = dynamoDeliveryStore(tables.client, { tableName, clock, random });
  outbox = dynamoOutboxStore<DeliveryRecord>(tables.client, {
    tableName,
    clock,
    random,
    recordWrite: (accountId, record) => deliveryWrite(tableName, accountId, record),
  });
});

/** Returns the nth delivery, of an event n seconds after 10:00:00. */
function aDelivery(n: number, wanted: Partial<Delivery> = {}): Delivery {
  const createdAt = new Date(Date.parse(start) + n * 1_000).toISOString();
  const runId = `wlrun_${n}`;
  const id = runEventId({ runId, endedAt: createdAt }, type, 1);
  const event = { id, type, createdAt } as const;
  const subject = { event, watchlistId: "wl_1", runId, endpointId: "we_1" };
  return { ...newDelivery(subject), ...wanted };
}
/** Stores deliveries in the log. */
async function keep(...deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const { Update } = deliveryWrite(tableName, account, { delivery, answersRequest: false });
    await tables.client.send(new UpdateCommand(Update));
  }
}
const page = async (
  limit: number,
  { before = null, filter = {} }: { before?: string | null; filter?: DeliveryFilter } = {},
) => {
  const { deliveries, lastId } = await store.list(account, { limit, before, filter });
  return { ids: deliveries.map(({ runId }) => runId), lastId };
};
const pending = () =>
  outbox.entries(endpointTarget(account, "we_1"), { lane: "later", by: null, limit: 10 });

describe("a stored delivery", () => {
  const failedTest = aDelivery(2, {
    eventType: "webhook.test",
    watchlistId: null,
    runId: null,
    state: "failed",
    attempts: [
      {
        attempt: 1,
        at: start,
        status: 500,
        durationMs: 12,
        error: "HTTP 500",
        response: "no",
        signature: { service: "t=1,v1=ab", standard: "v1,q" },
      },
      {
        attempt: null,
        at: start,
        status: null,
        durationMs: 0,
        error: "refused",
        response: null,
        signature: null,
      },
    ],
    attemptCount: 2,
    tries: 2,
    nextAttemptAt: start,
  });

  it.each([
    { what: "of a run's event", delivery: aDelivery(1) },
    { what: "of a test event with failed attempts", delivery: failedTest },
  ])("$what is returned unchanged, and only to its own account", async ({ delivery }) => {
    await store.put(account, delivery);

    expect(await store.get(account, delivery.id)).toEqual(delivery);
    expect(await store.get("acct_2", delivery.id)).toBeNull();
  });

  it("is returned without signatures and body if the previous release stored it", async () => {
    const attempt = {
      attempt: 1,
      at: start,
      status: 500,
      durationMs: 12,
      error: "e",
      response: "",
    };
    const delivery = aDelivery(1, { attempts: [{ ...attempt, signature: null }] });
    await store.put(account, delivery);
    await tables.client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: deliveryKeys.delivery(account, delivery.id),
        UpdateExpression: "SET attempts = :attempts REMOVE test_body",
        ExpressionAttributeValues: { ":attempts": [attempt] },
      }),
    );

    expect(await store.get(account, delivery.id)).toEqual(delivery);
  });

  it("is replaced when the same delivery is stored with a later state", async () => {
    await store.put(account, aDelivery(1));
    const delivered = aDelivery(1, { state: "delivered", attemptCount: 1, tries: 1 });
    await store.put(account, delivered);

    expect(await store.get(account, delivered.id)).toEqual(delivered);
    expect((await page(10)).ids).toEqual(["wlrun_1"]);
  });

  it("is returned for exactly 30 days, regardless of when DynamoDB deletes the row", async () => {
    const delivery = aDelivery(0);
    await keep(delivery);
    const Key = deliveryKeys.delivery(account, delivery.id);
    const { Item } = await tables.client.send(new GetCommand({ TableName: tableName, Key }));
    expect(Item?.["ttl"]).toBe(Date.parse("2026-12-20T10:00:00.000Z") / 1_000);

    clock.set("2026-12-20T09:59:59.999Z");
    expect(await store.get(account, delivery.id)).toEqual(delivery);
    clock.set("2026-12-20T10:00:00.000Z");
    expect(await store.get(account, delivery.id)).toBeNull();
    expect(await page(10)).toEqual({ ids: [], lastId: null });
  });
});

it("the delivery log in DynamoDB makes one request to find out which of many deliveries exist", async () => {
  const kept = Array.from({ length: 60 }, (_, n) => aDelivery(n));
  await keep(...kept);
  const asked = Array.from({ length: 100 }, (_, n) => aDelivery(n).id);

  const found = await store.getMany(account, asked);
  expect(found).toEqual(new Map(kept.map((delivery) => [delivery.id, delivery])));
  expect(await store.getMany("acct_2", asked)).toEqual(new Map());
  expect(await store.getMany(account, [])).toEqual(new Map());
});

describe("the list of stored deliveries", () => {
  it("is returned newest first in pages without gaps, and only the last page has no more deliveries", async () => {
    await keep(aDelivery(2), aDelivery(1), aDelivery(3), aDelivery(4));
    const first = await page(3);

    expect(first).toEqual({ ids: ["wlrun_4", "wlrun_3", "wlrun_2"], lastId: aDelivery(2).id });
    expect(await page(3, { before: first.lastId })).toEqual({ ids: ["wlrun_1"], lastId: null });
    expect((await page(4)).lastId).toBeNull();
    expect(await store.list("acct_2", { limit: 3, before: null, filter: {} })).toEqual({
      deliveries: [],
      lastId: null,
    });
  });

  it("contains only deliveries that match its filters", async () => {
    await keep(
      aDelivery(1, { endpointId: "we_2" }),
      aDelivery(2, { state: "failed" }),
      aDelivery(3, { eventType: "watchlist.product.changed" }),
      aDelivery(4, { watchlistId: "wl_2" }),
    );

    const filtered = async (filter: DeliveryFilter) => (await page(10, { filter })).ids;
    expect(await filtered({ endpointId: "we_2" })).toEqual(["wlrun_1"]);
    expect(await filtered({ state: "failed" })).toEqual(["wlrun_2"]);
    expect(await filtered({ eventType: "watchlist.product.changed" })).toEqual(["wlrun_3"]);
    expect(await filtered({ watchlistId: "wl_2" })).toEqual(["wlrun_4"]);
    expect(await filtered({ watchlistId: "wl_2", state: "failed" })).toEqual([]);
    expect(await page(1, { filter: { endpointId: "we_1" } })).toEqual({
      ids: ["wlrun_4"],
      lastId: aDelivery(4).id,
    });
  });
});

describe("a requested redelivery", () => {
  it("is added to the outbox in the transaction that stores the request, and a repeated request adds nothing", async () => {
    const failed = aDelivery(1, { state: "failed" });
    await keep(failed);
    const now = new Date("2026-11-20T11:00:00.000Z");

    expect(await store.requestRedelivery(account, failed, now)).toBe(true);
    expect(await store.get(account, failed.id)).toEqual({
      ...failed,
      requestedAt: now.toISOString(),
    });
    expect(await pending()).toEqual([redeliveryEntry(failed, now)]);
    expect(await dynamoDueTargets(tables.client, tableName).due(now, 10)).toEqual([
      endpointTarget(account, "we_1"),
    ]);
    const later = new Date("2026-11-20T12:00:00.000Z");
    expect(await store.requestRedelivery(account, failed, later)).toBe(false);
    expect(await pending()).toHaveLength(1);
    expect((await page(10, { filter: { state: "pending" } })).ids).toEqual(["wlrun_1"]);
  });

  it("adds nothing to the outbox if the delivery does not exist", async () => {
    expect(await store.requestRedelivery(account, aDelivery(1), clock.now())).toBe(false);
    expect(await pending()).toEqual([]);
    expect(await store.get(account, aDelivery(1).id)).toBeNull();
  });

  it("is added to the outbox only once if many requests for it run in parallel", async () => {
    const failed = aDelivery(1, { state: "failed" });
    await keep(failed);

    const asked = await Promise.all(
      Array.from({ length: 5 }, () => store.requestRedelivery(account, failed, clock.now())),
    );
    expect(asked.filter(Boolean)).toHaveLength(1);
  });

  it("stays recorded until its attempt is made, even if other attempts of the delivery are made first", async () => {
    const failed = aDelivery(1, { state: "failed" });
    await keep(failed);
    await store.requestRedelivery(account, failed, clock.now());
    await store.put(account, { ...failed, attemptCount: 4 });
    expect(await store.get(account, failed.id)).toMatchObject({ requestedAt: start });

    const delivery = { ...failed, state: "delivered" } as const;
    const { Update } = deliveryWrite(tableName, account, { delivery, answersRequest: true });
    await tables.client.send(new UpdateCommand(Update));
    expect(await store.get(account, failed.id)).toEqual(delivery);
    expect(await store.requestRedelivery(account, failed, clock.now())).toBe(true);
  });
});
