import { afterEach, describe, expect, it } from "vitest";
import { endpointTarget } from "../../../shared/outbox/outbox.ts";
import { deliveryId } from "../../../shared/webhooks/delivery.ts";
import { recoverEntry } from "../../../shared/webhooks/outbox-entries.ts";
import {
  aRun,
  type DeliveryWorld,
  eachDeliveryWorld,
  startedAt,
} from "../../support/delivery-world.ts";
import type { Receiver } from "../../support/receiver.ts";
import { expectVerified } from "../../support/verified.ts";

const account = "acct_1";
const since = "2026-11-20T00:00:00.000Z";
const until = "2026-11-20T23:00:00.000Z";

let world: DeliveryWorld;
let receiver: Receiver;
eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
});
afterEach(() => {
  for (const request of receiver.requests) expectVerified(request, world.secretsMade);
});

const runOf = (n: number, wanted: Parameters<typeof aRun>[1] = {}) =>
  aRun(["watchlist.product.changed", "watchlist.run.completed"], {
    runId: `wlrun_${String(n).padStart(3, "0")}`,
    // The event happened after the endpoints were registered.
    happenedAt: "2026-11-20T10:00:00.001Z",
    ...wanted,
  });
const secondsAfter = (seconds: number): string =>
  new Date(Date.parse(startedAt) + Math.round(seconds * 1_000)).toISOString();
const recover = async (endpointId: string, span = { since, until }): Promise<void> => {
  const now = world.clock.now();
  await world.outbox.add(endpointTarget(account, endpointId), [recoverEntry(span, now)]);
  await world.deliverDue();
  // Deliveries become due a millisecond apart.
  world.clock.advance(200);
  await world.deliverDue();
};
const received = () => receiver.requests.map(({ headers }) => String(headers["webhook-id"]));
const idsOf = (...runs: ReturnType<typeof aRun>[]) =>
  runs.flatMap(({ events }) => events.map(({ id }) => id));
/** Forty runs, which is more than one page of a recovery. */
const many = Array.from({ length: 40 }, (_, n) => runOf(n));

/**
 * Returns 410 for the first delivery, which disables the endpoint and ends the other deliveries.
 */
async function failEverything(runs: ReturnType<typeof aRun>[]): Promise<void> {
  receiver.answer = (response) => response.writeHead(410).end();
  for (const run of runs) await world.publish(run);
  await world.deliverDue();
  for (const endpoint of await world.registering.endpoints.list(account)) {
    await world.enable(endpoint);
  }
  receiver.requests.length = 0;
  receiver.answer = (response) => response.end("ok");
}

describe("a recovery of failed deliveries", () => {
  it("sends each failed delivery one more time, and no successful delivery", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const delivered = runOf(900);
    await world.publish(delivered);
    await world.deliverDue();
    await failEverything(many);

    await recover(endpoint.id);

    expect(received().sort()).toEqual(idsOf(...many).sort());
    expect(await world.targets.due(new Date("2027-01-01T00:00:00Z"), 10)).toEqual([]);
  });

  it("sends the oldest run first, and the deliveries of each run one after the other in the order of their events", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const runs = many.map((_, n) =>
      aRun(["watchlist.product.changed", "watchlist.product.changed", "watchlist.run.completed"], {
        // The IDs of the runs have another order than the times of the runs.
        runId: `wlrun_${String(900 - n).padStart(3, "0")}`,
        happenedAt: secondsAfter(0.001 * (1 + n)),
      }),
    );
    await failEverything(runs.toReversed());
    world.clock.advance(60_000);
    let underWay = 0;
    let atOnce = 0;
    receiver.answer = (response) => {
      underWay += 1;
      atOnce = Math.max(atOnce, underWay);
      setImmediate(() => {
        underWay -= 1;
        response.end("ok");
      });
    };

    await recover(endpoint.id, { since, until: world.clock.now().toISOString() });

    expect(received()).toEqual(idsOf(...runs));
    expect(atOnce).toBe(1);
  });

  it("sends the oldest run first, even if the deliveries to a slow receiver need more than one time slice", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const runs = many.slice(0, 6).map((_, n) => runOf(n, { happenedAt: secondsAfter(1 + n) }));
    world.clock.advance(60_000);
    await failEverything(runs.toReversed());
    // Three responses fit into a time slice of 30 seconds.
    receiver.answer = (response) => {
      world.clock.advance(12_000);
      response.end("ok");
    };

    await recover(endpoint.id, { since, until: world.clock.now().toISOString() });

    expect(received()).toEqual(idsOf(...runs));
  });

  it("sends the oldest run first, even if the recovery crashes halfway and starts again", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    // The recovery finds more deliveries before the crash than a session sends in parallel.
    const runs = many.slice(0, 18).map((_, n) => runOf(n, { happenedAt: secondsAfter(1 + n) }));
    world.clock.advance(60_000);
    await failEverything(runs);
    const target = endpointTarget(account, endpoint.id);
    await world.outbox.add(target, [recoverEntry({ since, until }, world.clock.now())]);
    // Reading bodies is so slow that found deliveries are stored together, and none is sent in the
    // time slice.
    const { bodies } = world.webhooks;
    const get = bodies.get.bind(bodies);
    let runsRead = 0;
    Object.assign(bodies, {
      get: async (...read: Parameters<typeof get>) => {
        world.clock.advance(3_000);
        runsRead += 1;
        if (runsRead === 15) throw new Error("the store is down");
        return get(...read);
      },
    });
    await expect(world.deliverDue()).rejects.toThrow("the store is down");
    Object.assign(bodies, { get });
    await world.deliverDue();
    world.clock.advance(60_000);
    await world.deliverDue();

    expect(received()).toEqual(idsOf(...runs));
  });

  it("restarts the retry schedule, and continues to count attempts from the earlier number", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const [run = runOf(1)] = many;
    await failEverything([run]);
    receiver.answer = (response) => response.writeHead(500).end();
    const fiveSeconds = new Date(world.clock.now().getTime() + 5_000).toISOString();

    await recover(endpoint.id);

    const [event] = run.events;
    if (event === undefined) throw new Error("no event");
    const id = deliveryId({ ...run, event, endpointId: endpoint.id });
    expect(await world.webhooks.deliveries.get(account, id)).toMatchObject({
      state: "pending",
      tries: 1,
      attemptCount: 2,
      nextAttemptAt: fiveSeconds,
      attempts: [{ status: 410 }, { status: 500 }],
    });
  });

  it("sends the events that match the filter of an endpoint that was disabled and is enabled again", async () => {
    const wanted = { enabled: false, events: ["watchlist.run.completed" as const] };
    const { endpoint } = await world.addEndpoint(account, receiver.url, wanted);
    const runs = [runOf(1), runOf(2, { webhookEndpointId: "we_another" })];
    for (const run of runs) await world.publish(run);
    await world.deliverDue();
    expect(receiver.requests).toEqual([]);

    await world.enable(endpoint);
    await recover(endpoint.id);

    expect(received()).toEqual([runs[0]?.events[1]?.id]);
  });

  it("sends the pending and the missed events if the endpoint was enabled while its outbox was being cleared", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url, { enabled: false });
    const run = runOf(1);
    await world.publish(run);
    const named = runOf(2, { webhookEndpointId: endpoint.id });
    await world.publish(named);
    const release: typeof world.outbox.release = world.outbox.release.bind(world.outbox);
    let releases = 0;
    Object.assign(world.outbox, {
      release: async (...held: Parameters<typeof world.outbox.release>) => {
        releases += 1;
        if (releases === 1) {
          await world.enable(endpoint);
          const now = world.clock.now();
          const entry = recoverEntry({ since, until }, now);
          await world.outbox.add(endpointTarget(account, endpoint.id), [entry]);
        }
        return release(...held);
      },
    });
    await world.deliverDue();
    world.clock.advance(200);
    await world.deliverDue();

    expect(received().sort()).toEqual([...idsOf(run), ...idsOf(named)].sort());
  });

  it("sends no event that is older than the creation of the endpoint", async () => {
    const run = runOf(1, { happenedAt: "2026-11-20T09:59:59.000Z" });
    await world.publish(run);
    const { endpoint } = await world.addEndpoint(account, receiver.url);

    await recover(endpoint.id);

    expect(received()).toEqual([]);
  });

  it("sends all events of watchlists that name the endpoint, regardless of the endpoint's filter", async () => {
    const wanted = { enabled: false, events: [] };
    const { endpoint } = await world.addEndpoint(account, receiver.url, wanted);
    const run = runOf(1, { webhookEndpointId: endpoint.id });
    await world.publish(run);
    await world.deliverDue();
    await world.enable(endpoint);

    await recover(endpoint.id);

    expect(received().sort()).toEqual(idsOf(run).sort());
  });

  it("includes both ends of the requested time span", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const at = (time: string) =>
      runOf(Number(time.slice(17, 19)) * 1_000 + Number(time.slice(20, 23)), { happenedAt: time });
    const times = ["00.999", "01.000", "02.000", "02.001"].map((s) => `2026-11-20T10:00:${s}Z`);
    const runs = times.map((time) => at(time));
    world.clock.advance(10_000);
    await failEverything(runs);

    await recover(endpoint.id, { since: times[1] ?? "", until: times[2] ?? "" });

    expect(received().sort()).toEqual(idsOf(...runs.slice(1, 3)).sort());
  });

  it("ends without an attempt if the endpoint was deleted", async () => {
    const run = runOf(1, { webhookEndpointId: "we_gone" });
    await world.publish(run);
    await recover("we_gone");

    expect(await world.targets.due(new Date("2027-01-01T00:00:00Z"), 10)).toEqual([]);
  });

  it("sends every failed delivery, even if the recovery crashes at each of its first four writes", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    await failEverything(many);
    let records = 0;
    const record: typeof world.outbox.record = world.outbox.record.bind(world.outbox);
    const release: typeof world.outbox.release = world.outbox.release.bind(world.outbox);
    for (let at = 1; at <= 4; at += 1) {
      records = 0;
      Object.assign(world.outbox, {
        record: async (...change: Parameters<typeof world.outbox.record>) => {
          records += 1;
          if (records === at) throw new Error("killed");
          return record(...change);
        },
        release: async (...held: Parameters<typeof world.outbox.release>) => {
          if (held[2] !== undefined) records += 1;
          if (records === at) throw new Error("killed");
          return release(...held);
        },
      });
      await recover(endpoint.id).catch(() => undefined);
      world.clock.advance(60_000);
    }
    Object.assign(world.outbox, { record, release });
    await world.deliverDue();

    expect(new Set(received())).toEqual(new Set(idsOf(...many)));
  });
});
