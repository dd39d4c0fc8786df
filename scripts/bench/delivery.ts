import { type ChildProcess, fork } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import {
  type Case,
  deliveryTables,
  eventsIn,
  type Requests,
  type Round,
} from "./delivery-figures.ts";
import { startDeliveryServers } from "./delivery-servers.ts";
import { accountOf, type DeliveryPlaces, type DeliveryTask, type Spent } from "./delivery-task.ts";
import { reconcileDeliveries } from "./reconciled.ts";

/** A run's first attempts to an endpoint go out one after the other, and so they do in the loop. */
const cases: Readonly<Record<string, Case>> = {
  "a run of 101 events, 200 KB each": { to: "receiver", runs: 1, items: 50_000, parallel: 1 },
  "100 runs of 2 events, 2 KB both": { to: "receiver", runs: 100, items: 2, parallel: 4 },
  "export of 101 events, 200 KB each": { to: "bucket", runs: 1, items: 50_000, parallel: 4 },
  "export of 25 runs of 2 events": { to: "bucket", runs: 25, items: 2, parallel: 4 },
};
/** The first rounds warm the processes up and are not shown. */
const warmUps = 2;
const rounds = 5;

interface Bench {
  readonly service: ChildProcess;
  readonly floor: ChildProcess;
  readonly receiver: ChildProcess;
}

/** What a delivery and an exported object cost, beside a loop that does nothing else. */
export async function benchDelivery(): Promise<Record<string, unknown>> {
  const servers = await startDeliveryServers();
  const receiver = fork(new URL("delivery-receiver.ts", import.meta.url).pathname);
  const [{ port }] = (await once(receiver, "message")) as [{ port: number }];
  const places = { ...servers, receiverUrl: `https://localhost:${port}/hook` };
  const service = await started(new URL("delivery-worker.ts", import.meta.url), places);
  const floor = await started(new URL("delivery-floor.ts", import.meta.url), places);
  countRequests();
  try {
    const found: [string, Case, Round[]][] = [];
    for (const [name, one] of Object.entries(cases)) {
      found.push([name, one, await benchCase(one, { service, floor, receiver })]);
    }
    const accounts = [accountOf({ to: "receiver" }), accountOf({ to: "bucket" })];
    await reconcileDeliveries(servers.tableName, accounts);
    return deliveryTables(found);
  } finally {
    for (const child of [service, floor, receiver]) child.disconnect();
    await servers.stop();
  }
}

async function started(script: URL, places: DeliveryPlaces): Promise<ChildProcess> {
  const child = fork(script.pathname, {
    env: { ...process.env, BENCH_PLACES: JSON.stringify(places) },
  });
  await once(child, "message");
  return child;
}

const served = { s3: 0, sqs: 0 };

/** What this process serves: S3 and SQS. */
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
    const bare = await ask(floor, { ...one, round, work: "bare" });
    await checkReceived(one, receiver);
    found.push({ publish, deliver, bare, publishRequests, deliverRequests });
  }
  return found.slice(warmUps);
}

async function ask(child: ChildProcess, task: DeliveryTask): Promise<Spent> {
  child.send(task);
  const [spent] = (await once(child, "message")) as [Spent];
  return spent;
}

async function counted(child: ChildProcess, task: DeliveryTask): Promise<[Spent, Requests]> {
  const before = { ...served };
  const spent = await ask(child, task);
  const { s3, sqs } = served;
  return [spent, { dynamo: spent.dynamoRequests, s3: s3 - before.s3, sqs: sqs - before.sqs }];
}

/** @throws Error when something was not delivered, or twice. */
async function checkReceived(one: Case, receiver: ChildProcess): Promise<void> {
  const expected = one.to === "receiver" ? eventsIn(one) : 0;
  receiver.send("count");
  const [{ deliveries }] = (await once(receiver, "message")) as [{ deliveries: number }];
  if (deliveries !== expected) throw new Error(`${deliveries} of ${expected} were delivered`);
}
