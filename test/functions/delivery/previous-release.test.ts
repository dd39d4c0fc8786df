import { readFileSync } from "node:fs";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { endpointSecretContext } from "../../../shared/webhooks/endpoint.ts";
import { newSecret } from "../../../shared/webhooks/secret.ts";
import { aRun, type DeliveryWorld, eachDeliveryWorld } from "../../support/delivery-world.ts";
import type { Receiver } from "../../support/receiver.ts";

/**
 * The deliveries table and the events bucket of an account, as the previous release left them. That
 * release delivered and exported the first run, failed to deliver the second run, and published the
 * third run.
 */
const stored = JSON.parse(
  readFileSync(new URL("../../fixtures/previous-release-deliveries.json", import.meta.url), "utf8"),
) as {
  readonly rows: readonly Record<string, AttributeValue>[];
  readonly objects: Readonly<Record<string, string>>;
};
const account = "acct_1";

let world: DeliveryWorld;
let receiver: Receiver;
eachDeliveryWorld(async (opened) => {
  ({ world, receiver } = opened);
  for (const row of stored.rows) {
    const Item = unmarshall(row);
    await world.client.send(new PutCommand({ TableName: world.tableName, Item }));
  }
  for (const [key, text] of Object.entries(stored.objects)) {
    await world.webhooks.bodies.put(key, Buffer.from(text, "base64"));
  }
  await addEndpoint();
  await world.setDestination(account);
});

/** Registers the endpoint to which the stored outbox belongs. */
async function addEndpoint(): Promise<void> {
  const { endpoints, secrets, clock, random } = world.registering;
  const now = clock.now().toISOString();
  const id = "we_1";
  await endpoints.create(account, {
    id,
    accountId: account,
    url: receiver.url,
    registeredUrl: null,
    description: null,
    events: null,
    enabled: true,
    secret: await secrets.seal(newSecret(random), endpointSecretContext(account, id)),
    secretHint: "none",
    previousSecret: null,
    requestsAtOnce: null,
    disabledReason: null,
    receivingSince: now,
    createdAt: now,
    updatedAt: now,
  });
}

const sent = () =>
  receiver.requests.map(({ body, headers }) => {
    const { id } = JSON.parse(body) as { id: string };
    return `${id} attempt ${String(headers["service-attempt"])}`;
  });

it("the delivery worker drains outboxes that the previous release stored: retries, first attempts and exports", async () => {
  world.clock.advance(60_000);
  await world.deliverDue();

  expect(sent().toSorted()).toEqual([
    "evt_wlrun_2_0 attempt 2",
    "evt_wlrun_2_1 attempt 2",
    "evt_wlrun_3_0 attempt 1",
    "evt_wlrun_3_1 attempt 1",
  ]);
  expect(await world.exportStates(account)).toEqual(["done", "done", "done"]);
  expect(await world.targets.due(world.clock.now(), 10)).toEqual([]);
});

it("a run is added to an event feed and to outboxes that the previous release stored, and is delivered once", async () => {
  world.clock.advance(60_000);
  await world.deliverDue();
  const before = receiver.requests.length;
  const run = aRun(["watchlist.run.completed"], {
    runId: "wlrun_4",
    happenedAt: "2026-11-20T10:01:00.000Z",
  });
  await world.publish(run);
  await world.publish(run);
  await world.deliverDue();

  expect(sent().slice(before)).toEqual(["evt_wlrun_4_0 attempt 1"]);
  const feed = await world.webhooks.feed.after(account, 0, 10);
  expect(feed.map(({ sequence, runId }) => `${sequence} ${runId}`)).toEqual([
    "1 wlrun_1",
    "2 wlrun_2",
    "3 wlrun_3",
    "4 wlrun_4",
  ]);
});
