import { describe, expect, it } from "vitest";
import { aRun, type DeliveryWorld, eachDeliveryWorld } from "../../support/delivery-world.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";

const account = "acct_1";

let world: DeliveryWorld;
let receiver: Receiver;
eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
});

const onlyDelivery = async () => {
  const wanted = { limit: 2, before: null, filter: {} };
  const { deliveries } = await world.webhooks.deliveries.list(account, wanted);
  expect(deliveries).toHaveLength(1);
  return deliveries[0];
};
const nextAttempt = async (): Promise<void> => {
  world.clock.set((await onlyDelivery())?.nextAttemptAt ?? "");
  await world.deliverDue();
};

describe("the header Service-Attempt", () => {
  it("contains the same number of sent requests as the delivery log", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url);
    const { sender } = world.webhooks;
    const unresolved = { outcome: "failed", error: "name_not_resolved", sent: false } as const;
    const down = {
      connect: () => ({ send: async () => ({ ...unresolved, durationMs: 3 }), close() {} }),
    };
    Object.assign(world.webhooks, { sender: down });
    await world.publish(aRun(["watchlist.run.completed"]));
    await world.deliverDue();
    await nextAttempt();
    Object.assign(world.webhooks, { sender });
    receiver.answer = (response) => response.writeHead(500).end();
    await nextAttempt();
    receiver.answer = (response) => response.end("ok");
    await nextAttempt();

    expect(receiver.requests.map(({ headers }) => headers["service-attempt"])).toEqual(["1", "2"]);
    const delivery = await onlyDelivery();
    expect(delivery).toMatchObject({ endpointId: endpoint.id, attemptCount: 2, tries: 4 });
    expect(delivery?.attempts).toMatchObject([
      { attempt: null, error: "name_not_resolved" },
      { attempt: null, error: "name_not_resolved" },
      { attempt: 1, error: "status_500" },
      { attempt: 2, error: null },
    ]);
  });

  it("does not count an attempt whose connection the receiver's closed port refused", async () => {
    const { port } = receiver;
    await receiver.stop();
    await world.addEndpoint(account, `http://127.0.0.1:${port}/hook`);
    await world.publish(aRun(["watchlist.run.completed"]));
    await world.deliverDue();

    expect(await onlyDelivery()).toMatchObject({
      attemptCount: 0,
      tries: 1,
      attempts: [{ attempt: null, error: "connection_failed" }],
    });
    receiver = await startReceiver();
  });

  it("does not count deliveries that ended because their endpoint was disabled", async () => {
    const { endpoint } = await world.addEndpoint(account, receiver.url, { enabled: false });
    await world.publish(aRun(["watchlist.run.completed"], { webhookEndpointId: endpoint.id }));
    await world.deliverDue();

    expect(await onlyDelivery()).toMatchObject({
      state: "failed",
      attemptCount: 0,
      attempts: [{ attempt: null, error: "endpoint_disabled" }],
    });
  });
});
