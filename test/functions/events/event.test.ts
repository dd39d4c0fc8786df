import { Logger } from "@aws-lambda-powertools/logger";
import { afterEach, describe, expect, it } from "vitest";
import { eventRoutes } from "../../../functions/events/handler.ts";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { runEventId } from "../../../shared/events/event.ts";
import { deliveryId } from "../../../shared/webhooks/delivery.ts";
import { webhookDeliverySchema } from "../../../shared/webhooks/delivery-schema.ts";
import { type DeliveryWorld, eachDeliveryWorld } from "../../support/delivery-world.ts";
import { runOf } from "../../support/event-world.ts";
import {
  admittedAccounts,
  conflict,
  expectShape,
  groupCaller,
  invalid,
  notFound,
  refusal,
} from "../../support/group-api.ts";
import type { Receiver } from "../../support/receiver.ts";
import { expectVerified } from "../../support/verified.ts";

const account = "acct_1";
const run = runOf({ "watchlist.product.changed": 2 });
const [first, second] = run.events;
if (first === undefined || second === undefined) throw new Error("The run has no events");

let world: DeliveryWorld;
let receiver: Receiver;
let call: ReturnType<typeof groupCaller>;
eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
  const { webhooks, registering, publishing, clock } = world;
  const { accounts, keyOf } = admittedAccounts();
  const handler = groupHandler({
    group: "events",
    routes: eventRoutes,
    dependencies: {
      ...registering,
      deliveries: webhooks.deliveries,
      feed: webhooks.feed,
      queue: publishing.queue,
      clock,
      warn: () => {},
      logger: new Logger({ logLevel: "SILENT" }),
      accounts,
    },
  });
  call = groupCaller(handler, keyOf);
});
afterEach(() => {
  for (const request of receiver.requests) expectVerified(request, world.secretsMade);
});

const unknownId = runEventId(
  { runId: "wlrun_9", endedAt: first.createdAt },
  "watchlist.run.completed",
  1,
);
const send = (eventId: string, endpointId: unknown, sender?: string) =>
  call("POST", `events/${eventId}/send`, {
    body: { webhook_endpoint_id: endpointId },
    ...(sender === undefined ? {} : { account: sender }),
  });
const received = () => receiver.requests.map(({ headers }) => headers["webhook-id"]);
const logged = (event: { id: string; type: typeof first.type; createdAt: string }, id: string) =>
  world.webhooks.deliveries.get(account, deliveryId({ ...run, event, endpointId: id }));

describe("GET /v1/events/{id}", () => {
  it("returns the event's envelope with the same bytes as its webhook deliveries", async () => {
    await world.publish(run);

    for (const { id, body } of run.events) {
      const answer = await call("GET", `events/${id}`);
      expect(answer).toMatchObject({ status: 200, text: body });
      expect(answer.headers["Content-Type"]).toMatch(/^application\/json/);
    }
  });

  it.each([unknownId, "evt_1", "wl_000000000000000000000000"])(
    "returns 404 for the unknown ID '%s', and for an event of another account",
    async (id) => {
      await world.publish(run);

      expect(refusal(await call("GET", `events/${id}`))).toEqual(notFound);
      const foreign = await call("GET", `events/${first.id}`, { account: "acct_2" });
      expect(refusal(foreign)).toEqual(notFound);
    },
  );
});

describe("an expired event", () => {
  it("is not found by GET /v1/events/{id} or POST /v1/events/{id}/send once it is 30 days old, even if it is still stored", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await world.publish(run);
    const endsAt = Date.parse(first.createdAt) + 30 * 24 * 60 * 60 * 1_000;
    world.clock.set(new Date(endsAt - 1).toISOString());
    expect((await call("GET", `events/${first.id}`)).status).toBe(200);

    world.clock.set(new Date(endsAt).toISOString());

    expect(refusal(await call("GET", `events/${first.id}`))).toEqual(notFound);
    expect(refusal(await send(first.id, endpoint.id))).toEqual(notFound);
    expect(await logged(first, endpoint.id)).toBeNull();
  });

  it("is not found by GET /v1/events/{id} or POST /v1/events/{id}/send if the event's body was deleted before its row", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await world.publish(run);
    Object.assign(world.webhooks.bodies, { get: async () => null });

    expect(refusal(await call("GET", `events/${first.id}`))).toEqual(notFound);
    expect(refusal(await send(first.id, endpoint.id))).toEqual(notFound);
  });
});

describe("POST /v1/events/{id}/send", () => {
  it("sends an event to the named endpoint regardless of the event types of the endpoint, and immediately adds the delivery to the log", async () => {
    const other = await world.addEndpoint(account, `${receiver.url}/other`, { events: [] });
    await world.publish(run);
    const { endpoint } = await world.addEndpoint(account, receiver.url, { events: [] });

    const answer = await send(second.id, endpoint.id);

    expect(answer.status).toBe(202);
    expectShape(webhookDeliverySchema, answer);
    expect(answer.body).toMatchObject({
      event_id: second.id,
      endpoint_id: endpoint.id,
      state: "pending",
      attempt_count: 0,
      next_attempt_at: world.clock.now().toISOString(),
    });
    const wakeUps = await world.takeWakeUps();
    expect(wakeUps).toContainEqual({ account_id: account, target_id: endpoint.id });
    await world.deliverDue();
    expect(receiver.requests.map(({ body }) => body)).toEqual([second.body]);
    expect(receiver.requests[0]?.headers["service-attempt"]).toBe("1");
    expect(await logged(second, endpoint.id)).toMatchObject({
      state: "delivered",
      attemptCount: 1,
      requestedAt: null,
    });
    expect(await logged(second, other.endpoint.id)).toBeNull();
  });

  it("sends a delivered event again exactly once, even if the request is repeated before the attempt", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await world.publish(run);
    await world.deliverDue();
    receiver.requests.length = 0;

    const answers = [await send(first.id, endpoint.id), await send(first.id, endpoint.id)];

    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await world.deliverDue();
    expect(received()).toEqual([first.id]);
    expect(receiver.requests[0]?.headers["service-attempt"]).toBe("2");
  });

  it("retries a failed attempt at the times of the retry schedule", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url, { events: [] });
    await world.publish(run);
    receiver.answer = (response) => response.writeHead(500).end();
    await send(first.id, endpoint.id);
    await world.deliverDue();
    receiver.answer = (response) => response.end();
    world.clock.advance(5_000);
    await world.deliverDue();

    expect(received()).toEqual([first.id, first.id]);
    expect(await logged(first, endpoint.id)).toMatchObject({ state: "delivered", attemptCount: 2 });
  });

  it("does not send an event a second time while its first attempt is pending", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await world.publish(run);
    await send(second.id, endpoint.id);
    await world.deliverDue();

    expect(received()).toHaveLength(run.events.length);
    expect(new Set(received())).toEqual(new Set(run.events.map(({ id }) => id)));
  });

  it("returns 404 for an unknown event and for an event of another account", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const foreign = await world.addEndpoint("acct_2", receiver.url);
    await world.publish(run);

    expect(refusal(await send(unknownId, endpoint.id))).toEqual(notFound);
    expect(refusal(await send("evt_1", endpoint.id))).toEqual(notFound);
    expect(refusal(await send(first.id, foreign.endpoint.id, "acct_2"))).toEqual(notFound);
  });

  it("returns 400 for an endpoint that is unknown, deleted, or of another account", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const foreign = await world.addEndpoint("acct_2", receiver.url);
    await world.publish(run);
    await world.registering.endpoints.delete(account, endpoint.id, world.clock.now());

    const ids = [endpoint.id, foreign.endpoint.id, "we_1", "we_000000000000000000000000", 7];
    for (const id of ids) {
      expect(refusal(await send(first.id, id))).toEqual(invalid("webhook_endpoint_id"));
    }
    expect(refusal(await send(first.id, undefined))).toEqual({
      status: 400,
      code: "MISSING_PARAM",
      param: "webhook_endpoint_id",
    });
    expect(await logged(first, endpoint.id)).toBeNull();
  });

  it("returns 409 for a disabled endpoint, and adds no delivery to the log", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url, { enabled: false });
    await world.publish(run);

    expect(refusal(await send(first.id, endpoint.id))).toEqual(conflict);
    expect(await logged(first, endpoint.id)).toBeNull();
  });

  it("returns 403 to a key of the demo workspace", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await world.publish(run);

    expect(refusal(await send(first.id, endpoint.id, "demo"))).toEqual({
      status: 403,
      code: "DEMO_READ_ONLY",
    });
  });
});
