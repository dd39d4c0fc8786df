import type { ReceiverQuestion } from "./receiver.ts";
import type { Requests } from "./results.ts";
import type { Archives, DeliveryTask, Spent } from "./task.ts";
import { median } from "../median.ts";
import type { TaskProcess } from "../task-process.ts";

/** The number of first runs that only warm up the processes. Their measurements are dropped. */
const warmUps = 10;
/** The default number of measured runs. */
export const runsAlone = 40;

interface Processes {
  /**
   * Runs a task in the process of the service. Returns the used resources and the requests to AWS.
   */
  readonly countedTask: (task: DeliveryTask) => Promise<[Spent, Requests]>;
  readonly floor: TaskProcess<DeliveryTask, Spent>;
  readonly receiver: TaskProcess<ReceiverQuestion, number>;
}

const parts = ["publish", "webhook", "export"] as const;

/** The costs of runs that are published one at a time. Each value is a median over the runs. */
export interface AloneCosts {
  readonly archives: Archives;
  /**
   * Requests by part. `all` is the sum of the parts, without the requests to the customer's bucket.
   */
  readonly requests: Readonly<Record<(typeof parts)[number] | "all", number>>;
  /** Requests to the customer's bucket. */
  readonly customerRequests: number;
  /** Milliseconds of CPU time by part. */
  readonly cpuMs: Readonly<Record<(typeof parts)[number], number>>;
  /**
   * Milliseconds of CPU time of the comparison loop, which makes the same posts and puts without
   * the service.
   */
  readonly bareCpuMs: number;
  /** Milliseconds from the start of the publication until the receiver has all events. */
  readonly receivedMs: { readonly p50: number; readonly p99: number };
}

/**
 * Publishes, delivers and exports runs of two events, one at a time. Returns the median costs of a
 * run.
 * @param runs the number of measured runs
 * @throws Error if the receiver did not get two events of each run
 */
export async function benchOneAtATime(
  archives: Archives,
  { countedTask, floor, receiver }: Processes,
  runs = runsAlone,
): Promise<AloneCosts> {
  const measured: (readonly (readonly [Spent, Requests])[])[] = [];
  const received: number[] = [];
  const bare: number[] = [];
  await receiver.do("deliveries");
  for (let round = 0; round < warmUps + runs; round += 1) {
    const task = {
      to: "receiver",
      toBoth: true,
      runs: 1,
      items: 2,
      parallel: 1,
      archives,
    } as const;
    const published = await countedTask({ ...task, round, work: "publish" });
    const delivered = await countedTask({ ...task, round, work: "deliver" });
    const arrival = await receiver.do("arrival");
    const exported = await countedTask({ ...task, to: "bucket", round, work: "deliver" });
    const deliveries = await receiver.do("deliveries");
    if (deliveries !== 2)
      throw new Error(
        `The number of events of a run at the receiver is ${deliveries} (expected 2). Look for errors in the output of the bench.`,
      );
    const posted = await floor.do({ ...task, round, work: "bare" });
    const put = await floor.do({ ...task, to: "bucket", round, work: "bare" });
    await receiver.do("deliveries");
    if (round < warmUps) continue;
    measured.push([published, delivered, exported]);
    received.push(arrival - published[0].beganAt);
    bare.push(posted.cpuMs + put.cpuMs);
  }
  const ofPart = (n: number, value: (one: readonly [Spent, Requests]) => number): number =>
    median(
      measured.map((run) => run.flatMap((one, part) => (part === n ? [value(one)] : []))[0] ?? 0),
    );
  const requests = parts.map((_, n) => ofPart(n, ([, { dynamo, s3, sqs }]) => dynamo + s3 + sqs));
  const cpu = parts.map((_, n) => rounded(ofPart(n, ([{ cpuMs }]) => cpuMs)));
  const [publish = 0, webhook = 0, exporting = 0] = requests;
  const sorted = received.toSorted((one, other) => one - other);
  return {
    archives,
    requests: { publish, webhook, export: exporting, all: publish + webhook + exporting },
    customerRequests: ofPart(2, ([, { customer }]) => customer),
    cpuMs: { publish: cpu[0] ?? 0, webhook: cpu[1] ?? 0, export: cpu[2] ?? 0 },
    bareCpuMs: rounded(median(bare)),
    receivedMs: {
      p50: rounded(median(received)),
      p99: rounded(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0),
    },
  };
}

/** Returns the result of `benchOneAtATime` as a table row. */
export const aloneRow = ({
  archives,
  requests,
  customerRequests,
  cpuMs,
  bareCpuMs,
  receivedMs,
}: AloneCosts): Readonly<Record<string, string | number>> => ({
  archives,
  publishRequests: requests.publish,
  webhookRequests: requests.webhook,
  exportRequests: requests.export,
  allRequests: requests.all,
  customer: customerRequests,
  publishCpuMs: cpuMs.publish,
  webhookCpuMs: cpuMs.webhook,
  exportCpuMs: cpuMs.export,
  bareCpuMs,
  receivedMsP50: receivedMs.p50,
  receivedMsP99: receivedMs.p99,
});

const rounded = (value: number): number => Number(value.toFixed(1));
