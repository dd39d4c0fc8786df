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
import { aloneRow, type AloneCosts, benchOneAtATime } from "./delivery/one-at-a-time.ts";
import { type DeliveryServers, startDeliveryServers } from "./delivery/servers.ts";
import { accountOf, type DeliveryPlaces, type DeliveryTask, type Spent } from "./delivery/task.ts";
import { reconcileDeliveries } from "./reconciled.ts";
import { startTaskProcess, type TaskProcess } from "./task-process.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

/**
 * The cases to measure. The service sends the first attempts of a run to an endpoint one after
 * another. In the cases with one run for the receiver, the comparison loop therefore sends one
 * request at a time too (`parallel: 1`).
 */
const cases: Readonly<Record<string, Case>> = {
  "a run of 101 events, 200 KB each": { to: "receiver", runs: 1, items: 50_000, parallel: 1 },
  "100 runs of 2 events, 2 KB per run": { to: "receiver", runs: 100, items: 2, parallel: 4 },
  "one run of 2 events, 2 KB per run": { to: "receiver", runs: 1, items: 2, parallel: 1 },
  "export of 101 events, 200 KB each": { to: "bucket", runs: 1, items: 50_000, parallel: 4 },
  "export of 25 runs of 2 events": { to: "bucket", runs: 25, items: 2, parallel: 4 },
  "export of one run of 2 events": { to: "bucket", runs: 1, items: 2, parallel: 1 },
};
/** The number of first rounds that only warm up the processes. Their measurements are dropped. */
const warmUps = 2;
const rounds = 5;

type Worker = TaskProcess<DeliveryTask, Spent>;
type Receiver = TaskProcess<ReceiverQuestion, number>;

/** The processes of the bench. */
export interface DeliveryBench {
  /**
   * Runs a task in the process of the service. Returns the used resources and the requests to AWS.
   */
  readonly countedTask: (task: DeliveryTask) => Promise<[Spent, Requests]>;
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
  return withDeliveryBench(async (bench, servers) => {
    const found: [string, Case, Round[]][] = [];
    const progress = progressOf(Object.keys(cases).length + 2);
    for (const [name, one] of Object.entries(cases)) {
      progress.begin(name);
      found.push([name, one, await benchCase(one, bench)]);
    }
    const alone: AloneCosts[] = [];
    for (const archives of ["rows", "objects"] as const) {
      progress.begin(`one run at a time, small archives as ${archives}`);
      alone.push(await benchOneAtATime(archives, bench));
    }
    await reconcileDeliveries(servers.tableName, benchAccounts);
    return { ...(await deliveryTables(found)), "one run at a time": alone.map(aloneRow) };
  });
}

const benchAccounts = [
  accountOf({ to: "receiver" }),
  accountOf({ to: "bucket" }),
  accountOf({ to: "receiver", toBoth: true }),
];

/**
 * Starts the servers and processes of the bench, and returns the result of `measure`. Stops the
 * servers and processes afterward, even after a failure.
 */
export async function withDeliveryBench<Result>(
  measure: (bench: DeliveryBench, servers: DeliveryServers) => Promise<Result>,
): Promise<Result> {
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
  const served = countRequests(servers.customerBucket);
  const countedTask = async (task: DeliveryTask): Promise<[Spent, Requests]> => {
    const before = { ...served };
    const spent = await service.do(task);
    const since = (of: keyof typeof before): number => served[of] - before[of];
    const requests = { s3: since("s3"), sqs: since("sqs"), customer: since("customer") };
    return [spent, { dynamo: spent.dynamoRequests, ...requests }];
  };
  try {
    return await measure({ countedTask, floor, receiver }, servers);
  } finally {
    for (const child of [service, floor, receiver]) child.stop();
    await servers.stop();
  }
}

/** Counts the requests to the S3 and SQS servers of this process, from now on. */
function countRequests(customerBucket: string): Record<"s3" | "sqs" | "customer", number> {
  const served = { s3: 0, sqs: 0, customer: 0 };
  subscribe("http.server.response.finish", (message) => {
    const { request } = message as { request: IncomingMessage };
    if (request.headers["x-amz-target"] !== undefined) served.sqs += 1;
    else served[request.url?.startsWith(`/${customerBucket}/`) === true ? "customer" : "s3"] += 1;
  });
  return served;
}

/**
 * Measures a case in `measuredRounds` rounds, after rounds that only warm up the processes. Returns
 * one result for each measured round.
 * @throws Error if the receiver did not get every event
 */
export async function benchCase(
  one: Case,
  { countedTask, floor, receiver }: DeliveryBench,
  measuredRounds = rounds,
): Promise<Round[]> {
  const found: Round[] = [];
  for (let round = 0; round < warmUps + measuredRounds; round += 1) {
    const [publish, publishRequests] = await countedTask({ ...one, round, work: "publish" });
    const [deliver, deliverRequests] = await countedTask({ ...one, round, work: "deliver" });
    await checkReceived(one, receiver);
    const bare = await floor.do({ ...one, round, work: "bare" });
    await checkReceived(one, receiver);
    found.push({ publish, deliver, bare, publishRequests, deliverRequests });
  }
  return found.slice(warmUps);
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
    throw new Error(
      `The number of deliveries at the receiver is ${deliveries} (expected ${expected}). Look for errors in the output of the bench.`,
    );
}
