import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PublishDependencies, runEventPublisher } from "../../../shared/webhooks/publish.ts";
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

/** The dependencies, with a crash before or after the write of this number; counts the writes. */
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
  const { bodies, feed, jobs, exports, queue } = publishing;
  const dependencies: PublishDependencies = {
    ...publishing,
    bodies: { ...bodies, put: (key, bytes) => guarded(() => bodies.put(key, bytes)) },
    feed: { append: (...entries) => guarded(() => feed.append(...entries)) },
    jobs: { ...jobs, open: (...job) => guarded(() => jobs.open(...job)) },
    exports: { open: (...owed) => guarded(() => exports.open(...owed)) },
    queue: { send: (...hints) => guarded(() => queue.send(...hints)) },
  };
  return { dependencies, count };
}

describe("runEventPublisher", () => {
  it("loses and doubles nothing when it crashes at any write and is repeated", async () => {
    const { dependencies, count } = crashing(0, "before");
    await runEventPublisher(dependencies).publish(run);
    expect(count.writes).toBe(7);

    for (const when of ["before", "after"] as const) {
      for (let at = 1; at <= count.writes + 1; at += 1) {
        world = await base.open();
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
        expect((await feedRows()).map((row) => row["event_id"])).toEqual(
          run.events.map(({ id }) => id),
        );
        expect(await world.delivering.destinations.get(account)).toMatchObject({ lastError: null });
      }
    }
  });

  it("keeps the feed's rows in delivery order, for 30 days", async () => {
    await world.publish(run);

    const rows = await feedRows();
    expect(rows.map((row) => row["event_id"])).toEqual(run.events.map(({ id }) => id));
    const created = Date.parse(String(rows[0]?.["created_at"])) / 1_000;
    expect(rows[0]?.["ttl"]).toBe(created + 30 * 24 * 60 * 60);
  });

  it("owes nobody anything when the run has nothing to say, or nobody listens", async () => {
    await world.publish(aRun([]));
    await world.addEndpoint(account, "http://127.0.0.1:9000/", { events: ["webhook.test"] });
    await world.publish(run);

    expect(await world.takeHints()).toEqual([]);
    expect(await world.work.due(world.clock.now(), 10)).toEqual([]);
  });

  it("owes nothing to an endpoint that is registered later", async () => {
    await world.publish(run);
    const receiver = await startReceiver();
    await world.addEndpoint(account, receiver.url);
    await world.deliverDue();
    await receiver.stop();

    expect(receiver.requests).toEqual([]);
  });
});

async function feedRows(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await world.client.send(
    new QueryCommand({
      TableName: world.tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `${account}#events` },
    }),
  );
  return Items;
}
