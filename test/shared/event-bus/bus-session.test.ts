import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { batchBounds } from "../../../shared/event-bus/event-bus.ts";
import { type EventType, type RunEvents, serializeEvent } from "../../../shared/events/event.ts";
import { attemptsMax } from "../../../shared/outbox/backoff.ts";
import { busSessions } from "../../../shared/event-bus/bus-session.ts";
import { pendingDeliveries } from "../../../shared/webhooks/pending-deliveries.ts";
import { busTarget } from "../../../shared/outbox/outbox.ts";
import { aRun, type DeliveryWorld, startDeliveryWorld } from "../../support/delivery-world.ts";
import { startReceiver } from "../../support/receiver.ts";

const account = "acct_1";
const target = busTarget(account);
const many = (count: number): EventType[] =>
  Array.from({ length: count }, () => "watchlist.product.changed");
const hour = 3_600_000;

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;
beforeAll(async () => {
  base = await startDeliveryWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open({ hasBus: true });
});

const pending = async () => {
  const lanes = await Promise.all(
    (["first", "later"] as const).map((lane) =>
      world.outbox.entries(target, { lane, by: null, limit: 100 }),
    ),
  );
  return lanes.flat();
};
const details = () => world.bus.entries.map(({ detail }) => detail);
const bodies = (run: RunEvents) => run.events.map(({ body }) => body);
/** Sums a metric of the bus. */
const counted = (name: string) =>
  world.busMetrics.reduce((sum, { values }) => sum + Number(values[name] ?? 0), 0);
/** Advances the clock to each retry until the outbox of the bus is empty. */
async function deliverAll(): Promise<void> {
  for (let next = await world.nextDue(); next !== null; next = await world.nextDue()) {
    world.clock.advance(Math.max(0, next.getTime() - world.clock.now().getTime()));
    await world.deliverDue();
  }
}

describe("the delivery of events to the event bus", () => {
  it("puts each event of a run on the bus once, in order, with the bytes of the event's webhook deliveries", async () => {
    const receiver = await startReceiver();
    await world.addEndpoint(account, receiver.url);
    const run = aRun([...many(24), "watchlist.run.completed"]);
    await world.publish(run);
    world.clock.advance(1_000);
    await world.deliverDue();
    await receiver.stop();

    expect(details()).toEqual(receiver.requests.map(({ body }) => body));
    expect(details()).toEqual(bodies(run));
    expect(world.bus.entries.at(-1)).toEqual({
      type: "watchlist.run.completed",
      createdAt: run.events.at(-1)?.createdAt,
      watchlistId: "wl_1",
      detail: run.events.at(-1)?.body,
    });
    expect(world.bus.calls()).toBe(3);
    expect(counted("bus_sent")).toBe(25);
    expect(await pending()).toEqual([]);
  });

  it("sends again only the failed events of a batch", async () => {
    const run = aRun(many(12));
    world.bus.refuse((_, { call, position }) =>
      call === 0 && [2, 7].includes(position) ? "ThrottlingException" : undefined,
    );
    await world.publish(run);
    await world.deliverDue();
    expect(details()).toHaveLength(10);
    expect(await pending()).toMatchObject([
      { lane: "later", content: { attempt: 2, remaining: [2, 7] } },
    ]);
    expect(world.warnings).toEqual([
      "the event bus did not accept 2 of 10 events of run wlrun_1 (ThrottlingException); the service retries these events",
    ]);

    await deliverAll();

    expect(details().toSorted()).toEqual(bodies(run).toSorted());
    expect(details().slice(10)).toEqual([bodies(run)[2], bodies(run)[7]]);
    expect(counted("bus_failed")).toBe(2);
  });

  it("stops an attempt after the first batch from which the bus accepts no event", async () => {
    const run = aRun(many(35));
    world.bus.refuse((_, { call }) => (call === 1 ? "InternalFailure" : undefined));
    await world.publish(run);
    await world.deliverDue();

    expect(world.bus.calls()).toBe(2);
    await deliverAll();
    expect(details()).toEqual(bodies(run));
  });

  it("postpones the remaining runs after three failed calls of the bus in a row", async () => {
    world.bus.refuse(() => "InternalFailure");
    for (const runId of ["wlrun_1", "wlrun_2", "wlrun_3", "wlrun_4", "wlrun_5"]) {
      await world.publish(aRun(many(1), { runId }));
    }
    await world.deliverDue();

    expect(world.bus.calls()).toBe(3);
    expect((await pending()).map(({ content }) => content)).toMatchObject([
      { attempt: 2, remaining: [0] },
      { attempt: 2, remaining: [0] },
      { attempt: 2, remaining: [0] },
      { attempt: 1, remaining: null },
      { attempt: 1, remaining: null },
    ]);
    world.bus.refuse(() => undefined);
    await deliverAll();
    expect(details()).toHaveLength(5);
  });

  it("stops retrying an event after the last allowed retry, logs the event, and counts it as never sent", async () => {
    world.bus.refuse(({ detail }) => (detail.includes("_1_1") ? "InternalFailure" : undefined));
    const run = aRun(many(3));
    await world.publish(run);
    await deliverAll();

    expect(details()).toEqual([bodies(run)[0], bodies(run)[2]]);
    expect(counted("bus_never_sent")).toBe(1);
    // The event failed in each attempt. The first attempt also sent the other events.
    expect(counted("bus_failed")).toBe(attemptsMax);
    expect(world.warnings.at(-1)).toBe(
      "1 event of run wlrun_1 exhausted all retries on the event bus; read the events with GET /v1/events",
    );
  });

  it("sends an event that is too large for the bus by reference", async () => {
    const id = "evt_large";
    const type = "watchlist.product.changed";
    const created_at = "2026-11-20T10:00:00.000Z";
    const data = { note: "é".repeat(batchBounds.bytesMax / 2) };
    const large = serializeEvent({ id, type, created_at, data }, 1);
    const [small] = aRun(many(1)).events;
    const run = { ...aRun(many(1)), events: [large, ...(small === undefined ? [] : [small])] };
    await world.publish(run);
    await world.deliverDue();

    const [reference, envelope] = details();
    expect(JSON.parse(reference ?? "")).toEqual({
      id,
      type,
      created_at,
      url: "https://api.example/dev/v1/events/evt_large",
    });
    expect(envelope).toBe(small?.body);
  });

  it("splits the events of a run into batches that do not exceed the size limit of a call", async () => {
    const note = "x".repeat(100 * 1024);
    const events = Array.from({ length: 5 }, (_, n) =>
      serializeEvent(
        {
          id: `evt_${n}`,
          type: "watchlist.product.changed",
          created_at: "2026-11-20T10:00:00.000Z",
          data: { note },
        },
        1,
      ),
    );
    const run = { ...aRun([]), events };
    await world.publish(run);
    await world.deliverDue();

    expect(world.bus.calls()).toBe(3);
    expect(details()).toEqual(bodies(run));
  });

  it("does not stop the delivery of webhooks while the bus fails", async () => {
    const receiver = await startReceiver();
    await world.addEndpoint(account, receiver.url);
    world.bus.refuse(() => "InternalFailure");
    const run = aRun(many(3));
    await world.publish(run);
    world.clock.advance(1_000);
    await world.deliverDue();
    await receiver.stop();

    expect(receiver.requests.map(({ body }) => body)).toEqual(bodies(run));
    expect(details()).toEqual([]);
  });

  it("continues in the next time slice after the last batch that it sent", async () => {
    const run = aRun(many(40));
    world.bus.refuse((_, { call, position }) => {
      if (call === 0 && position === 0) world.clock.advance(hour);
      return call === 0 && position === 9 ? "ThrottlingException" : undefined;
    });
    await world.publish(run);
    const [wakeUp] = await world.takeWakeUps();
    await world.handleWakeUp(wakeUp);
    expect(details()).toEqual(bodies(run).slice(0, 9));

    await deliverAll();

    expect(details()).toEqual([
      ...bodies(run).slice(0, 9),
      ...bodies(run).slice(10),
      bodies(run)[9],
    ]);
  });

  it("does not send expired events, and counts them as never sent", async () => {
    await world.publish(aRun(many(2)));
    const archive = world.publishing.bodies;
    const stored: typeof archive = { ...archive };
    Object.assign(archive, {
      get: async (...[key, range]: Parameters<typeof archive.get>) =>
        key.includes("events-") ? null : stored.get(key, range),
    });
    await world.deliverDue();

    expect(details()).toEqual([]);
    expect(counted("bus_never_sent")).toBe(2);
    expect(await pending()).toEqual([]);
  });

  it("removes the pending entries of the bus in a deployment that no longer has a bus", async () => {
    world.bus.refuse(() => "InternalFailure");
    await world.publish(aRun(many(1)));
    await world.deliverDue();
    expect(await pending()).toHaveLength(1);

    const { bodies: archive } = world.publishing;
    const { clock, random } = world.webhooks;
    const open = busSessions({ bus: null, bodies: archive, apiUrl: "/", clock, random });
    Object.assign(world.delivering.bus, { open });
    world.clock.advance(hour);
    await world.deliverDue();

    expect(await pending()).toEqual([]);
    expect(details()).toEqual([]);
  });

  it("adds no entry in a deployment without a bus", async () => {
    world = await base.open();
    await world.publish(aRun(many(1)));

    expect(await pending()).toEqual([]);
    expect(await world.nextDue()).toBeNull();
  });

  it("does not show the pending entries of the bus as webhook deliveries", async () => {
    world.bus.refuse(() => "InternalFailure");
    await world.publish(aRun(many(1)));
    const wanted = { limit: 10, before: null, filter: {} };
    const sources = { ...world.webhooks, pending: world.registering.pending };

    expect(await pendingDeliveries(account, wanted, sources)).toEqual({ entries: [], from: null });
  });
});
