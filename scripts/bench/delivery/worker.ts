/**
 * Publishes and delivers the events of a finished run in a separate process. The CPU time of this
 * process is therefore the CPU time of the service and its AWS clients.
 */
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { deliver } from "../../../functions/delivery/deliver.ts";
import { s3CustomerBuckets } from "../../../shared/aws/exports/customer-bucket.ts";
import {
  deliveryWrite,
  dynamoDeliveryStore,
} from "../../../shared/aws/deliveries/delivery-store.ts";
import { dynamoDestinationStore } from "../../../shared/aws/exports/destination-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { dynamoEndpointStore } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { s3EventBodies } from "../../../shared/aws/deliveries/event-bodies.ts";
import { dynamoEventFeed } from "../../../shared/aws/deliveries/event-feed.ts";
import { exportLogWrite } from "../../../shared/aws/exports/export-log.ts";
import { dynamoExportStore } from "../../../shared/aws/exports/export-store.ts";
import { dynamoPublications } from "../../../shared/aws/publishing/publications.ts";
import { smallArchives } from "../../../shared/aws/deliveries/small-archives.ts";
import { sqsOutboxQueue } from "../../../shared/aws/queues/outbox-queue.ts";
import { dynamoOutboxStore } from "../../../shared/aws/deliveries/outbox-store.ts";
import { stsRoleCredentials } from "../../../shared/aws/exports/role-credentials.ts";
import { webhookSender } from "../../../shared/outgoing/webhook-sender.ts";
import type { WrittenVersions } from "../../../shared/base/stored-versions.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import type { RunEventPublisher } from "../../../shared/events/publisher.ts";
import { destinationSecretContext, newRevision } from "../../../shared/exports/destination.ts";
import type { ExportLogRecord } from "../../../shared/exports/export-record.ts";
import { busSessions } from "../../../shared/event-bus/bus-session.ts";
import { exportSessions } from "../../../shared/exports/export-session.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { destinationTarget } from "../../../shared/outbox/outbox.ts";
import type { DeliveryRecord } from "../../../shared/webhooks/attempt-delivery.ts";
import { endpointSecretContext } from "../../../shared/webhooks/endpoint.ts";
import { runEventPublisher } from "../../../shared/publishing/publish-run.ts";
import { newSecret } from "../../../shared/webhooks/secret.ts";
import { webhookSessions } from "../../../shared/webhooks/webhook-session.ts";
import { memorySecretBox } from "../../../tools/stand-ins/memory-secret-box.ts";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import {
  accountOf,
  type Archives,
  type DeliveryTask,
  readPlaces,
  runsOf,
  type Spent,
  spentOn,
} from "./task.ts";
import { doTasks } from "../do-tasks.ts";

const { tableName, queueUrl, eventsBucket, customerBucket, ...places } = readPlaces();
const [clock, random, secrets] = [systemClock, systemRandom, memorySecretBox()];
const policy = addressPolicy({ allowLoopback: true });
const dynamo = documentClient();
let dynamoRequests = 0;
dynamo.middlewareStack.add(
  (next) => (call) => {
    dynamoRequests += 1;
    return next(call);
  },
  { step: "finalizeRequest" },
);
const s3 = new S3Client({ forcePathStyle: true });
const queue = sqsOutboxQueue(new SQSClient({ useQueueUrlAsEndpoint: false }), queueUrl);
const table = { tableName, clock, random };
const endpoints = dynamoEndpointStore(dynamo, table);
const destinations = dynamoDestinationStore(dynamo, table);
const outbox = dynamoOutboxStore<DeliveryRecord>(dynamo, {
  ...table,
  recordWrite: (account, record) => deliveryWrite(tableName, account, record),
});
const exportOutbox = dynamoOutboxStore<ExportLogRecord>(dynamo, {
  ...table,
  recordWrite: (account, record) => exportLogWrite(tableName, account, record),
});
const shared = {
  bodies: { ...s3EventBodies(s3, eventsBucket), small: smallArchives(dynamo, tableName) },
  feed: dynamoEventFeed(dynamo, table),
  secrets,
  queue,
  clock,
  random,
};
const publisherOf = (writes: WrittenVersions): RunEventPublisher =>
  runEventPublisher({
    bodies: { ...shared.bodies, writes },
    queue,
    publications: dynamoPublications(dynamo, table),
    endpoints,
    destinations,
    hasBus: false,
  });
const publishers: Readonly<Record<Archives, RunEventPublisher>> = {
  rows: publisherOf("next"),
  objects: publisherOf("current"),
};
function noLog(): never {
  throw new Error(
    "The delivery worker wrote a delivery log for the event bus. Only webhook endpoints and S3 destinations have one: correct the worker.",
  );
}

const delivering = {
  webhooks: {
    ...shared,
    outbox,
    open: webhookSessions({
      ...shared,
      endpoints,
      deliveries: dynamoDeliveryStore(dynamo, table),
      sender: webhookSender({ policy, clock, certificateAuthorities: selfSigned.cert }),
    }),
  },
  exports: {
    ...shared,
    outbox: exportOutbox,
    open: exportSessions({
      ...shared,
      destinations,
      exports: dynamoExportStore(dynamo, tableName),
      buckets: s3CustomerBuckets({ policy }),
      roles: stsRoleCredentials(),
      outbox: exportOutbox,
    }),
  },
  bus: {
    ...shared,
    outbox: dynamoOutboxStore<never>(dynamo, { ...table, recordWrite: noLog }),
    open: busSessions({ ...shared, bus: null, apiUrl: "https://api.example/" }),
  },
};

const endpointId = "we_bench";
const now = clock.now().toISOString();

async function addEndpoint(account: string): Promise<void> {
  await endpoints.create(account, {
    id: endpointId,
    accountId: account,
    url: places.receiverUrl,
    registeredUrl: null,
    description: null,
    events: null,
    enabled: true,
    secret: await secrets.seal(newSecret(random), endpointSecretContext(account, endpointId)),
    secretHint: "none",
    previousSecret: null,
    requestsAtOnce: null,
    disabledReason: null,
    receivingSince: now,
    createdAt: now,
    updatedAt: now,
  });
}

async function setDestination(account: string): Promise<void> {
  const destination = {
    enabled: true,
    bucket: customerBucket,
    region: "us-east-1",
    endpoint: places.fauxqsUrl,
    forcePathStyle: true,
    prefix: "bench/",
    credentials: {
      auth: "access_key",
      accessKeyId: "bench",
      secretAccessKey: await secrets.seal("bench", destinationSecretContext(account)),
      secretHint: "ench",
    },
    compression: "gzip",
    rows: false,
    snapshot: "none",
    failuresInRow: 0,
    lastSuccessAt: null,
    lastError: null,
    revision: newRevision(random),
    createdAt: now,
    updatedAt: now,
  } as const;
  await destinations.put(account, destination, null);
}

const measured = (wanted: () => Promise<void>): Promise<Spent> =>
  spentOn(wanted, () => dynamoRequests);

async function work(task: DeliveryTask): Promise<Spent> {
  const account = accountOf(task);
  if (task.work === "publish") {
    const runs = (await runsOf(task)).map((run) => Object.assign({}, run, { accountId: account }));
    return measured(async () => {
      for (const run of runs) await publishers[task.archives ?? "rows"].publish(run);
    });
  }
  const { targetId } = task.to === "bucket" ? destinationTarget(account) : { targetId: endpointId };
  return measured(() => deliver({ accountId: account, targetId }, delivering));
}

const both = accountOf({ to: "receiver", toBoth: true });
for (const account of [accountOf({ to: "receiver" }), both]) await addEndpoint(account);
for (const account of [accountOf({ to: "bucket" }), both]) await setDestination(account);
doTasks(work);
