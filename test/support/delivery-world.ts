import { S3Client } from "@aws-sdk/client-s3";
import { PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { startFauxqs } from "fauxqs";
import { parse } from "valibot";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { deliver, type DeliverDependencies } from "../../functions/delivery/deliver.ts";
import { deliveryMessage } from "../../shared/messages/deliveries-queue.ts";
import { s3CustomerBuckets } from "../../shared/aws/exports/customer-bucket.ts";
import { deliveryWrite, dynamoDeliveryStore } from "../../shared/aws/deliveries/delivery-store.ts";
import { dynamoDestinationStore } from "../../shared/aws/exports/destination-store.ts";
import { dueKeys, latestDueTime } from "../../shared/aws/table/due-keys.ts";
import { dynamoDueTargets } from "../../shared/aws/deliveries/due-targets.ts";
import { dynamoEndpointStore } from "../../shared/aws/deliveries/endpoint-store.ts";
import { s3EventBodies } from "../../shared/aws/deliveries/event-bodies.ts";
import { dynamoEventFeed } from "../../shared/aws/deliveries/event-feed.ts";
import { exportLogWrite } from "../../shared/aws/exports/export-log.ts";
import { dynamoExportStore } from "../../shared/aws/exports/export-store.ts";
import { dynamoPublications } from "../../shared/aws/publishing/publications.ts";
import { smallArchives } from "../../shared/aws/deliveries/small-archives.ts";
import type { WrittenVersions } from "../../shared/base/stored-versions.ts";
import { hostResolver } from "../../shared/outgoing/host-resolver.ts";
import { sqsOutboxQueue } from "../../shared/aws/queues/outbox-queue.ts";
import { dynamoOutboxStore } from "../../shared/aws/deliveries/outbox-store.ts";
import { dynamoPendingWork } from "../../shared/aws/deliveries/pending-work.ts";
import { dynamoProbeCounter } from "../../shared/aws/deliveries/probe-counter.ts";
import { stsRoleCredentials } from "../../shared/aws/exports/role-credentials.ts";
import { deliveryKeys } from "../../shared/aws/table/table.ts";
import { dynamoTargetStates } from "../../shared/aws/deliveries/target-states.ts";
import { webhookSender } from "../../shared/outgoing/webhook-sender.ts";
import type { Destination } from "../../shared/exports/destination.ts";
import { destinationSecretContext, newRevision } from "../../shared/exports/destination.ts";
import type { ExportLogRecord } from "../../shared/exports/export-record.ts";
import { type BusDependencies, busSessions } from "../../shared/event-bus/bus-session.ts";
import { type ExportDependencies, exportSessions } from "../../shared/exports/export-session.ts";
import type { ExportStore } from "../../shared/exports/export-store.ts";
import { addressPolicy } from "../../shared/outgoing/address-policy.ts";
import { createEndpoint } from "../../shared/webhooks/create-endpoint.ts";
import type { WebhookEndpoint, NewEndpoint } from "../../shared/webhooks/endpoint.ts";
import { type EventType, type RunEvents, serializeEvent } from "../../shared/events/event.ts";
import {
  type PublishDependencies,
  runEventPublisher,
} from "../../shared/publishing/publish-run.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import { wakeDue } from "../../shared/outbox/wake-due.ts";
import type {
  DeliveryRecord,
  WebhookDependencies,
} from "../../shared/webhooks/attempt-delivery.ts";
import { rotateSecret } from "../../shared/webhooks/rotate-secret.ts";
import { webhookSessions } from "../../shared/webhooks/webhook-session.ts";
import { memorySecretBox } from "../../tools/stand-ins/memory-secret-box.ts";
import { memoryEventBus } from "../fakes/memory-event-bus.ts";
import { countingRandom, fixedClock } from "./clock.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { openTables } from "./tables.ts";

/** The time at which the clock of each world starts. */
export const startedAt = "2026-11-20T10:00:00.000Z";
const credentials = { accessKeyId: "test", secretAccessKey: "test" };

/**
 * Starts tables, queues and buckets for tests of deliveries. Returns `open`, which creates an empty
 * delivery world, and `stop`, which ends the servers. A delivery world has a separate table, queue
 * and buckets, and functions that deliver events.
 */
export async function startDeliveryWorld() {
  const tables = openTables();
  const fauxqs = await startFauxqs({ port: 0, logger: false });
  const endpoint = `http://127.0.0.1:${fauxqs.port}`;
  const sqs = new SQSClient({ endpoint, region: "us-east-1", credentials });
  const s3 = new S3Client({ endpoint, region: "us-east-1", credentials, forcePathStyle: true });
  let made = 0;

  /**
   * Opens an empty world with a separate clock. If `hasBus` is true, the publisher also publishes
   * to an event bus in memory. `writes` sets the versions of the rows that the publisher writes.
   */
  const open = async ({
    hasBus = false,
    writes = "current",
  }: { readonly hasBus?: boolean; readonly writes?: WrittenVersions } = {}) => {
    made += 1;
    const tableName = await tables.create();
    const bucket = `events-${made}`;
    const exportBucket = `exports-${made}`;
    fauxqs.createBucket(bucket);
    fauxqs.createBucket(exportBucket);
    const { queueUrl } = fauxqs.createQueue(`deliveries-${made}`);
    const clock = fixedClock(startedAt);
    const random = countingRandom();
    const policy = addressPolicy({ allowLoopback: true });
    const patience = { tableName, clock, random };
    const outbox = dynamoOutboxStore<DeliveryRecord>(tables.client, {
      ...patience,
      recordWrite: (accountId, record) => deliveryWrite(tableName, accountId, record),
    });
    const queue = sqsOutboxQueue(sqs, queueUrl);
    const secrets = memorySecretBox();
    const endpoints = dynamoEndpointStore(tables.client, patience);
    const webhooks: WebhookDependencies = {
      endpoints,
      deliveries: dynamoDeliveryStore(tables.client, patience),
      bodies: {
        ...s3EventBodies(s3, bucket),
        writes,
        small: smallArchives(tables.client, tableName),
      },
      feed: dynamoEventFeed(tables.client, patience),
      secrets,
      sender: webhookSender({ policy, clock }),
      clock,
      random,
    };
    const destinations = dynamoDestinationStore(tables.client, patience);
    const buckets = s3CustomerBuckets({ policy });
    const publishing: PublishDependencies = {
      endpoints,
      bodies: webhooks.bodies,
      publications: dynamoPublications(tables.client, patience),
      destinations,
      queue,
      hasBus,
    };
    const exportOutbox = dynamoOutboxStore<ExportLogRecord>(tables.client, {
      ...patience,
      recordWrite: (accountId, record) => exportLogWrite(tableName, accountId, record),
    });
    const exporting: ExportDependencies & { readonly exports: ExportStore } = {
      ...webhooks,
      destinations,
      exports: dynamoExportStore(tables.client, tableName),
      buckets,
      roles: stsRoleCredentials(),
      outbox: exportOutbox,
    };
    const bus = memoryEventBus();
    const warnings: string[] = [];
    const busMetrics: Metrics[] = [];
    const sendingToBus: BusDependencies = {
      bus: hasBus ? bus : null,
      bodies: webhooks.bodies,
      apiUrl: "https://api.example/dev/",
      clock,
      random,
      report: (metrics) => void busMetrics.push(...metrics),
      warn: (message) => void warnings.push(message),
    };
    const busOutbox = dynamoOutboxStore<never>(tables.client, {
      ...patience,
      recordWrite: () => expect.unreachable("the bus has no log"),
    });
    const draining = { queue, clock, random };
    const delivering: DeliverDependencies = {
      webhooks: { ...draining, outbox, open: webhookSessions(webhooks) },
      exports: { ...draining, outbox: exportOutbox, open: exportSessions(exporting) },
      bus: { ...draining, outbox: busOutbox, open: busSessions(sendingToBus) },
    };
    const registering = {
      endpoints,
      secrets,
      policy,
      clock,
      random,
      buckets,
      destinations,
      resolver: hostResolver(),
      states: dynamoTargetStates(tables.client, tableName),
      pending: dynamoPendingWork(tables.client, tableName),
      probes: dynamoProbeCounter(tables.client, { tableName }),
      bodies: webhooks.bodies,
    };
    const secretsMade: string[] = [];
    const targets = dynamoDueTargets(tables.client, tableName);

    /**
     * Removes all wake-up messages from the queue and returns them, including those whose delay has
     * not ended. The queue delays messages in real time, so a message that stayed there would return
     * at an unknown time.
     */
    const takeWakeUps = async (): Promise<unknown[]> => {
      const { messages } = fauxqs.inspectQueue(`deliveries-${made}`) ?? {};
      await sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl }));
      const waiting = [...(messages?.delayed ?? []), ...(messages?.ready ?? [])];
      return waiting.map(({ body }): unknown => JSON.parse(body));
    };
    const handleWakeUp = (wakeUp: unknown): Promise<void> =>
      deliver(parse(deliveryMessage, wakeUp), delivering);

    return {
      tableName,
      client: tables.client,
      clock,
      s3,
      exportBucket,
      publishing,
      /** The dependencies of webhook sessions. A test may replace them. */
      webhooks,
      /** The dependencies of export sessions. A test may replace them. */
      exporting,
      outbox,
      bus,
      /** The metrics of the deliveries to the event bus. */
      busMetrics,
      /** The warnings of these deliveries. */
      warnings,
      delivering,
      registering,
      targets,
      takeWakeUps,
      handleWakeUp,
      publish: (run: RunEvents) => runEventPublisher(publishing).publish(run),
      sweep: () => wakeDue({ now: clock.now(), limit: 100 }, { targets, queue }),
      /**
       * Drains all due outboxes until none is due, as the workers do after the sweeper's wake-up
       * messages.
       */
      async deliverDue() {
        for (;;) {
          const due = await targets.due(clock.now(), 100);
          if (due.length === 0) return;
          for (const { accountId, targetId } of due) {
            await handleWakeUp({ account_id: accountId, target_id: targetId });
          }
        }
      },
      /** Returns the earliest due time of all delivery targets; null if none has pending work. */
      async nextDue(): Promise<Date | null> {
        const query = { kind: "outbox", by: latestDueTime, limit: 1 } as const;
        const [next] = await dueKeys(tables.client, tableName, query);
        return next === undefined ? null : new Date(next.dueAt);
      },
      destination: (accountId: string) => destinations.get(accountId),
      /** Returns the states of the account's exports, newest first. */
      async exportStates(accountId: string) {
        const wanted = { limit: 100, before: null, state: null };
        const { exports } = await exporting.exports.list(accountId, wanted);
        return exports.map(({ state }) => state);
      },
      /** Registers an endpoint. Returns it with its secret. */
      async addEndpoint(accountId: string, url: string, wanted: Partial<NewEndpoint> = {}) {
        clock.advance(1);
        const created = await createEndpoint(
          {
            accountId,
            wanted: { url, description: null, events: null, enabled: true, ...wanted },
            now: clock.now(),
            own: { hosts: [], apiId: null },
          },
          registering,
        );
        secretsMade.push(created.secret);
        return created;
      },
      /** All secrets that were ever created for endpoints of this world. */
      secretsMade,
      /** Rotates the secret of an endpoint. Returns the new secret. */
      async rotate({ id }: WebhookEndpoint, overlap: boolean): Promise<string> {
        const ref = { accountId: "acct_1", endpointId: id, overlap, now: clock.now() };
        const { secret } = await rotateSecret(ref, registering);
        secretsMade.push(secret);
        return secret;
      },
      /** Enables a disabled endpoint. */
      async enable({ id }: WebhookEndpoint): Promise<void> {
        await tables.client.send(
          new UpdateCommand({
            TableName: tableName,
            Key: deliveryKeys.endpoint("acct_1", id),
            UpdateExpression: "SET enabled = :true",
            ExpressionAttributeValues: { ":true": true },
          }),
        );
      },
      /**
       * Stores an S3 destination in the world's export bucket, without the write that tests a new
       * destination.
       */
      async setDestination(accountId: string, wanted: Partial<Destination> = {}) {
        const before = await destinations.get(accountId);
        await destinations.put(
          accountId,
          {
            enabled: true,
            bucket: exportBucket,
            region: "us-east-1",
            endpoint,
            forcePathStyle: true,
            prefix: "shop/",
            credentials: {
              auth: "access_key",
              accessKeyId: "customer",
              secretAccessKey: await secrets.seal(
                "customer-secret",
                destinationSecretContext(accountId),
              ),
              secretHint: "cret",
            },
            compression: "gzip",
            rows: false,
            snapshot: "none",
            failuresInRow: 0,
            lastSuccessAt: null,
            lastError: null,
            revision: newRevision(random),
            createdAt: startedAt,
            updatedAt: startedAt,
            ...wanted,
          },
          before?.revision ?? null,
        );
      },
      storeUrl: endpoint,
    };
  };

  return {
    open,
    async stop() {
      sqs.destroy();
      s3.destroy();
      await fauxqs.stop();
    },
  };
}

export type DeliveryWorld = Awaited<
  ReturnType<Awaited<ReturnType<typeof startDeliveryWorld>>["open"]>
>;

/**
 * Registers the hooks that open an empty delivery world and a receiver for each test of the calling
 * file. Calls `prepare` with the world and the receiver before the test.
 */
export function eachDeliveryWorld(
  prepare: (opened: { readonly world: DeliveryWorld; readonly receiver: Receiver }) => unknown,
): void {
  let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
  let receiver: Receiver;
  beforeAll(async () => {
    base = await startDeliveryWorld();
  });
  afterAll(() => base.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
    await prepare({ world: await base.open(), receiver });
  });
  afterEach(() => receiver.stop());
}

/** Builds a finished run with one event for each entry of `types`, in this order. */
export function aRun(
  types: readonly EventType[],
  {
    happenedAt = startedAt,
    ...wanted
  }: Partial<Omit<RunEvents, "events">> & { happenedAt?: string } = {},
): RunEvents {
  const runId = wanted.runId ?? "wlrun_1";
  const events = types.map((type, index) =>
    serializeEvent(
      {
        id: `evt_${runId}_${index}`,
        type,
        created_at: happenedAt,
        data: { run_id: runId, part: index + 1, name: "caf\u00e9 \u2603" },
      },
      type === "watchlist.run.completed" ? 0 : 2,
    ),
  );
  return {
    accountId: "acct_1",
    watchlistId: "wl_1",
    runId,
    runNumber: 7,
    runStartedAt: "2026-11-19T23:59:00.000Z",
    webhookEndpointId: null,
    ...wanted,
    events,
  };
}
