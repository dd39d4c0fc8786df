import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type PublishDependencies,
  runEventPublisher,
} from "../../../shared/publishing/publish-run.ts";
import { aRun, type DeliveryWorld, startDeliveryWorld } from "../../support/delivery-world.ts";
import { startReceiver } from "../../support/receiver.ts";

const account = "acct_1";
const run = aRun([
  "watchlist.product.changed",
  "watchlist.product.delisted",
  "watchlist.run.completed",
]);

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;
beforeAll(async () => {
  base = await startDeliveryWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

/** Dependencies that crash before or after the write with this number, and count the writes. */
function crashing(at: number, when: "before" | "after") {
  const { publishing } = world;
  const count = { writes: 0 };
  const guarded = async <T>(write: () => Promise<T>): Promise<T> => {
    count.writes += 1;
    const crashes = count.writes === at;
    if (crashes && when === "before") throw new Error("crash");
    const result = await write();
    if (crashes) throw new Error("crash");
    return result;
  };
  const { bodies, destinations, publications, queue } = publishing;
  const dependencies: PublishDependencies = {
    ...publishing,
    bodies: { ...bodies, put: (key, bytes) => guarded(() => bodies.put(key, bytes)) },
    publications: {
      ...publications,
      add: (...added) => guarded(() => publications.add(...added)),
    },
    destinations: { get: (...asked) => guarded(() => destinations.get(...asked)) },
    queue: { send: (...wakeUps) => guarded(() => queue.send(...wakeUps)) },
  };
  return { dependencies, count };
}

describe("the publisher of run events", () => {
  it.each([
    // The five counted calls are the puts of the event bodies and of their index, the transaction,
    // the read of the destination, and the wake-up messages. Rows need no puts.
    ["objects", "current", 5],
    ["rows", "next", 3],
  ] as const)(
    "delivers each event once with archives as %s, even if it crashes before or after any write and is called again",
    async (_, writes, expected) => {
      world = await base.open({ hasBus: true, writes });
      await world.addEndpoint(account, "http://127.0.0.1:9000/");
      await world.setDestination(account);
      const { dependencies, count } = crashing(0, "before");
      await runEventPublisher(dependencies).publish(run);
      expect(count.writes).toBe(expected);

      for (const when of ["before", "after"] as const) {
        for (let at = 1; at <= count.writes; at += 1) {
          world = await base.open({ hasBus: true, writes });
          const receiver = await startReceiver();
          await world.addEndpoint(account, receiver.url);
          await world.setDestination(account);
          const publisher = runEventPublisher(crashing(at, when).dependencies);
          await expect(publisher.publish(run)).rejects.toThrow("crash");

          world.clock.advance(30_000);
          await world.publish(run);
          await world.deliverDue();
          await receiver.stop();

          const sent = receiver.requests.map(({ body }) => body);
          expect(sent, `${when} ${at}`).toEqual(run.events.map(({ body }) => body));
          expect(
            world.bus.entries.map(({ detail }) => detail),
            `${when} ${at}`,
          ).toEqual(run.events.map(({ body }) => body));
          expect(await feed(), `${when} ${at}`).toMatchObject([{ runId: run.runId, sequence: 1 }]);
          expect(await world.destination(account)).toMatchObject({ lastError: null });
          expect(await world.exportStates(account), `${when} ${at}`).toEqual(["done"]);
        }
      }
    },
  );

  it("adds the run to the event feed, with its event types and its webhook endpoint", async () => {
    await world.publish({ ...run, webhookEndpointId: "we_1" });

    expect(await feed()).toEqual([
      {
        sequence: 1,
        runId: run.runId,
        watchlistId: run.watchlistId,
        webhookEndpointId: "we_1",
        createdAt: run.events[0]?.createdAt,
        types: [
          "watchlist.product.changed",
          "watchlist.product.delisted",
          "watchlist.run.completed",
        ],
      },
    ]);
  });

  it("adds no outbox entries for a run without events or without subscribers", async () => {
    await world.publish(aRun([]));
    await world.addEndpoint(account, "http://127.0.0.1:9000/", { events: ["webhook.test"] });
    await world.publish(run);

    expect(await world.takeWakeUps()).toEqual([]);
    expect(await world.targets.due(world.clock.now(), 10)).toEqual([]);
  });

  it("adds no outbox entry for an endpoint that was created after the run", async () => {
    await world.publish(run);
    const receiver = await startReceiver();
    await world.addEndpoint(account, receiver.url);
    await world.deliverDue();
    await receiver.stop();

    expect(receiver.requests).toEqual([]);
  });
});

const feed = () => world.webhooks.feed.after(account, 0, 10);
