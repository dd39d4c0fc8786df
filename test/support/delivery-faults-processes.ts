import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import { cancellationReasons } from "../../shared/aws/dynamo.ts";
import { deliver, type DeliverDependencies } from "../../functions/delivery/deliver.ts";
import { deliveryWrite, dynamoDeliveryStore } from "../../shared/aws/delivery-store.ts";
import { dynamoDestinationStore } from "../../shared/aws/destination-store.ts";
import { dynamoDueTargets } from "../../shared/aws/due-targets.ts";
import { dynamoEndpointStore } from "../../shared/aws/endpoint-store.ts";
import { dynamoEventFeed } from "../../shared/aws/event-feed.ts";
import { dynamoExportStore, exportWrite } from "../../shared/aws/export-store.ts";
import { dynamoOutboxStore } from "../../shared/aws/outbox-store.ts";
import type { Chance, Clock } from "../../shared/base/clock.ts";
import type { SecretBox } from "../../shared/base/secret-box.ts";
import type { ExportRecord } from "../../shared/exports/export-record.ts";
import { exportSessions } from "../../shared/exports/export-session.ts";
import { runExports } from "../../shared/exports/run-exports.ts";
import { addressPolicy } from "../../shared/outgoing/address-policy.ts";
import { wakeDue } from "../../shared/outbox/wake-due.ts";
import type { DeliveryRecord } from "../../shared/webhooks/attempt-delivery.ts";
import { runEventPublisher } from "../../shared/webhooks/publish.ts";
import { webhookSessions } from "../../shared/webhooks/webhook-session.ts";
import type { DeliveryFaults } from "./delivery-faults-kinds.ts";
import type {
  CallOf,
  virtualBodies,
  virtualBuckets,
  virtualReceivers,
} from "./delivery-faults-outside.ts";
import type { HintPool, PoolMessage } from "./delivery-faults-pool.ts";
import { faultyClient, Injected } from "./faulty-client.ts";
import { type Random, seededChance } from "./faulty-random.ts";
import type { Task, Turns } from "./faulty-turns.ts";
import { watchedClient } from "./watched-client.ts";

export interface DeliverySurroundings {
  /** Tells the world of every write before anybody goes on. */
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly turns: Turns;
  readonly faults: DeliveryFaults;
  readonly random: Random;
  readonly pool: HintPool;
  readonly secrets: SecretBox;
  readonly receivers: ReturnType<typeof virtualReceivers>;
  readonly buckets: ReturnType<typeof virtualBuckets>;
  readonly bodies: ReturnType<typeof virtualBodies>;
  /** Told when a process stands still or dies. */
  readonly onTrouble: (task: Task) => void;
  /** Told when a process hears that a transaction's conditions did not hold. */
  readonly onLoss: (task: Task) => void;
}

/** The stores of one table, all that the delivery has. */
export function deliveryStoresOn(
  client: DynamoDBDocumentClient,
  patience: { readonly tableName: string; readonly clock: Clock; readonly chance: Chance },
) {
  const { tableName } = patience;
  return {
    endpoints: dynamoEndpointStore(client, patience),
    deliveries: dynamoDeliveryStore(client, patience),
    destinations: dynamoDestinationStore(client, tableName),
    exports: dynamoExportStore(client, tableName),
    feed: dynamoEventFeed(client, patience),
    targets: dynamoDueTargets(client, tableName),
    outbox: dynamoOutboxStore<DeliveryRecord>(client, {
      ...patience,
      recordWrite: (accountId, record) => deliveryWrite(tableName, accountId, record),
    }),
    exportOutbox: dynamoOutboxStore<ExportRecord>(client, {
      ...patience,
      recordWrite: (accountId, record) => exportWrite(tableName, accountId, record),
    }),
  };
}

const pausesMs = [5_000, 70_000, 4 * 60_000, 50 * 60_000];

/**
 * Begins a task in a process of its own, which may die at any call, or stand still before one for
 * minutes and go on as if nothing was.
 */
export function beginProcess(
  surroundings: DeliverySurroundings,
  name: string,
  work: (ports: DeliveryPorts) => Promise<unknown>,
): Promise<Task> {
  return surroundings.turns.begin(name, async (task) => {
    await work(portsOf(surroundings, task));
  });
}

function portsOf(surroundings: DeliverySurroundings, task: Task) {
  const { tableName, turns, faults, random, secrets, pool } = surroundings;
  const call: CallOf = (label, effect, delay = 0) => {
    const pause = faults.draw("paused") === undefined ? 0 : random.pick(pausesMs);
    if (pause > 0) {
      turns.note(`${task.name} stands still for ${pause / 1_000} s`);
      surroundings.onTrouble(task);
    }
    const mortal = async () => {
      const fault = faults.draw("died_before_call", "died_after_call");
      if (fault !== undefined) surroundings.onTrouble(task);
      if (fault === "died_before_call") turns.kill(task);
      if (task.state === "dead") return undefined as Awaited<ReturnType<typeof effect>>;
      try {
        return await effect();
      } finally {
        if (fault === "died_after_call") turns.kill(task);
      }
    };
    return turns.call(task, { label, effect: mortal, delay: delay + pause });
  };
  const clock: Clock = {
    now: () => new Date(turns.now()),
    sleep: (milliseconds) => call("sleep", async () => {}, milliseconds),
  };
  const chance = seededChance(random);
  const client = noticingLoss(faultyDeliveryClient(surroundings, call), () =>
    surroundings.onLoss(task),
  );
  const stores = deliveryStoresOn(client, { tableName, clock, chance });
  const queue = pool.port(call);
  const shared = {
    ...stores,
    queue,
    secrets,
    clock,
    chance,
    bodies: surroundings.bodies.port(call),
    sender: surroundings.receivers.port(call, () => task.name),
    buckets: surroundings.buckets.port(call, () => task.name),
    roles: { assume: async () => ({ outcome: "failed", reason: "AccessDenied" }) as const },
    policy: addressPolicy({ allowLoopback: false }),
    resolver: { resolve: async () => [] },
    warn: (message: string) => turns.note(`warning: ${message}`),
  };
  const delivering: DeliverDependencies = {
    webhooks: { ...shared, open: webhookSessions(shared) },
    exports: { ...shared, outbox: stores.exportOutbox, open: exportSessions(shared) },
  };
  const publishing = { ...shared, exports: runExports(stores) };
  return {
    ...shared,
    publisher: runEventPublisher(publishing),
    deliver: (target: { readonly accountId: string; readonly targetId: string }) =>
      deliver({ account_id: target.accountId, target_id: target.targetId }, delivering),
    sweep: () => wakeDue({ now: clock.now(), limit: 100 }, { targets: stores.targets, queue }),
  };
}
export type DeliveryPorts = ReturnType<typeof portsOf>;

export const workOnMessage = (message: PoolMessage, ports: DeliveryPorts): Promise<void> =>
  message.kind === "hint" ? ports.deliver(message.target) : ports.publisher.publish(message.run);

/** With what a batch of reads may meet besides. */
function faultyDeliveryClient(
  { client, faults, random }: DeliverySurroundings,
  call: CallOf,
): DynamoDBDocumentClient {
  const faulty = faultyClient(client, { faults, random, call, look: async () => {} });
  return watchedClient(faulty, (command, send) => {
    if (!(command instanceof BatchGetCommand)) return send();
    const [[table, wanted] = ["", undefined]] = Object.entries(command.input.RequestItems ?? {});
    const { Keys = [], ...rest } = wanted ?? {};
    const read = (keys: Keys): Promise<unknown> =>
      client.send(new BatchGetCommand({ RequestItems: { [table]: { ...rest, Keys: keys } } }));
    return call(`batch get of ${Keys.length}`, async () => {
      const fault = faults.draw("throttled", "items_unprocessed");
      if (fault === "throttled") throw new Injected("ThrottlingException");
      if (fault === undefined) return read(Keys);
      const taken = random.some(Keys, 0.5);
      const left = Keys.filter((key) => !taken.includes(key));
      const answer = taken.length === 0 ? {} : ((await read(taken)) as object);
      const UnprocessedKeys = left.length === 0 ? {} : { [table]: { ...rest, Keys: left } };
      return { ...answer, UnprocessedKeys };
    });
  });
}

function noticingLoss(client: DynamoDBDocumentClient, onLoss: () => void): DynamoDBDocumentClient {
  return watchedClient(client, async (_, send) => {
    try {
      return await send();
    } catch (error) {
      const reasons = cancellationReasons(error) ?? [];
      if (reasons.some((reason) => reason?.code === "ConditionalCheckFailed")) onLoss();
      throw error;
    }
  });
}

type Keys = NonNullable<NonNullable<BatchGetCommandInput["RequestItems"]>[string]["Keys"]>;
