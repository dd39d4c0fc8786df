import assert from "node:assert/strict";
import { dynamoDeliveryStore } from "../../../shared/aws/deliveries/delivery-store.ts";
import { dynamoEventFeed } from "../../../shared/aws/deliveries/event-feed.ts";
import { emptiedLeaseUntil } from "../../../shared/aws/deliveries/outbox-writes.ts";
import type { Delivery } from "../../../shared/webhooks/delivery.ts";
import type { DeliveryScene } from "../scenarios/deliveries-scene.ts";
import { loggedFailures } from "./failures.ts";
import type { EndpointScene } from "./deliveries-endpoint.ts";
import { allRows } from "./table-rows.ts";
import { checkRequestsAtOnce } from "./deliveries-at-once.ts";
import { checkHealth } from "./deliveries-health.ts";
import { checkLogged } from "./deliveries-log.ts";
import { checkOrder, checkReached, checkRepeats } from "./deliveries-reached.ts";
import { checkRecoveries, checkRedeliveries } from "./deliveries-redelivered.ts";
import { checkRequest, checkTests, possibleDeliveries } from "./deliveries-requests.ts";
import { checkFailingEndpoint } from "./deliveries-failing.ts";

/**
 * Checks all webhook deliveries. Call it when no work is left.
 * @throws Error if a check fails
 */
export async function checkDeliveries(scene: DeliveryScene): Promise<void> {
  const { world, history } = scene;
  assert.deepEqual(history.writesWithoutLease, [], "writes to targets without the lease");
  for (const [name, times] of history.refusals) {
    // A process must stop at the first rejection, because it has lost its lease. The next lease
    // holder makes the remaining writes.
    assert.ok(times <= 1, `${name}: refused ${times} times`);
  }
  await checkFeed(scene);
  const meant = possibleDeliveries(scene);
  for (const request of world.receivers.sent) checkRequest(scene, request, meant);
  const logs = await logsOf(scene);
  const troubled = troubledTargets(scene);
  for (const endpoint of history.endpoints.values()) {
    const own = new Map([...meant].filter(([, one]) => one.endpoint === endpoint));
    const log = logs.get(endpoint.accountId) ?? new Map<string, Delivery>();
    const one: EndpointScene = {
      scene,
      endpoint,
      sent: world.receivers.sent.filter(({ headers }) =>
        own.has(headers["Service-Delivery-Id"] ?? ""),
      ),
      log: new Map([...log].filter(([, { endpointId }]) => endpointId === endpoint.id)),
      meant: own,
      isTroubled: troubled.has(endpoint.id),
    };
    for (const delivery of one.log.values()) checkLogged(one, delivery);
    checkTests(one);
    checkReached(one);
    checkOrder(one);
    checkFailingEndpoint(one);
    checkRequestsAtOnce(one);
    checkHealth(one);
    checkRecoveries(one);
    checkRedeliveries(one);
    checkRepeats(one);
  }
  await checkNoPendingWork(scene);
}

async function checkFeed({ world, users, runs }: DeliveryScene): Promise<void> {
  const { client, table: tableName, clock, randomSource } = world;
  const feed = dynamoEventFeed(client, { tableName, clock, random: randomSource });
  for (const { accountId } of users) {
    const entries = await feed.after(accountId, 0, 1_000);
    const numbers = entries.map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers,
      [...numbers.keys()].map((n) => n + 1),
      "numbers of the feed",
    );
    const own = [...runs.values()].filter(({ run }) => run.accountId === accountId);
    assert.deepEqual(
      entries.map(({ runId }) => runId).toSorted(),
      own.map(({ run }) => run.runId).toSorted(),
      "runs in the feed",
    );
  }
}

async function logsOf({
  world,
  users,
}: DeliveryScene): Promise<ReadonlyMap<string, ReadonlyMap<string, Delivery>>> {
  const { client, table: tableName, clock, randomSource } = world;
  const store = dynamoDeliveryStore(client, { tableName, clock, random: randomSource });
  const logs = new Map<string, ReadonlyMap<string, Delivery>>();
  for (const { accountId } of users) {
    const wanted = { limit: 5_000, before: null, filter: {} };
    const { deliveries, lastId } = await store.list(accountId, wanted);
    assert.equal(lastId, null);
    logs.set(accountId, new Map(deliveries.map((delivery) => [delivery.id, delivery])));
  }
  return logs;
}

/**
 * Returns the IDs of the targets whose first attempts may be out of order, because a process that
 * drained the target crashed, paused or failed.
 */
function troubledTargets({ history }: DeliveryScene): ReadonlySet<string> {
  const failed = loggedFailures().flatMap(({ line }) => line.target_id ?? []);
  const held = history.claims
    .filter(({ task }) => task.hasPaused === true || task.state !== "done")
    .map(({ target }) => target.split(" ")[1] ?? "");
  return new Set([...failed, ...held]);
}

/** The attributes that remain in a target's row when nothing is pending. */
const kept = new Set(["pk", "sk", "additions", "lease_until", "target_state"]);

/** Checks that no outbox entry, due mark or lease is left in the table. */
async function checkNoPendingWork({ world }: DeliveryScene): Promise<void> {
  const rows = await allRows(world);
  const pending = rows.filter(({ pk }) => pk.includes("#outbox#"));
  assert.deepEqual(pending, [], "pending outbox entries");
  const heads = rows.filter(({ pk }) => pk.endsWith("#outbox"));
  for (const head of heads) {
    const left = Object.keys(head).filter((name) => !kept.has(name));
    assert.deepEqual(left, [], `row of target ${head.sk}`);
    assert.equal(head["lease_until"] ?? emptiedLeaseUntil, emptiedLeaseUntil, "a lease is left");
  }
}
