import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../../shared/base/limits.ts";
import type { ReceiverQuestion } from "../delivery/receiver.ts";
import { type Case, eventsIn } from "../delivery/results.ts";
import { type DeliveryTask, runsOf } from "../delivery/task.ts";
import { median } from "../median.ts";
import type { TaskProcess } from "../task-process.ts";
import type { MeasuredService } from "./measured-service.ts";
import { peakMegabytesOf } from "./process-usage.ts";

/** The events of one size that each service delivers. */
export interface BodySize {
  /** The approximate size of a body. */
  readonly body: string;
  /** The runs of a round, whose events are delivered four at a time. */
  readonly many: Pick<Case, "runs" | "items">;
  /** A run of two events. Such runs are delivered one at a time. */
  readonly alone: Pick<Case, "runs" | "items">;
}

/** The numbers of repetitions. */
export interface Repetitions {
  /** The number of measured rounds of many runs. */
  readonly rounds: number;
  /** The number of measured runs that are delivered one at a time. */
  readonly alone: number;
}

/** The measurements of a service with bodies of one size. */
export interface DeliveryMetrics {
  readonly service: string;
  readonly body: string;
  /** The number of deliveries in a round. */
  readonly deliveries: number;
  /** The mean size of a body, in kilobytes of 1,000 bytes. */
  readonly "mean KB": number;
  readonly "deliveries/s": number;
  /** CPU seconds of the service for 1,000 deliveries. */
  readonly "CPU s": number;
  /** CPU seconds of the service for 1,000 deliveries of runs that are delivered one at a time. */
  readonly "CPU s alone": number;
  /** Milliseconds from the publication of a run until the receiver has its two events. */
  readonly "p50 ms": number;
  readonly "p99 ms": number;
  readonly "peak MB": number;
}

export type Receiver = TaskProcess<ReceiverQuestion, number>;

const runsAtOnce = 4;
const eventsPerRun = 2;
const warmUps = { rounds: 2, alone: 10 };
const receivedMsMax = 120_000;

/**
 * Returns the two body sizes to measure, each with its runs. A small run has two events of about
 * 1 KB. A large run has one event for every 500 items, about 200 KB each, and a completed event of
 * 1 KB.
 * @param deliveries The number of deliveries in a round, at least 8. Rounded up to a multiple of 4.
 */
export function bodySizes(deliveries: number): readonly BodySize[] {
  const eventsOfLargeRun = Math.ceil(deliveries / runsAtOnce);
  const items = limits.itemEventsMax;
  return [
    {
      body: "1 KB",
      many: { runs: (eventsOfLargeRun * runsAtOnce) / eventsPerRun, items: 2 },
      alone: { runs: 1, items: 2 },
    },
    {
      body: "200 KB",
      many: { runs: runsAtOnce, items: (eventsOfLargeRun - 1) * items },
      alone: { runs: 1, items },
    },
  ];
}

/**
 * Measures a service with bodies of one size. Both services are measured by this function, with the
 * same events and the same receiver.
 * @throws Error if the receiver does not get exactly the bytes of all events within 120 s
 */
export async function measureDeliveries(
  service: MeasuredService,
  receiver: Receiver,
  { size, rounds, alone }: Repetitions & { readonly size: BodySize },
): Promise<DeliveryMetrics> {
  let round = 0;
  const repeat = async (runs: BodySize["many"], times: number): Promise<Repeated> => {
    const cpuBefore = await service.cpuMs();
    const received: Received[] = [];
    for (let n = 0; n < times; n += 1) {
      const task = { ...runs, to: "receiver", work: "publish", parallel: runsAtOnce } as const;
      received.push(await receive({ ...task, round }, service, receiver));
      round += 1;
    }
    const cpuMs = (await service.cpuMs()) - cpuBefore;
    return { received, cpuSeconds: cpuMs / sum(received.map((one) => one.deliveries)) };
  };
  await repeat(size.many, warmUps.rounds);
  const many = await repeat(size.many, rounds);
  await repeat(size.alone, warmUps.alone);
  const single = await repeat(size.alone, alone);
  await service.check?.();
  const bytes = sum(many.received.map((one) => one.bytes));
  const deliveries = sum(many.received.map((one) => one.deliveries));
  const latencies = single.received.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return {
    service: service.name,
    body: size.body,
    deliveries: deliveries / rounds,
    "mean KB": rounded(bytes / deliveries / 1_000, 2),
    "deliveries/s": Math.round(
      median(many.received.map((one) => (one.deliveries / one.ms) * 1_000)),
    ),
    "CPU s": rounded(many.cpuSeconds, 2),
    "CPU s alone": rounded(single.cpuSeconds, 2),
    "p50 ms": rounded(median(latencies), 1),
    "p99 ms": rounded(latencies[Math.ceil(latencies.length * 0.99) - 1] ?? 0, 1),
    "peak MB": Math.round(peakMegabytesOf(service.pid)),
  };
}

interface Repeated {
  readonly received: readonly Received[];
  /** CPU milliseconds per delivery, which equal CPU seconds per 1,000 deliveries. */
  readonly cpuSeconds: number;
}

interface Received {
  /** Milliseconds from the start of the publication until the last delivery. */
  readonly ms: number;
  readonly deliveries: number;
  readonly bytes: number;
}

/** Publishes the events of a task, and waits until the receiver has all of them. */
async function receive(
  task: DeliveryTask,
  service: MeasuredService,
  receiver: Receiver,
): Promise<Received> {
  const expected = { deliveries: eventsIn(task), bytes: await bytesOf(task) };
  const beganAt = await service.deliver(task);
  const deadline = performance.now() + receivedMsMax;
  while ((await receiver.do("so-far")) < expected.deliveries && performance.now() < deadline) {
    await delay(5);
  }
  const ms = (await receiver.do("arrival")) - beganAt;
  const bytes = await receiver.do("bytes");
  const deliveries = await receiver.do("deliveries");
  if (deliveries !== expected.deliveries || bytes !== expected.bytes) {
    throw new Error(
      `The receiver got ${deliveries} deliveries with ${bytes} bytes from ${service.name} (expected ${expected.deliveries} with ${expected.bytes}). Look for a lost, repeated or changed event.`,
    );
  }
  return { ms, deliveries, bytes };
}

const bytesOf = async (task: DeliveryTask): Promise<number> =>
  sum(
    (await runsOf(task)).flatMap(({ events }) => events.map(({ body }) => Buffer.byteLength(body))),
  );

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
