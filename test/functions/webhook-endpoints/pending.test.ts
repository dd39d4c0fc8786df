import { describe, expect, it } from "vitest";
import type { EventType } from "../../../shared/events/event.ts";
import {
  webhookDeliveriesResponse,
  webhookDeliveryWithAttemptsSchema,
} from "../../../shared/webhooks/delivery-schema.ts";
import { derivedIdAt } from "../../../shared/base/ids.ts";
import {
  aRun,
  type DeliveryWorld,
  eachDeliveryWorld,
  startedAt,
} from "../../support/delivery-world.ts";
import { type Answer, expectShape, invalid, notFound, refusal } from "../../support/group-api.ts";
import type { Receiver } from "../../support/receiver.ts";
import { endpointApi, type EndpointApi } from "./endpoint-api.ts";

const account = "acct_1";
const [listA = "", listB = ""] = ["a", "b"].map((name) =>
  derivedIdAt("watchlist", new Date(startedAt), name),
);
const wholeRun: EventType[] = [
  "watchlist.product.changed",
  "watchlist.product.delisted",
  "watchlist.run.completed",
];

let world: DeliveryWorld;
let api: EndpointApi;
let receiver: Receiver;
eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
  api = endpointApi(world);
});

type Entry = Record<string, unknown> & { readonly id: string };
const list = (query: Record<string, string> = {}) =>
  api.call("GET", "webhook_deliveries", { query });
const entriesOf = ({ body }: Answer) => body["data"] as Entry[];
const detail = (id: string) => api.call("GET", `webhook_deliveries/${id}`);
const at = (seconds: number) => new Date(Date.parse(startedAt) + seconds * 1_000).toISOString();
const publish = (n: number, wanted: Parameters<typeof aRun>[1] = {}, types = wholeRun) => {
  const run = aRun(types, {
    runId: `wlrun_${n}`,
    watchlistId: listA,
    happenedAt: at(n),
    ...wanted,
  });
  return world.publish(run).then(() => run);
};
/** Returns all entries of the log, read in pages of the given size. */
async function pages(
  limit: number,
  query: Record<string, string> = {},
  path = "webhook_deliveries",
): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null = null;
  do {
    const after: Record<string, string> = cursor === null ? {} : { starting_after: cursor };
    const asked = { query: { ...query, ...after, limit: String(limit) } };
    const page: Answer = await api.call("GET", path, asked);
    expectShape(webhookDeliveriesResponse, page);
    found.push(...entriesOf(page));
    cursor = page.body["next_starting_after"] as string | null;
  } while (cursor !== null);
  return found;
}

/**
 * Returns the IDs of all deliveries, read in pages. Checks that each is returned once, newest
 * first.
 */
async function idsInPages(limit: number): Promise<readonly string[]> {
  const ids = (await pages(limit)).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(ids.toSorted().toReversed());
  return ids;
}

describe("a delivery before its first attempt", () => {
  it("is in the delivery log with the state 'pending' as soon as its run is published", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = await publish(1);

    const answer = await list();

    expectShape(webhookDeliveriesResponse, answer);
    expect(answer.body["has_more"]).toBe(false);
    expect(entriesOf(answer)).toHaveLength(3);
    for (const entry of entriesOf(answer)) {
      expect(entry).toMatchObject({
        endpoint_id: endpoint.id,
        watchlist_id: listA,
        run_id: run.runId,
        state: "pending",
        attempt_count: 0,
        last_attempt_at: null,
        last_error: null,
        next_attempt_at: at(1),
        created_at: at(1),
      });
    }
    const pending = entriesOf(await list({ state: "pending" }));
    expect(pending).toEqual(entriesOf(answer));
    expect(entriesOf(await list({ state: "delivered" }))).toEqual([]);
  });

  it("keeps its ID after the attempt, and is listed exactly once before and after it", async () => {
    await world.addEndpoint(account, receiver.url);
    await publish(1);
    const before = entriesOf(await list());
    world.clock.set(at(2));
    await world.deliverDue();

    const after = entriesOf(await list());
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(new Set(after.map(({ state }) => state))).toEqual(new Set(["delivered"]));
    expect(entriesOf(await list({ state: "pending" }))).toEqual([]);
  });

  it("is not listed a second time if its delivered run is published again", async () => {
    await world.addEndpoint(account, receiver.url);
    await publish(1);
    world.clock.set(at(2));
    await world.deliverDue();
    await publish(1);

    expect(entriesOf(await list({ state: "pending" }))).toEqual([]);
    expect(entriesOf(await list())).toHaveLength(3);
  });

  it("can be read by its ID with the body that will be sent, and a request to redeliver it changes nothing", async () => {
    await world.addEndpoint(account, receiver.url);
    const run = await publish(1);
    const [entry] = entriesOf(await list({ event_type: "watchlist.product.delisted" }));

    const answer = await detail(entry?.id ?? "");

    expectShape(webhookDeliveryWithAttemptsSchema, answer);
    expect(answer.body).toMatchObject({
      ...entry,
      attempts: [],
      request_body: run.events[1]?.body,
    });
    const again = await api.call("POST", `webhook_deliveries/${entry?.id}/redeliver`);
    expect(again).toMatchObject({ status: 202, body: entry });
    expect(
      refusal(await api.call("GET", `webhook_deliveries/${entry?.id}`, { account: "acct_2" })),
    ).toEqual(notFound);
    expect(refusal(await detail(derivedIdAt("delivery", new Date(at(1)), "x")))).toEqual(notFound);
  });

  it("is selected by the same filters as a delivery that was attempted", async () => {
    const one = await world.addEndpoint(account, `${receiver.url}/1`);
    const two = await world.addEndpoint(account, `${receiver.url}/2`, {
      events: ["watchlist.run.completed"],
    });
    await world.addEndpoint("acct_2", `${receiver.url}/3`);
    await publish(1);
    await publish(2, { watchlistId: listB });
    await publish(3, { accountId: "acct_2" });

    expect(entriesOf(await list())).toHaveLength(8);
    expect(entriesOf(await list({ endpoint_id: two.endpoint.id }))).toHaveLength(2);
    expect(entriesOf(await list({ watchlist_id: listB }))).toHaveLength(4);
    expect(entriesOf(await list({ event_type: "watchlist.run.completed" }))).toHaveLength(4);
    expect(entriesOf(await list({ event_type: "webhook.test" }))).toEqual([]);
    expect(entriesOf(await list({ since: at(2) }))).toHaveLength(4);
    const own = await api.call("GET", `webhook_endpoints/${one.endpoint.id}/deliveries`);
    expect(entriesOf(own)).toHaveLength(6);
  });

  it("is listed with the other deliveries, newest first and once over all pages of any size", async () => {
    await world.addEndpoint(account, `${receiver.url}/1`);
    await world.addEndpoint(account, `${receiver.url}/2`);
    for (let n = 1; n <= 4; n += 1) await publish(n);
    world.clock.set(at(5));
    await world.deliverDue();
    expect(await idsInPages(1)).toHaveLength(2 * 12);
    // More runs than one page examines. They are not published in the order of their times, and
    // several have the same time.
    for (let n = 1; n <= 30; n += 1) {
      await publish(100 + n, { happenedAt: at(200 - Math.floor(n / 2)) }, [
        "watchlist.run.completed",
      ]);
    }
    // More runs with the same time than one page examines.
    for (let n = 1; n <= 27; n += 1) {
      await publish(200 + n, { happenedAt: at(300) }, ["watchlist.run.completed"]);
    }

    for (const limit of [45, 100]) {
      expect(await idsInPages(limit)).toHaveLength(2 * 12 + 2 * 30 + 2 * 27);
      expect(await pages(limit, { state: "pending" })).toHaveLength(2 * 30 + 2 * 27);
    }
  });
});

describe("the filter 'since' of the webhook delivery log", () => {
  it("excludes deliveries of events that occurred before the given time", async () => {
    await world.addEndpoint(account, receiver.url);
    for (let n = 1; n <= 3; n += 1) await publish(n);
    world.clock.set(at(5));
    await world.deliverDue();

    const found = entriesOf(await list({ since: at(2) }));
    expect(found).toHaveLength(6);
    expect(new Set(found.map(({ created_at: time }) => time))).toEqual(new Set([at(2), at(3)]));
    // The same instant in another time zone.
    expect(entriesOf(await list({ since: "2026-11-20T11:00:02+01:00" }))).toEqual(found);
    expect(await pages(1, { since: at(2), state: "delivered" })).toHaveLength(6);
    expect(refusal(await list({ since: "yesterday" }))).toEqual(invalid("since"));
  });
});

describe("the filters 'since' and 'watchlist_id' of the webhook delivery log, separately and in combination,", () => {
  it.each([1, 100])(
    "select attempted and pending deliveries of an account or an endpoint, in pages of %i deliveries",
    async (limit) => {
      const one = await world.addEndpoint(account, `${receiver.url}/1`);
      await world.addEndpoint(account, `${receiver.url}/2`);
      const listOf = (n: number) => ({ watchlistId: n % 2 === 0 ? listB : listA });
      const types: EventType[] = ["watchlist.run.completed"];
      for (let n = 1; n <= 4; n += 1) await publish(n, listOf(n), types);
      world.clock.set(at(5));
      await world.deliverDue();
      for (let n = 6; n <= 9; n += 1) await publish(n, listOf(n), types);
      const runs = (entries: readonly Entry[]) => entries.map(({ run_id: run }) => run);

      const ofEndpoint = `webhook_endpoints/${one.endpoint.id}/deliveries`;
      expect(runs(await pages(limit, { since: at(4) }, ofEndpoint))).toEqual(
        [9, 8, 7, 6, 4].map((n) => `wlrun_${n}`),
      );
      expect(runs(await pages(limit, { watchlist_id: listB }, ofEndpoint))).toEqual(
        [8, 6, 4, 2].map((n) => `wlrun_${n}`),
      );
      const both = { since: at(3), watchlist_id: listA };
      const found = runs(await pages(limit, both, ofEndpoint));
      expect(found).toEqual([9, 7, 3].map((n) => `wlrun_${n}`));
      expect(runs(await pages(limit, both))).toEqual(found.flatMap((run) => [run, run]));
    },
  );
});

describe("GET /v1/webhook_deliveries/{id}", () => {
  it("returns the headers and the body of each attempt's request as the receiver got them", async () => {
    const { endpoint, secret } = await world.addEndpoint(account, receiver.url);
    const run = await publish(1, {}, ["watchlist.run.completed"]);
    receiver.answer = (response) => response.writeHead(500).end();
    world.clock.set(at(2));
    await world.deliverDue();
    await world.rotate(endpoint, true);
    world.clock.set(at(60));
    receiver.answer = (response) => response.end();
    await world.deliverDue();
    const [entry] = entriesOf(await list());

    const answer = await detail(entry?.id ?? "");

    expectShape(webhookDeliveryWithAttemptsSchema, answer);
    expect(answer.body["request_body"]).toBe(run.events[0]?.body);
    const attempts = answer.body["attempts"] as { request_headers: Record<string, string> }[];
    expect(receiver.requests).toHaveLength(2);
    receiver.requests.forEach(({ headers, body }, n) => {
      expect(body).toBe(answer.body["request_body"]);
      const shown = Object.entries(attempts[n]?.request_headers ?? {});
      expect(shown).toHaveLength(9);
      for (const [name, value] of shown) expect(headers[name.toLowerCase()]).toBe(value);
    });
    for (const kept of [secret, ...world.secretsMade]) expect(answer.text).not.toContain(kept);
  });

  it("returns no headers for an attempt that failed before it sent a request", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url, { enabled: false });
    await publish(1, { webhookEndpointId: endpoint.id }, ["watchlist.run.completed"]);
    world.clock.set(at(2));
    await world.deliverDue();
    const [entry] = entriesOf(await list());

    expect((await detail(entry?.id ?? "")).body["attempts"]).toMatchObject([
      { attempt: null, error: "endpoint_disabled", request_headers: null },
    ]);
  });

  it("returns the body of a test delivery", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await api.call("POST", `webhook_endpoints/${endpoint.id}/test`);
    const [entry] = entriesOf(await list());

    const { body } = await detail(entry?.id ?? "");
    expect(body["request_body"]).toBe(receiver.requests[0]?.body);
    expect(body["attempts"]).toMatchObject([
      {
        request_headers: {
          "Service-Signature": receiver.requests[0]?.headers["service-signature"],
        },
      },
    ]);
  });
});
