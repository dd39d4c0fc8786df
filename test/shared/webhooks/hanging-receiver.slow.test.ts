import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EventType } from "../../../shared/events/event.ts";
import type { SendResult } from "../../../shared/outgoing/sender.ts";
import { aRun, type DeliveryWorld, startDeliveryWorld } from "../../support/delivery-world.ts";

const account = "acct_1";
const url = "http://127.0.0.1:9000/hook";

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;
let wakeUp: unknown;
let receiver: { hangs: boolean; firstAttempts: string[]; requests: string[] };

beforeAll(async () => {
  base = await startDeliveryWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
  receiver = { hangs: true, firstAttempts: [], requests: [] };
  const { endpoint } = await world.addEndpoint(account, url);
  wakeUp = { account_id: account, target_id: endpoint.id };
  const send = async (headers: Readonly<Record<string, string>>): Promise<SendResult> => {
    const event = String(headers["webhook-id"]);
    receiver.requests.push(event);
    const id = String(headers["Service-Delivery-Id"]);
    const logged = await world.webhooks.deliveries.get(account, id);
    if (logged === null) receiver.firstAttempts.push(event);
    if (!receiver.hangs) {
      return {
        outcome: "answered",
        status: 200,
        retryAfter: null,
        body: Buffer.of(),
        durationMs: 1,
      };
    }
    world.clock.advance(15_000);
    return { outcome: "failed", error: "timeout", sent: true, durationMs: 15_000 };
  };
  Object.assign(world.webhooks, {
    sender: { connect: () => ({ send: ({ headers }: never) => send(headers), close: () => {} }) },
  });
});

const longRun = (n: number) => {
  const changed = Array.from({ length: 19 }, (): EventType => "watchlist.product.changed");
  const happenedAt = world.clock.now().toISOString();
  return aRun([...changed, "watchlist.run.completed"], { runId: `wlrun_${n}`, happenedAt });
};
const idsOf = ({ events }: ReturnType<typeof aRun>) => events.map(({ id }) => id);
const log = async () =>
  (await world.webhooks.deliveries.list(account, { limit: 200, before: null, filter: {} }))
    .deliveries;

describe("a webhook receiver that does not respond", () => {
  it("gets at most three first attempts of a run's events, however many leases the delivery needs", async () => {
    await world.publish(longRun(1));

    // A worker releases its lease after 30 s, in which two attempts time out.
    for (let lease = 1; lease <= 8; lease += 1) await world.handleWakeUp(wakeUp);

    expect(new Set(receiver.firstAttempts).size).toBeLessThanOrEqual(3);
    const logged = await log();
    expect(logged).toHaveLength(20);
    expect(logged.filter(({ state }) => state === "pending")).toHaveLength(20);
  });

  it("gets at most one first attempt per lease after three failures, however many runs are pending", async () => {
    await world.publish(longRun(0));
    const leases = 8;
    for (let lease = 1; lease <= leases; lease += 1) {
      await world.publish(longRun(2 * lease));
      await world.publish(longRun(2 * lease + 1));
      await world.handleWakeUp(wakeUp);
    }

    // Two other runs may have an attempt in flight when the third failure is recorded.
    expect(new Set(receiver.firstAttempts).size).toBeLessThanOrEqual(3 + 2 + leases - 1);
  });

  it("gets all events of the next run in order after the receiver responds again", async () => {
    await world.publish(longRun(1));
    for (let lease = 1; lease <= 3; lease += 1) await world.handleWakeUp(wakeUp);
    receiver.hangs = false;
    receiver.firstAttempts = [];
    const [next, after] = [longRun(2), longRun(3)];
    await world.publish(next);
    await world.publish(after);

    await world.deliverDue();

    for (const run of [next, after]) {
      const ids = idsOf(run);
      expect(receiver.firstAttempts.filter((id) => ids.includes(id))).toEqual(ids);
    }
  });
});
