import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import {
  type Case,
  deliveryTables,
  eventsIn,
  type Requests,
  type Round,
} from "./delivery/results.ts";
import type { ReceiverQuestion } from "./delivery/receiver.ts";
import { startDeliveryServers } from "./delivery/servers.ts";
import { accountOf, type DeliveryPlaces, type DeliveryTask, type Spent } from "./delivery/task.ts";
import { reconcileDeliveries } from "./reconciled.ts";
import { startTaskProcess, type TaskProcess } from "./task-process.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

/**
 * The cases to measure. The service sends the first attempts of a run to an endpoint one after
 * another. The loop posts in the same way.
 */
const cases: Readonly<Record<string, Case>> = {
  "a run of 101 events, 200 KB each": { to: "receiver", runs: 1, items: 50_000, parallel: 1 },
  "100 runs of 2 events, 2 KB both": { to: "receiver", runs: 100, items: 2, parallel: 4 },
  "one run of 2 events, 2 KB both": { to: "receiver", runs: 1, items: 2, parallel: 1 },
  "export of 101 events, 200 KB each": { to: "bucket", runs: 1, items: 50_000, parallel: 4 },
  "export of 25 runs of 2 events": { to: "bucket", runs: 25, items: 2, parallel: 4 },
  "export of one run of 2 events": { to: "bucket", runs: 1, items: 2, parallel: 1 },
};
/** The number of first rounds that only warm up the processes. Their measurements are dropped. */
const warmUps = 2;
const rounds = 5;

type Worker = TaskProcess<DeliveryTask, Spent>;
type Receiver = TaskProcess<ReceiverQuestion, number>;

interface Bench {
  readonly service: Worker;
  readonly floor: Worker;
  readonly receiver: Receiver;
}

/**
 * Measures the rate, the CPU time and the requests of webhook deliveries and of exports. Compares
 * rate and CPU time with a bare loop, which only signs and posts the same bytes, or compresses and
 * uploads them.
 * @returns The rows of each table, by the title of the table.
 * @throws Error if the number of delivered events is wrong, or if a reconciliation finds a
 * difference.
 */
export async function benchDelivery(): Promise<Record<string, unknown>> {
  const servers = await startDeliveryServers();
  const receiver: Receiver = await startTaskProcess(
    new URL("delivery/receiver.ts", import.meta.url),
  );
  const receiverUrl = `https://localhost:${await receiver.do("port")}/hook`;
  const places: DeliveryPlaces = { ...servers, receiverUrl };
  const variables = { BENCH_PLACES: JSON.stringify(places) };
  const service: Worker = await startTaskProcess(
    new URL("delivery/worker.ts", import.meta.url),
    variables,
  );
  const floor: Worker = await startTaskProcess(
    new URL("delivery/floor.ts", import.meta.url),
    variables,
  );
  countRequests();
  try {
    const found: [string, Case, Round[]][] = [];
    const progress = progressOf(Object.keys(cases).length);
    for (const [name, one] of Object.entries(cases)) {
      progress.begin(name);
      found.push([name, one, await benchCase(one, { service, floor, receiver })]);
    }
    const accounts = [accountOf({ to: "receiver" }), accountOf({ to: "bucket" })];
    await reconcileDeliveries(servers.tableName, accounts);
    return deliveryTables(found);
  } finally {
    for (const child of [service, floor, receiver]) child.stop();
    await servers.stop();
  }
}

const served = { s3: 0, sqs: 0 };

/** Counts the requests to the S3 and SQS servers of this process. */
function countRequests(): void {
  subscribe("http.server.response.finish", (message) => {
    const { request } = message as { request: IncomingMessage };
    served[request.headers["x-amz-target"] === undefined ? "s3" : "sqs"] += 1;
  });
}

async function benchCase(one: Case, { service, floor, receiver }: Bench): Promise<Round[]> {
  const found: Round[] = [];
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const [publish, publishRequests] = await counted(service, { ...one, round, work: "publish" });
    const [deliver, deliverRequests] = await counted(service, { ...one, round, work: "deliver" });
    await checkReceived(one, receiver);
    const bare = await floor.do({ ...one, round, work: "bare" });
    await checkReceived(one, receiver);
    found.push({ publish, deliver, bare, publishRequests, deliverRequests });
  }
  return found.slice(warmUps);
}

async function counted(worker: Worker, task: DeliveryTask): Promise<[Spent, Requests]> {
  const before = { ...served };
  const spent = await worker.do(task);
  const { s3, sqs } = served;
  return [spent, { dynamo: spent.dynamoRequests, s3: s3 - before.s3, sqs: sqs - before.sqs }];
}

/**
 * Checks that the receiver got as many deliveries as the case has events, or none if the case
 * exports its events.
 * @throws Error if the number of deliveries is different
 */
async function checkReceived(one: Case, receiver: Receiver): Promise<void> {
  const expected = one.to === "receiver" ? eventsIn(one) : 0;
  const deliveries = await receiver.do("deliveries");
  if (deliveries !== expected)
    throw new Error(`The receiver must get ${expected} deliveries (got ${deliveries}).`);
}
