import {
  dynamoDeliveryStore,
  deliveryWrite,
} from "../../../shared/aws/deliveries/delivery-store.ts";
import { dynamoEndpointStore } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoEventFeed } from "../../../shared/aws/deliveries/event-feed.ts";
import { dynamoOutboxStore } from "../../../shared/aws/deliveries/outbox-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { systemClock, systemRandom } from "../../../shared/base/system.ts";
import { archiveRun, type EventBodies } from "../../../shared/events/event-archive.ts";
import { type RunEvents, serializeEvent } from "../../../shared/events/event.ts";
import { drain } from "../../../shared/outbox/drain.ts";
import { endpointTarget, type OutboxQueue } from "../../../shared/outbox/outbox.ts";
import type { Sender } from "../../../shared/outgoing/sender.ts";
import type { DeliveryRecord } from "../../../shared/webhooks/attempt-delivery.ts";
import { endpointSecretContext } from "../../../shared/webhooks/endpoint.ts";
import { runEntry } from "../../../shared/webhooks/outbox-entries.ts";
import { newSecret } from "../../../shared/webhooks/secret.ts";
import { webhookSessions } from "../../../shared/webhooks/webhook-session.ts";
import { memorySecretBox } from "../../../tools/stand-ins/memory-secret-box.ts";
import { defaultRules } from "../model/contention.ts";
import { consuming, modelledDynamo, noConsumption } from "../model/dynamo-model.ts";
import { type VirtualTime, virtualTime } from "../model/virtual-time.ts";
import { seededGenerator } from "../../../tools/stand-ins/seeded.ts";

/** A busy webhook endpoint, and the events that are pending for it. */
export interface EndpointCase {
  /** The maximum number of parallel requests to the endpoint, as an operator sets it. */
  readonly requestsAtOnce: number;
  /** The milliseconds that the receiver takes to respond to a request. */
  readonly answerMs: number;
  /** The number of runs whose events are pending. */
  readonly runs: number;
  /** The number of events of each run. */
  readonly events: number;
  readonly seed: number;
}

/** The results of the delivery of all pending events, as a row of the table. */
export interface EndpointMetrics {
  readonly "at once": number;
  readonly "answer ms": number;
  readonly events: number;
  readonly seconds: number;
  readonly "events/s": number;
  /** The largest number of requests that were in progress at the receiver at the same time. */
  readonly "most concurrent": number;
  readonly requests: number;
  readonly "write units/s": number;
  readonly throttles: number;
}

const createdAt = "2026-11-19T23:59:00.000Z";

/**
 * Creates a webhook endpoint with pending events, delivers all of them in virtual time, and returns
 * the duration and the requests to DynamoDB.
 * @param endpointCase The settings of the endpoint and the number of pending events.
 * @param world.endpoint The address of DynamoDB, not of the webhook endpoint.
 * @param world.table The name of the table.
 * @throws Error if the receiver did not get every event.
 */
export async function measureEndpoint(
  endpointCase: EndpointCase,
  { endpoint: engine, table }: { readonly endpoint: string; readonly table: string },
): Promise<EndpointMetrics> {
  const { requestsAtOnce, answerMs, seed } = endpointCase;
  const accountId = `acct_${requestsAtOnce}_${answerMs}_${seed}`;
  const endpointId = "we_bench";
  const secrets = memorySecretBox();
  const bodies = memoryBodies();
  await addPending(endpointCase, { accountId, endpointId, table, secrets, bodies });

  const fraction = seededGenerator(seed);
  const time = virtualTime(systemClock.now());
  const client = modelledDynamo({ endpoint: engine, time, rules: defaultRules, random: fraction });
  const random = { ...systemRandom, fraction };
  const stored = { tableName: table, clock: time.clock, random };
  const receiver = slowReceiver(time, answerMs);
  const open = webhookSessions({
    endpoints: dynamoEndpointStore(client, stored),
    deliveries: dynamoDeliveryStore(client, stored),
    feed: dynamoEventFeed(client, stored),
    bodies,
    secrets,
    sender: receiver.sender,
    clock: time.clock,
    random,
  });
  const outbox = dynamoOutboxStore<DeliveryRecord>(client, {
    ...stored,
    recordWrite: (account, record) => deliveryWrite(table, account, record),
  });
  let wakeUps = 1;
  const queue: OutboxQueue = {
    async send() {
      wakeUps += 1;
    },
  };
  const used = noConsumption();
  const from = time.now();
  const drainAll = async (): Promise<void> => {
    for (; wakeUps > 0; wakeUps -= 1) {
      const target = endpointTarget(accountId, endpointId);
      await drain(target, { outbox, open, queue, clock: time.clock, random });
    }
  };
  await time.through(consuming(used, drainAll));
  client.destroy();

  const seconds = (time.now() - from) / 1_000;
  const events = endpointCase.runs * endpointCase.events;
  if (receiver.received() !== events) {
    throw new Error(
      `The number of events at the receiver is ${receiver.received()} (expected ${events}). Look for a lost or repeated delivery in the delivery worker.`,
    );
  }
  return {
    "at once": requestsAtOnce,
    "answer ms": answerMs,
    events,
    seconds: Number(seconds.toFixed(1)),
    "events/s": Math.round(events / seconds),
    "most concurrent": receiver.most(),
    requests: used.requests,
    "write units/s": Math.round(used.writeUnits / seconds),
    throttles: used.throttles,
  };
}

/** Creates the endpoint, and the runs whose events are pending for it. */
async function addPending(
  { requestsAtOnce, runs, events }: EndpointCase,
  world: {
    readonly accountId: string;
    readonly endpointId: string;
    readonly table: string;
    readonly secrets: ReturnType<typeof memorySecretBox>;
    readonly bodies: EventBodies;
  },
): Promise<void> {
  const { accountId, endpointId, table, secrets, bodies } = world;
  const stored = { tableName: table, clock: systemClock, random: systemRandom };
  const client = documentClient();
  const context = endpointSecretContext(accountId, endpointId);
  await dynamoEndpointStore(client, stored).create(accountId, {
    id: endpointId,
    accountId,
    url: "https://receiver.example/hooks",
    registeredUrl: null,
    description: null,
    events: null,
    enabled: true,
    disabledReason: null,
    receivingSince: createdAt,
    secret: await secrets.seal(newSecret(systemRandom), context),
    secretHint: "none",
    previousSecret: null,
    requestsAtOnce,
    createdAt,
    updatedAt: createdAt,
  });
  const outbox = dynamoOutboxStore<DeliveryRecord>(client, {
    ...stored,
    recordWrite: (account, record) => deliveryWrite(table, account, record),
  });
  for (let n = 1; n <= runs; n += 1) {
    const run = smallRun({ accountId, n, events });
    await archiveRun(run, bodies);
    const { runId, watchlistId } = run;
    const entry = runEntry({ runId, watchlistId, types: null, happenedAt: createdAt });
    await outbox.add(endpointTarget(accountId, endpointId), [entry]);
  }
}

function smallRun({
  accountId,
  n,
  events,
}: {
  readonly accountId: string;
  readonly n: number;
  readonly events: number;
}): RunEvents {
  const runId = `wlrun_${String(n).padStart(5, "0")}`;
  return {
    accountId,
    watchlistId: `wl_${n}`,
    runId,
    runNumber: n,
    runStartedAt: createdAt,
    webhookEndpointId: null,
    events: Array.from({ length: events }, (_, part) =>
      serializeEvent(
        {
          id: `evt_${runId}_${part}`,
          type: "watchlist.product.changed",
          created_at: createdAt,
          data: { run_id: runId, part },
        },
        1,
      ),
    ),
  };
}

/** Creates a sender whose receiver accepts each delivery after `answerMs` of virtual time. */
function slowReceiver(time: VirtualTime, answerMs: number) {
  let [underWay, most, received] = [0, 0, 0];
  const sender: Sender = {
    connect: () => ({
      async send() {
        underWay += 1;
        most = Math.max(most, underWay);
        await time.sleep(answerMs);
        underWay -= 1;
        received += 1;
        return {
          outcome: "answered",
          status: 200,
          retryAfter: null,
          body: Buffer.from("ok"),
          durationMs: answerMs,
        };
      },
      close: () => undefined,
    }),
  };
  return { sender, most: () => most, received: () => received };
}

function memoryBodies(): EventBodies {
  const objects = new Map<string, Uint8Array>();
  return {
    async put(key, bytes) {
      objects.set(key, bytes);
    },
    async get(key, range) {
      const bytes = objects.get(key);
      return bytes === undefined ? null : bytes.subarray(range?.start, range?.end);
    },
  };
}
