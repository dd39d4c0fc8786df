import { Stripe } from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import type { EventType } from "../../../shared/events/event.ts";
import { endpointTarget } from "../../../shared/outbox/outbox.ts";
import { newDelivery } from "../../../shared/webhooks/delivery.ts";
import { runEntry } from "../../../shared/webhooks/outbox-entries.ts";
import {
  aRun,
  type DeliveryWorld,
  eachDeliveryWorld,
  startedAt,
} from "../../support/delivery-world.ts";
import type { Receiver } from "../../support/receiver.ts";
import { expectRefused, expectVerified } from "../../support/verified.ts";

const account = "acct_1";
const wholeRun: EventType[] = [
  "watchlist.product.changed",
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
];
const { webhooks } = new Stripe("sk_test_none");

let world: DeliveryWorld;
let receiver: Receiver;

eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
});
afterEach(() => {
  for (const request of receiver.requests) expectVerified(request, world.secretsMade);
});

/** Calls `happens` before each delivery is sent. */
function beforeSending(happens: () => Promise<void>): void {
  const { sender } = world.webhooks;
  Object.assign(world.webhooks, {
    sender: {
      connect: (...target: Parameters<typeof sender.connect>) => {
        const connection = sender.connect(...target);
        return {
          close: () => connection.close(),
          send: async (request: Parameters<typeof connection.send>[0]) => {
            await happens();
            return connection.send(request);
          },
        };
      },
    },
  });
}

const bodies = () => receiver.requests.map(({ body }) => body);
const deliveryId = (run: ReturnType<typeof aRun>, position: number, endpointId: string) => {
  const event = run.events[position];
  if (event === undefined) throw new Error("no such event");
  return newDelivery({ ...run, event, endpointId }).id;
};
const deliveryOf = (run: ReturnType<typeof aRun>, position: number, endpointId: string) =>
  world.webhooks.deliveries.get(account, deliveryId(run, position, endpointId));

describe("the first webhook attempts of a run", () => {
  it("are sent in the run's order, with the published bytes and a valid signature", async () => {
    const { endpoint, secret } = await world.addEndpoint(account, receiver.url);
    const run = aRun(wholeRun);
    await world.publish(run);

    for (const wakeUp of await world.takeWakeUps()) await world.handleWakeUp(wakeUp);

    expect(bodies()).toEqual(run.events.map(({ body }) => body));
    const [first] = receiver.requests;
    expect(first?.method).toBe("POST");
    expect(first?.headers).toMatchObject({
      "content-type": "application/json",
      "service-event-type": "watchlist.product.changed",
      "service-delivery-id": deliveryId(run, 0, endpoint.id),
      "service-attempt": "1",
      "webhook-id": run.events[0]?.id,
      "user-agent": "Service-Webhooks/1.0",
    });
    const header = String(first?.headers["service-signature"]);
    const sentAt = world.clock.now().getTime() / 1_000;
    const verify = () =>
      webhooks.signature?.verifyHeader(
        first?.body ?? "",
        header,
        secret,
        300,
        undefined,
        Math.floor(sentAt),
      );
    expect(verify()).toBe(true);
    expect(await deliveryOf(run, 0, endpoint.id)).toMatchObject({
      state: "delivered",
      nextAttemptAt: null,
      attempts: [{ attempt: 1, status: 200, error: null, response: "ok" }],
    });
    expect(await world.targets.due(new Date("2027-01-01T00:00:00Z"), 100)).toEqual([]);
  });

  it.each([
    { requestsAtOnce: null, most: 4 },
    { requestsAtOnce: 7, most: 7 },
    { requestsAtOnce: 1, most: 1 },
  ])(
    "are sent at most $most at a time for 8 runs if the endpoint's 'requestsAtOnce' is $requestsAtOnce",
    async ({ requestsAtOnce, most }) => {
      const { endpoint } = await world.addEndpoint(account, receiver.url);
      await world.webhooks.endpoints.replace(endpoint, { ...endpoint, requestsAtOnce });
      const runs = Array.from({ length: 8 }, (_, n) =>
        aRun(["watchlist.run.completed"], { runId: `wlrun_${n}` }),
      );
      for (const run of runs) await world.publish(run);
      const open: (() => void)[] = [];
      let seenMax = 0;
      receiver.answer = (response) => {
        open.push(() => response.end("ok"));
        seenMax = Math.max(seenMax, open.length);
        // Responds to all open requests when their number reaches the limit, or when the last
        // request has arrived.
        const isLast = receiver.requests.length === runs.length;
        if (open.length >= most || isLast) for (const answer of open.splice(0)) answer();
      };
      await world.deliverDue();

      expect(seenMax).toBe(most);
      expect(receiver.requests).toHaveLength(runs.length);
    },
  );

  it("are sent to every enabled endpoint that subscribes to the event type, and to no other endpoint", async () => {
    const everything = await world.addEndpoint(account, `${receiver.url}/every`);
    await world.addEndpoint(account, `${receiver.url}/changed`, {
      events: ["watchlist.product.changed"],
    });
    await world.addEndpoint(account, `${receiver.url}/none`, { events: [] });
    await world.addEndpoint(account, `${receiver.url}/off`, { enabled: false });
    await world.addEndpoint("acct_2", `${receiver.url}/stranger`);
    await world.publish(aRun(["watchlist.product.changed", "watchlist.run.completed"]));
    await world.deliverDue();

    const seen = receiver.requests.map(
      ({ path, headers }) => `${path} ${String(headers["service-event-type"])}`,
    );
    expect(seen.sort()).toEqual([
      "/hook/changed watchlist.product.changed",
      "/hook/every watchlist.product.changed",
      "/hook/every watchlist.run.completed",
    ]);
    expect(everything.endpoint.events).toBeNull();
  });

  it("are sent only to the endpoint that the watchlist names, whatever events this endpoint subscribes to", async () => {
    const { endpoint } = await world.addEndpoint(account, `${receiver.url}/own`, { events: [] });
    await world.addEndpoint(account, `${receiver.url}/other`);
    await world.publish(aRun(wholeRun, { webhookEndpointId: endpoint.id }));
    await world.deliverDue();

    expect(receiver.requests.map(({ path }) => path)).toEqual(wholeRun.map(() => "/hook/own"));
  });

  it.each([
    { name: "disabled", error: "endpoint_disabled" },
    { name: "deleted", error: "endpoint_deleted" },
  ])(
    "are recorded as failed and not sent if the watchlist's endpoint is in the state '$name'",
    async ({ name, error }) => {
      const { endpoint } = await world.addEndpoint(account, receiver.url, { enabled: false });
      const endpointId = name === "disabled" ? endpoint.id : "we_gone";
      const run = aRun(wholeRun, { webhookEndpointId: endpointId });
      await world.publish(run);
      await world.deliverDue();

      expect(receiver.requests).toEqual([]);
      for (const position of wholeRun.keys()) {
        expect(await deliveryOf(run, position, endpointId)).toMatchObject({
          state: "failed",
          attempts: [{ status: null, error }],
        });
      }
    },
  );

  it("are not repeated after a duplicate wake-up message or a second publication of the run", async () => {
    await world.addEndpoint(account, receiver.url);
    const run = aRun(wholeRun);
    await world.publish(run);
    await world.publish(run);

    const wakeUps = await world.takeWakeUps();
    expect(wakeUps).toHaveLength(2);
    await Promise.all([...wakeUps, ...wakeUps].map((wakeUp) => world.handleWakeUp(wakeUp)));

    expect(bodies()).toEqual(run.events.map(({ body }) => body));
  });

  it("continue after a crash with the event at which the worker stopped", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(wholeRun);
    await world.publish(run);
    const [wakeUp] = await world.takeWakeUps();
    let sent = 0;
    beforeSending(async () => {
      sent += 1;
      if (sent === 3) throw new Error("crash");
    });
    await expect(world.handleWakeUp(wakeUp)).rejects.toThrow("crash");

    expect(receiver.requests).toHaveLength(2);

    await world.sweep();
    for (const again of await world.takeWakeUps()) await world.handleWakeUp(again);

    expect(bodies()).toEqual(run.events.map(({ body }) => body));
    expect(await deliveryOf(run, 2, endpoint.id)).toMatchObject({ state: "delivered" });
  });
});

describe("a worker that sends webhooks", () => {
  it("stops after its lease has ended and another worker has acquired the lease", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(wholeRun);
    await world.publish(run);
    const [wakeUp] = await world.takeWakeUps();
    let sent = 0;
    beforeSending(async () => {
      sent += 1;
      if (sent !== 2) return;
      world.clock.advance(60_000);
      await world.handleWakeUp(wakeUp);
    });
    await world.handleWakeUp(wakeUp);

    const all = run.events.map(({ body }) => body);
    expect(bodies().slice(0, 6)).toEqual([all[0], ...all]);
    // Two deliveries may be in flight when the lease is lost and until the worker detects that.
    expect(bodies().length).toBeLessThanOrEqual(8);
    expect((await deliveryOf(run, 1, endpoint.id))?.attempts).toHaveLength(1);
  });

  it("sends a wake-up message for the rest of a long run after the worker has worked for half a minute", async () => {
    await world.addEndpoint(account, receiver.url);
    const run = aRun(wholeRun);
    await world.publish(run);
    receiver.answer = (response) => {
      world.clock.advance(12_000);
      response.end();
    };
    const [wakeUp] = await world.takeWakeUps();
    await world.handleWakeUp(wakeUp);
    expect(receiver.requests).toHaveLength(3);

    expect(await world.takeWakeUps()).toEqual([wakeUp]);
    await world.handleWakeUp(wakeUp);

    expect(bodies()).toEqual(run.events.map(({ body }) => body));
  });
});

describe("after a failed webhook attempt,", () => {
  it("the next events are sent, and the failed event is sent again after 5 s with the same bytes", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(["watchlist.product.changed", "watchlist.run.completed"]);
    await world.publish(run);
    receiver.answer = (response, { headers }) => {
      const fails = headers["service-event-type"] === "watchlist.product.changed";
      response.writeHead(fails ? 500 : 204).end(fails ? "x".repeat(5_000) : undefined);
    };
    await world.deliverDue();

    expect(receiver.requests).toHaveLength(2);
    const failed = await deliveryOf(run, 0, endpoint.id);
    expect(failed).toMatchObject({ state: "pending", attempts: [{ error: "status_500" }] });
    expect(failed?.attempts[0]?.response).toHaveLength(1_024);
    const wakeUp = { account_id: account, target_id: endpoint.id };
    expect(await world.takeWakeUps()).toContainEqual(wakeUp);
    await world.handleWakeUp(wakeUp);
    expect(receiver.requests).toHaveLength(2);

    receiver.answer = (response) => response.end();
    world.clock.advance(5_000);
    await Promise.all([world.handleWakeUp(wakeUp), world.handleWakeUp(wakeUp)]);

    expect(receiver.requests).toHaveLength(3);
    expect(receiver.requests[2]?.body).toBe(run.events[0]?.body);
    expect(receiver.requests[2]?.headers).toMatchObject({
      "service-attempt": "2",
      "webhook-id": run.events[0]?.id,
    });
    expect(receiver.requests[2]?.headers["service-signature"]).not.toBe(
      receiver.requests[0]?.headers["service-signature"],
    );
    expect(await deliveryOf(run, 0, endpoint.id)).toMatchObject({ state: "delivered" });
  });

  it("the rest of the run waits for the retry schedule if this is the third failed attempt in a row", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(wholeRun);
    await world.publish(run);
    receiver.answer = (response) => response.writeHead(503).end();
    await world.deliverDue();

    expect(receiver.requests).toHaveLength(3);
    expect(await deliveryOf(run, 4, endpoint.id)).toMatchObject({ state: "pending", attempts: [] });

    receiver.answer = (response) => response.end();
    world.clock.advance(6_000);
    await world.deliverDue();
    expect(bodies().slice(3).sort()).toEqual(run.events.map(({ body }) => body).sort());
  });

  it("the rest of the run is sent immediately if this is the third failed attempt of the run but not the third in a row", async () => {
    await world.addEndpoint(account, receiver.url);
    await world.publish(aRun(wholeRun));
    receiver.answer = (response) =>
      response.writeHead(receiver.requests.length === 2 ? 200 : 500).end();
    await world.deliverDue();

    expect(receiver.requests).toHaveLength(wholeRun.length);
  });

  it("the delivery is recorded as failed after ten attempts", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(["watchlist.run.completed"]);
    await world.publish(run);
    receiver.answer = (response) => response.writeHead(302, { Location: receiver.url }).end();
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      await world.deliverDue();
      expect(receiver.requests).toHaveLength(attempts);
      const { nextAttemptAt: dueAt } = (await deliveryOf(run, 0, endpoint.id)) ?? {};
      if (dueAt == null) break;
      waits.push((Date.parse(dueAt) - world.clock.now().getTime()) / 1_000);
      world.clock.set(dueAt);
    }

    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(await deliveryOf(run, 0, endpoint.id)).toMatchObject({
      state: "failed",
      nextAttemptAt: null,
    });
    expect(new Set(bodies()).size).toBe(1);
  });

  it("the delivery ends without a further attempt if the response is 410", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(["watchlist.run.completed"]);
    await world.publish(run);
    receiver.answer = (response) => response.writeHead(410).end();
    await world.deliverDue();

    expect(await deliveryOf(run, 0, endpoint.id)).toMatchObject({
      state: "failed",
      nextAttemptAt: null,
    });
  });

  it("the receiver's Retry-After delays the next attempt", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const run = aRun(["watchlist.run.completed"]);
    await world.publish(run);
    receiver.answer = (response) => response.writeHead(429, { "Retry-After": "90" }).end();
    await world.deliverDue();

    const due = new Date(world.clock.now().getTime() + 90_000).toISOString();
    expect(await deliveryOf(run, 0, endpoint.id)).toMatchObject({ nextAttemptAt: due });
  });
});

describe("the rotation of a webhook secret", () => {
  const one = (n: number) => aRun(["watchlist.run.completed"], { runId: `wlrun_${n}` });
  const delivered = async (n: number) => {
    receiver.requests.length = 0;
    await world.publish(one(n));
    await world.deliverDue();
    const [request] = receiver.requests;
    if (request === undefined) throw new Error("not delivered");
    return request;
  };

  it("with an overlap makes both secrets valid for 24 hours, and then only the new secret", async () => {
    const { endpoint, secret } = await world.addEndpoint(account, receiver.url);
    const rotated = await world.rotate(endpoint, true);

    const during = await delivered(1);
    expectRefused(during, secret);
    expectRefused(during, rotated);
    world.clock.advance(24 * 60 * 60 * 1_000 - 1);
    expectRefused(await delivered(2), secret);
    world.clock.advance(1_001);
    const after = await delivered(3);
    expectRefused(after, rotated);
    expect(() => expectVerified(after, [secret])).toThrow("to not deeply equal");
  });

  it("without an overlap makes the old secret invalid immediately", async () => {
    const { endpoint, secret } = await world.addEndpoint(account, receiver.url);
    const rotated = await world.rotate(endpoint, false);

    const request = await delivered(1);
    expectRefused(request, rotated);
    expect(() => expectVerified(request, [secret])).toThrow("to not deeply equal");
  });
});

describe("a pass of the sweeper", () => {
  it("sends a wake-up message for a webhook endpoint if an earlier message was lost", async () => {
    await world.addEndpoint(account, receiver.url);
    await world.publish(aRun(wholeRun));
    await world.takeWakeUps();

    expect(await world.sweep()).toBe(1);
    for (const wakeUp of await world.takeWakeUps()) await world.handleWakeUp(wakeUp);

    expect(receiver.requests).toHaveLength(wholeRun.length);
    expect(await world.sweep()).toBe(0);
  });
});

describe("a wake-up message for a target without events to send", () => {
  it.each(["we_unknown", "s3_destination"])(
    'is handled without an error if it is for the target "%s"',
    async (targetId) => {
      await world.handleWakeUp({ account_id: account, target_id: targetId });
      expect(await world.takeWakeUps()).toEqual([]);
    },
  );

  it("removes a run from the outbox of the target if the run's events have expired", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const target = endpointTarget(account, endpoint.id);
    const gone = { runId: "wlrun_gone", watchlistId: "wl_1", types: null, happenedAt: startedAt };
    await world.outbox.add(target, [runEntry(gone)]);
    await world.deliverDue();

    expect(await world.targets.due(new Date("2027-01-01T00:00:00Z"), 100)).toEqual([]);
  });
});
