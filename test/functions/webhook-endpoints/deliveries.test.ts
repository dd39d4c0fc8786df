import { describe, expect, it } from "vitest";
import { derivedIdAt, newId } from "../../../shared/base/ids.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import type { EventType } from "../../../shared/events/event.ts";
import { endpointTarget } from "../../../shared/outbox/outbox.ts";
import { type Delivery, newDelivery } from "../../../shared/webhooks/delivery.ts";
import {
  webhookDeliveriesResponse,
  webhookDeliverySchema,
  webhookDeliveryWithAttemptsSchema,
} from "../../../shared/webhooks/delivery-schema.ts";
import { webhookRecoveryResponse } from "../../../shared/webhooks/endpoint-schema.ts";
import {
  aRun,
  type DeliveryWorld,
  eachDeliveryWorld,
  startedAt,
} from "../../support/delivery-world.ts";
import {
  type Answer,
  conflict,
  expectShape,
  invalid,
  notFound,
  refusal,
} from "../../support/group-api.ts";
import type { Receiver } from "../../support/receiver.ts";
import { endpointApi, type EndpointApi } from "./endpoint-api.ts";

const account = "acct_1";

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
const listOf = (endpointId: string, query: Record<string, string> = {}) =>
  api.call("GET", `webhook_endpoints/${endpointId}/deliveries`, { query });
const entriesOf = ({ body }: Answer) => body["data"] as Entry[];
const getOne = (id: string) => api.call("GET", `webhook_deliveries/${id}`);
const redeliver = (id: string) => api.call("POST", `webhook_deliveries/${id}/redeliver`);
const recover = (id: string, body: unknown) =>
  api.call("POST", `webhook_endpoints/${id}/recover`, { body });
const disable = (id: string) =>
  api.call("PATCH", `webhook_endpoints/${id}`, { body: { enabled: false } });
const at = (seconds: number) => new Date(Date.parse(startedAt) + seconds * 1_000);
const anId = (kind: "watchlist" | "webhookEndpoint" | "run", n: number) =>
  derivedIdAt(kind, at(0), n);

/**
 * Stores a delivery in the log, as the outbox does. Its event was created `seconds` after the
 * start.
 */
async function logged(seconds: number, wanted: Partial<Delivery> = {}): Promise<Delivery> {
  const event = {
    id: newId("event", at(seconds), systemRandom),
    type: wanted.eventType ?? "watchlist.product.changed",
    createdAt: at(seconds).toISOString(),
  };
  const delivery = {
    ...newDelivery({
      event,
      watchlistId: anId("watchlist", 1),
      runId: anId("run", 1),
      endpointId: anId("webhookEndpoint", 1),
    }),
    ...wanted,
  };
  await world.webhooks.deliveries.put(account, delivery);
  return delivery;
}

/** Creates an endpoint with one failed delivery, which will not be retried. */
async function aFailure() {
  const { endpoint } = await world.addEndpoint(account, receiver.url);
  receiver.answer = (response) => response.writeHead(410).end("gone");
  const run = aRun(["watchlist.run.completed"], { watchlistId: anId("watchlist", 1) });
  await world.publish(run);
  await world.deliverDue();
  receiver.answer = (response) => response.end("ok");
  await world.enable(endpoint);
  const [delivery] = entriesOf(await list());
  expect(delivery).toMatchObject({ state: "failed", last_status: 410 });
  return { endpoint, run, id: delivery?.id ?? "" };
}

describe("the webhook delivery log", () => {
  it("lists each delivery with its state, and returns the attempts only for a single delivery", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    receiver.answer = (response) => response.writeHead(500).end("try later");
    const run = aRun(["watchlist.run.completed"]);
    await world.publish(run);
    await world.deliverDue();
    const failedAt = world.clock.now().toISOString();
    const [listed] = entriesOf(await list());
    const next = String(listed?.["next_attempt_at"]);
    world.clock.set(next);
    receiver.answer = (response) => response.end("ok");
    await world.deliverDue();

    const answer = await getOne(listed?.id ?? "");

    const entry = {
      id: expect.stringMatching(/^dlv_[0-9a-z]{24}$/),
      object: "webhook_delivery",
      endpoint_id: endpoint.id,
      event_id: run.events[0]?.id,
      event_type: "watchlist.run.completed",
      watchlist_id: "wl_1",
      run_id: "wlrun_1",
      created_at: startedAt,
    };
    expect(listed).toEqual({
      ...entry,
      state: "pending",
      attempt_count: 1,
      last_attempt_at: failedAt,
      last_status: 500,
      last_error: "status_500",
      next_attempt_at: expect.any(String),
    });
    expect(Date.parse(next)).toBeGreaterThan(Date.parse(failedAt));
    expectShape(webhookDeliveryWithAttemptsSchema, answer);
    expect(answer.body).toEqual({
      ...entry,
      state: "delivered",
      attempt_count: 2,
      last_attempt_at: next,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
      attempts: [
        {
          attempt: 1,
          at: failedAt,
          status: 500,
          duration_ms: 0,
          error: "status_500",
          response: "try later",
          request_headers: expect.objectContaining({ "Service-Attempt": "1" }),
        },
        {
          attempt: 2,
          at: next,
          status: 200,
          duration_ms: 0,
          error: null,
          response: "ok",
          request_headers: expect.objectContaining({ "Service-Attempt": "2" }),
        },
      ],
      request_body: run.events[0]?.body,
    });
  });

  it("lists deliveries newest first, each once over all pages", async () => {
    const made: Delivery[] = [];
    for (let n = 0; n < 7; n += 1) made.push(await logged(n));

    const pages: Entry[][] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list({
        limit: "3",
        ...(cursor === undefined || cursor === null ? {} : { starting_after: cursor }),
      });
      expect(page.status).toBe(200);
      expectShape(webhookDeliveriesResponse, page);
      pages.push(entriesOf(page));
      cursor = page.body["next_starting_after"] as string | null;
      expect(page.body["has_more"]).toBe(cursor !== null);
    } while (cursor !== null);

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat().map(({ id }) => id)).toEqual(made.map(({ id }) => id).toReversed());
  });

  it("returns 50 deliveries per page by default", async () => {
    for (let n = 0; n < 51; n += 1) await logged(n);

    expect(entriesOf(await list())).toHaveLength(50);
    expect(entriesOf(await list({ limit: "100" }))).toHaveLength(51);
  });

  it("can be filtered by endpoint, watchlist, event type and state, separately and in combination", async () => {
    const types: EventType[] = ["watchlist.product.changed", "watchlist.run.completed"];
    const states = ["delivered", "failed", "pending"] as const;
    const made: Delivery[] = [];
    for (let n = 0; n < 24; n += 1) {
      made.push(
        await logged(n, {
          endpointId: anId("webhookEndpoint", n % 2),
          watchlistId: anId("watchlist", Math.floor(n / 2) % 2),
          eventType: types[Math.floor(n / 4) % 2] ?? "webhook.test",
          state: states[n % 3] ?? "pending",
        }),
      );
    }
    const filters = [
      { endpoint_id: anId("webhookEndpoint", 1) },
      { watchlist_id: anId("watchlist", 0) },
      { event_type: "watchlist.run.completed" },
      { state: "failed" },
      { state: "pending", endpoint_id: anId("webhookEndpoint", 0) },
      { state: "delivered", event_type: types[0] ?? "", watchlist_id: anId("watchlist", 1) },
      { event_type: "webhook.test" },
      { endpoint_id: anId("webhookEndpoint", 7) },
    ];
    for (const filter of filters) {
      const found = entriesOf(await list(filter));
      const wanted = entriesOf(await list()).filter((entry) =>
        Object.entries(filter).every(([name, value]) => entry[name] === value),
      );
      expect(found, JSON.stringify(filter)).toEqual(wanted);
    }
    expect(made).toHaveLength(24);
  });

  it("contains only the deliveries of one endpoint at the endpoint's path, and accepts the same filters there", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const own = await logged(1, { endpointId: endpoint.id });
    await logged(2);
    const failed = await logged(3, { endpointId: endpoint.id, state: "failed" });

    const answer = await listOf(endpoint.id);

    expectShape(webhookDeliveriesResponse, answer);
    expect(entriesOf(answer).map(({ id }) => id)).toEqual([failed.id, own.id]);
    const filtered = await listOf(endpoint.id, { state: "failed", limit: "1" });
    expect(entriesOf(filtered).map(({ id }) => id)).toEqual([failed.id]);
    // This route cannot return deliveries of the account's other endpoints.
    const foreign = { endpoint_id: anId("webhookEndpoint", 1) };
    expect(await listOf(endpoint.id, foreign)).toMatchObject({
      status: 400,
      body: { error: { param: "endpoint_id" } },
    });
  });

  it("contains no deliveries of another account, even with a cursor of that account", async () => {
    const delivery = await logged(1);

    for (const query of [{}, { starting_after: derivedDelivery(9) }]) {
      const answer = await api.call("GET", "webhook_deliveries", { query, account: "acct_2" });
      expect(answer.body).toEqual({
        object: "list",
        data: [],
        has_more: false,
        next_starting_after: null,
      });
    }
    expect((await getOne(delivery.id)).status).toBe(200);
  });

  it.each([
    [{ limit: "0" }, "limit"],
    [{ limit: "101" }, "limit"],
    [{ starting_after: "dlv_1" }, "starting_after"],
    [{ starting_after: "we_000000000000000000000000" }, "starting_after"],
    [{ state: "done" }, "state"],
    [{ event_type: "watchlist.product.renamed" }, "event_type"],
    [{ watchlist_id: "we_000000000000000000000000" }, "watchlist_id"],
    [{ endpoint_id: "x".repeat(5_000) }, "endpoint_id"],
  ])("returns 400 for the query %j", async (query, param) => {
    expect(refusal(await list(query))).toEqual(invalid(param));
  });
});

const derivedDelivery = (seconds: number) => derivedIdAt("delivery", at(seconds), "x");

describe("POST /v1/webhook_deliveries/{id}/redeliver", () => {
  it("returns 202 with the delivery in the state 'pending', and sends the same bytes again", async () => {
    const { endpoint, run, id } = await aFailure();
    world.clock.advance(60_000);

    const answer = await redeliver(id);

    const now = world.clock.now().toISOString();
    expect(answer.status).toBe(202);
    expectShape(webhookDeliverySchema, answer);
    expect(answer.body).toMatchObject({ id, state: "pending", next_attempt_at: now });
    expect((await getOne(id)).body).toMatchObject(answer.body);
    expect(entriesOf(await list({ state: "failed" }))).toEqual([]);
    const wakeUps = await world.takeWakeUps();
    expect(wakeUps).toContainEqual({ account_id: account, target_id: endpoint.id });
    await world.handleWakeUp(wakeUps.at(-1));
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      run.events[0]?.body,
      run.events[0]?.body,
    ]);
    expect((await getOne(id)).body).toMatchObject({ state: "delivered", attempt_count: 2 });
  });

  it("returns the same response 202 if the request is repeated before the attempt, and sends the delivery once", async () => {
    const { id } = await aFailure();
    const first = await redeliver(id);
    world.clock.advance(5_000);

    const again = await Promise.all([redeliver(id), redeliver(id), redeliver(id)]);

    expect(again.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: 202, body: first.body })),
    );
    await world.deliverDue();
    expect(receiver.requests).toHaveLength(2);
    expect((await redeliver(id)).body).toMatchObject({ state: "pending", attempt_count: 2 });
    await world.deliverDue();
    expect(receiver.requests).toHaveLength(3);
  });

  it("returns 202 even if the wake-up message cannot be sent, and the sweeper then starts the delivery", async () => {
    const { endpoint, id } = await aFailure();
    api = endpointApi(world, { queue: { send: () => Promise.reject(new Error("down")) } });

    expect((await redeliver(id)).status).toBe(202);
    expect(api.warnings).toHaveLength(1);
    expect(await world.targets.due(world.clock.now(), 10)).toEqual([
      endpointTarget(account, endpoint.id),
    ]);
  });

  it("returns 409 for a test delivery", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await api.call("POST", `webhook_endpoints/${endpoint.id}/test`);
    const [delivery] = entriesOf(await list());

    const answer = await redeliver(delivery?.id ?? "");

    expect(refusal(answer)).toEqual(conflict);
    expect(answer.text).toContain("/test");
    expect(await world.nextDue()).toBeNull();
  });

  it("returns 409 if the delivery's endpoint is disabled or deleted", async () => {
    const { endpoint, id } = await aFailure();
    await disable(endpoint.id);
    await world.deliverDue();

    const disabled = await redeliver(id);
    await api.call("DELETE", `webhook_endpoints/${endpoint.id}`);
    await world.deliverDue();
    const deleted = await redeliver(id);

    expect([disabled, deleted].map(refusal)).toEqual([conflict, conflict]);
    expect(disabled.text).toContain("disabled");
    expect(deleted.text).toContain("deleted");
    expect((await getOne(id)).body["state"]).toBe("failed");
    expect(await world.nextDue()).toBeNull();
  });
});

describe("POST /v1/webhook_endpoints/{id}/recover", () => {
  const now = () => world.clock.now().toISOString();

  it("returns 202, and sends the failed deliveries of the time span again", async () => {
    const { endpoint, run } = await aFailure();
    world.clock.advance(60_000);

    const answer = await recover(endpoint.id, { since: "2026-11-20T11:00:00+01:00" });

    expect(answer.status).toBe(202);
    expectShape(webhookRecoveryResponse, answer);
    expect(answer.body).toEqual({
      object: "webhook_recovery",
      endpoint_id: endpoint.id,
      since: "2026-11-20T10:00:00.000Z",
      until: now(),
    });
    const target = endpointTarget(account, endpoint.id);
    const { since, until } = answer.body as Record<"since" | "until", string>;
    expect(
      await world.outbox.entries(target, { lane: "first", by: world.clock.now(), limit: 10 }),
    ).toEqual([
      {
        lane: "first",
        dueAt: now(),
        key: `recover#${since}#${until}`,
        content: { kind: "recover", since, until, after: null, found: 0 },
      },
    ]);
    const wakeUps = await world.takeWakeUps();
    expect(wakeUps).toContainEqual({ account_id: account, target_id: endpoint.id });
    await world.deliverDue();
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      run.events[0]?.body,
      run.events[0]?.body,
    ]);
  });

  it("sends no deliveries from outside the requested time span", async () => {
    const { endpoint } = await aFailure();
    world.clock.advance(60_000);

    const span = { since: "2026-11-20T09:00:00Z", until: "2026-11-20T09:59:59.999Z" };
    expect((await recover(endpoint.id, span)).body).toMatchObject({ until: span.until });
    await world.deliverDue();

    expect(receiver.requests).toHaveLength(1);
  });

  it.each([
    [{ since: "2026-11-20T10:00:00.001Z" }, "since"],
    [{ since: "2026-11-20T10:00:00Z" }, "since"],
    [{ since: "2026-10-21T09:59:59.999Z" }, "since"],
    [{ since: "2026-11-20T09:00:00Z", until: "2026-11-20T09:00:00Z" }, "since"],
    [{ since: "2026-11-20T09:00:00Z", until: "2026-11-20T08:00:00Z" }, "since"],
    [{ since: "2026-11-20T09:00:00Z", until: "2026-11-20T10:00:00.001Z" }, "until"],
    [{ since: "yesterday" }, "since"],
    [{ since: "2026-11-20" }, "since"],
    [{ since: "2026-11-20T09:00:00" }, "since"],
    [{ since: "2026-11-31T09:00:00Z" }, "since"],
    [{ since: "2026-11-19T25:00:00Z" }, "since"],
    [{ since: 1_700_000_000 }, "since"],
    [{ since: null }, "since"],
    [{ since: "2026-11-20T09:00:00Z", until: "now" }, "until"],
  ])("returns 400 for the time span %j at the current time 10:00", async (body, param) => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    world.clock.set(startedAt);

    expect(refusal(await recover(endpoint.id, body))).toEqual(invalid(param));
    expect(await world.nextDue()).toBeNull();
  });

  it.each([
    { since: "2026-10-21T10:00:00Z" },
    { since: "2026-11-20T09:59:59.999Z", until: null },
    { since: "2026-11-20T09:00Z", until: "2026-11-20T10:00:00Z" },
  ])("accepts the time span %j at the current time 10:00", async (body) => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    world.clock.set(startedAt);

    expect((await recover(endpoint.id, body)).status).toBe(202);
  });

  it.each([[{}], [undefined], [{ until: "2026-11-20T10:00:00Z" }]])(
    "returns 400 MISSING_PARAM for the incomplete body %j",
    async (body) => {
      const { endpoint } = await world.addEndpoint(account, receiver.url);

      expect(refusal(await recover(endpoint.id, body))).toEqual({
        status: 400,
        code: "MISSING_PARAM",
        param: "since",
      });
    },
  );

  it("returns 409 for a disabled endpoint and 404 for a deleted one", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url, { enabled: false });
    const body = { since: "2026-11-20T09:00:00Z" };

    expect(refusal(await recover(endpoint.id, body))).toEqual(conflict);
    await api.call("DELETE", `webhook_endpoints/${endpoint.id}`);
    expect(refusal(await recover(endpoint.id, body))).toEqual(notFound);
  });
});
