import { S3Client } from "@aws-sdk/client-s3";
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { startFauxqs } from "fauxqs";
import { parse } from "valibot";
import { deliver, type DeliverDependencies } from "../../functions/delivery/deliver.ts";
import { deliveryMessage } from "../../functions/delivery/message.ts";
import { s3CustomerBuckets } from "../../shared/aws/customer-bucket.ts";
import { sqsDeliveryQueue } from "../../shared/aws/delivery-queue.ts";
import { dynamoDeliveryStore } from "../../shared/aws/delivery-store.ts";
import { dynamoDestinationStore } from "../../shared/aws/destination-store.ts";
import { dynamoDueWork } from "../../shared/aws/due-work.ts";
import { dynamoEndpointStore } from "../../shared/aws/endpoint-store.ts";
import { s3EventBodies } from "../../shared/aws/event-bodies.ts";
import { dynamoEventFeed } from "../../shared/aws/event-feed.ts";
import { dynamoExportJobStore } from "../../shared/aws/export-job-store.ts";
import { hostResolver } from "../../shared/aws/host-resolver.ts";
import { dynamoRunJobStore } from "../../shared/aws/run-job-store.ts";
import { webhookSender } from "../../shared/aws/webhook-sender.ts";
import type { Destination } from "../../shared/exports/destination.ts";
import { destinationSecretContext } from "../../shared/exports/destination.ts";
import { runExports } from "../../shared/exports/run-exports.ts";
import { addressPolicy } from "../../shared/outgoing/address-policy.ts";
import { createEndpoint } from "../../shared/webhooks/create-endpoint.ts";
import type { NewEndpoint } from "../../shared/webhooks/endpoint.ts";
import { type EventType, type RunEvents, serializeEvent } from "../../shared/events/event.ts";
import { type PublishDependencies, runEventPublisher } from "../../shared/webhooks/publish.ts";
import { sweepDeliveries } from "../../shared/webhooks/sweep-deliveries.ts";
import type { WorkOutcome } from "../../shared/webhooks/work.ts";
import { memorySecretBox } from "../fakes/memory-secret-box.ts";
import { countingChance, fixedClock } from "./clock.ts";
import { startTables } from "./tables.ts";

export const startedAt = "2026-11-20T10:00:00.000Z";
const credentials = { accessKeyId: "test", secretAccessKey: "test" };

/** Real tables, queues and buckets, with everything of the delivery on them. */
export async function startDeliveryWorld() {
  const tables = await startTables();
  const fauxqs = await startFauxqs({ port: 0, logger: false });
  const endpoint = `http://127.0.0.1:${fauxqs.port}`;
  const sqs = new SQSClient({ endpoint, region: "us-east-1", credentials });
  const s3 = new S3Client({ endpoint, region: "us-east-1", credentials, forcePathStyle: true });
  let made = 0;

  /** An empty world with a clock of its own. */
  const open = async () => {
    made += 1;
    const tableName = await tables.create();
    const bucket = `events-${made}`;
    const exportBucket = `exports-${made}`;
    fauxqs.createBucket(bucket);
    fauxqs.createBucket(exportBucket);
    const { queueUrl } = fauxqs.createQueue(`deliveries-${made}`);
    const clock = fixedClock(startedAt);
    const chance = countingChance();
    const policy = addressPolicy({ allowLoopback: true });
    const shared = {
      endpoints: dynamoEndpointStore(tables.client, { tableName, clock, chance }),
      bodies: s3EventBodies(s3, bucket),
      jobs: dynamoRunJobStore(tables.client, tableName),
      exportJobs: dynamoExportJobStore(tables.client, tableName),
      destinations: dynamoDestinationStore(tables.client, tableName),
      queue: sqsDeliveryQueue(sqs, queueUrl),
      secrets: memorySecretBox(),
      policy,
      clock,
      chance,
    };
    const publishing: PublishDependencies = {
      ...shared,
      feed: dynamoEventFeed(tables.client, tableName),
      exports: runExports(shared),
    };
    const delivering: DeliverDependencies = {
      ...shared,
      deliveries: dynamoDeliveryStore(tables.client, tableName),
      sender: webhookSender({ policy, clock }),
      buckets: s3CustomerBuckets({ policy }),
    };
    const registering = { ...shared, buckets: delivering.buckets, resolver: hostResolver() };
    const work = dynamoDueWork(tables.client, tableName);

    /** Hints waiting in the queue, delayed ones included; takes them out. */
    const takeHints = async (): Promise<unknown[]> => {
      const hints: unknown[] = [];
      const queue = fauxqs.inspectQueue(`deliveries-${made}`);
      for (const { body } of queue?.messages.delayed ?? []) hints.push(JSON.parse(body));
      for (;;) {
        const command = { QueueUrl: queueUrl, MaxNumberOfMessages: 10 };
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(command));
        if (Messages.length === 0) return hints;
        for (const { Body = "", ReceiptHandle } of Messages) {
          hints.push(JSON.parse(Body));
          await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
        }
      }
    };
    const deliverHint = (hint: unknown): Promise<WorkOutcome> =>
      deliver(parse(deliveryMessage, hint), delivering);

    return {
      tableName,
      client: tables.client,
      clock,
      s3,
      exportBucket,
      publishing,
      delivering,
      registering,
      work,
      takeHints,
      deliverHint,
      publish: (run: RunEvents) => runEventPublisher(publishing).publish(run),
      sweep: () => sweepDeliveries({ now: clock.now(), limit: 100 }, { work, ...shared }),
      /** Does all work that is due, as the sweeper finds it, until none is. */
      async deliverDue() {
        for (;;) {
          const due = await work.due(clock.now(), 100);
          if (due.length === 0) return;
          for (const { kind, accountId, id } of due) {
            await deliverHint({ kind, account_id: accountId, id });
          }
        }
      },
      /** Registers an endpoint; answers it with its secret. */
      async addEndpoint(accountId: string, url: string, wanted: Partial<NewEndpoint> = {}) {
        clock.advance(1);
        return createEndpoint(
          {
            accountId,
            wanted: { url, description: null, events: null, enabled: true, ...wanted },
            now: clock.now(),
            ownHost: null,
          },
          registering,
        );
      },
      /** Sets a destination in the world's own bucket store, without checking it. */
      async setDestination(accountId: string, wanted: Partial<Destination> = {}) {
        await shared.destinations.put(accountId, {
          enabled: true,
          bucket: exportBucket,
          region: "us-east-1",
          endpoint,
          forcePathStyle: true,
          prefix: "shop/",
          auth: "access_key",
          accessKeyId: "customer",
          secretAccessKey: await shared.secrets.seal(
            "customer-secret",
            destinationSecretContext(accountId),
          ),
          secretHint: "cret",
          compression: "gzip",
          failing: false,
          lastSuccessAt: null,
          lastError: null,
          createdAt: startedAt,
          updatedAt: startedAt,
          ...wanted,
        });
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
      await tables.stop();
    },
  };
}

export type DeliveryWorld = Awaited<
  ReturnType<Awaited<ReturnType<typeof startDeliveryWorld>>["open"]>
>;

/** A finished run that says these things, in this order. */
export function aRun(
  types: readonly EventType[],
  wanted: Partial<Omit<RunEvents, "events">> = {},
): RunEvents {
  const runId = wanted.runId ?? "wlrun_1";
  const events = types.map((type, index) =>
    serializeEvent(
      {
        id: `evt_${runId}_${index}`,
        type,
        created_at: startedAt,
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
