import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { printTable } from "../measure/print-table.ts";
import { positiveInteger } from "./bench-options.ts";
import { startInfrastructure } from "./outpost/infrastructure.ts";
import { type MeasuredService, type OnEnd, withEnds } from "./outpost/measured-service.ts";
import {
  bodySizes,
  type DeliveryMetrics,
  measureDeliveries,
  type Receiver,
  type Repetitions,
} from "./outpost/measure.ts";
import { builtOutpost, startOutpost } from "./outpost/outpost-service.ts";
import { startOwnService } from "./outpost/own-service.ts";
import { findTools, thisMachine, toolOptions, type Tools } from "./outpost/tools.ts";
import { startTaskProcess } from "./task-process.ts";

export const outpostOptions = {
  ...toolOptions,
  deliveries: {
    type: "string",
    value: "<n>",
    default: "200",
    about: "the deliveries of a round, at least 8, rounded up to a multiple of 4",
  },
  rounds: { type: "string", value: "<n>", default: "5", about: "the measured rounds" },
  alone: {
    type: "string",
    value: "<n>",
    default: "40",
    about: "the measured runs that are delivered one at a time",
  },
} as const;

const deliveriesMin = 8;

/** The settings of a measurement of both services. */
interface Measurement extends Repetitions {
  readonly deliveries: number;
}

/**
 * Measures webhook deliveries of this service and of Outpost, with the same events and the same
 * receiver. Starts Outpost and the servers that it needs in a temporary folder, on free ports of
 * 127.0.0.1, and ends them afterward.
 * @returns In `deliveries`, one table row for each service and body size. If a program is missing,
 * in `missing` one line for each missing program instead.
 * @throws Error if an option is invalid, if a server does not start, or if the receiver does not get
 * every event.
 */
export async function benchOutpost(
  values: ValuesOf<typeof outpostOptions>,
): Promise<Record<string, unknown>> {
  const measurement = {
    deliveries: positiveInteger("deliveries", values.deliveries),
    rounds: positiveInteger("rounds", values.rounds),
    alone: positiveInteger("alone", values.alone),
  };
  if (measurement.deliveries < deliveriesMin) {
    throw new Error(
      `--deliveries must be at least ${deliveriesMin} (got "${values.deliveries}"). Each round has four runs of two events or more.`,
    );
  }
  const found = findTools(values, thisMachine());
  if ("missing" in found) return found;
  const deliveries = await withEnds((onEnd, endAll) => {
    exitOnSignals(onEnd, endAll);
    return measureBoth(found.tools, measurement, onEnd);
  });
  return { deliveries };
}

async function measureBoth(
  tools: Tools,
  measurement: Measurement,
  onEnd: OnEnd,
): Promise<readonly DeliveryMetrics[]> {
  const folder = temporaryFolder(onEnd);
  const sizes = bodySizes(measurement.deliveries);
  const progress = progressOf(2 + 2 * sizes.length);
  const receiver: Receiver = await startTaskProcess(
    new URL("delivery/receiver.ts", import.meta.url),
  );
  onEnd(() => receiver.stop());
  const receiverUrl = `https://localhost:${await receiver.do("port")}/hook`;
  const measureWith = async (start: Start): Promise<readonly DeliveryMetrics[]> => {
    const found: DeliveryMetrics[] = [];
    for (const size of sizes) {
      // A new process for each size, because its peak memory cannot be reset.
      const metrics = await withEnds(async (onStop) => {
        const service = await start(onStop);
        progress.begin(`${service.name}, ${size.body}`);
        return measureDeliveries(service, receiver, { ...measurement, size });
      });
      found.push(metrics);
    }
    return found;
  };
  progress.begin("the programs of Outpost");
  const programs = await builtOutpost(tools.outpost, folder, onEnd);
  const own = await measureWith((onStop) => startOwnService(receiverUrl, onStop));
  // The servers start late, because they use some CPU time even without requests.
  progress.begin("Redis, Postgres and RabbitMQ");
  const infrastructure = await startInfrastructure(tools, { folder, onEnd });
  const place = { programs, infrastructure, folder };
  const outpost = await measureWith((onStop) => startOutpost(receiverUrl, place, onStop));
  return [...own, ...outpost];
}

type Start = (onStop: OnEnd) => Promise<MeasuredService>;

/** Creates a folder that is deleted at the end, even if the process exits before. */
function temporaryFolder(onEnd: OnEnd): string {
  const folder = mkdtempSync(join(tmpdir(), "outpost-bench-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  onEnd(() => {
    remove();
    process.off("exit", remove);
  });
  return folder;
}

/** After SIGINT or SIGTERM, ends the servers and exits with code 1. */
function exitOnSignals(onEnd: OnEnd, endAll: () => Promise<void>): void {
  // The handlers stay until all servers have ended: a second signal must not interrupt this.
  const exit = (): void => void endAll().then(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, exit);
    onEnd(() => void process.off(signal, exit));
  }
}

/**
 * Prints the result of `benchOutpost` to stdout: its table with an explanation of the columns, or
 * the missing programs.
 */
export function printOutpost({ deliveries, missing }: Record<string, unknown>): void {
  if (missing !== undefined) {
    const lines = ["The bench was not run:", ...(missing as readonly string[])];
    process.stdout.write(`${lines.join("\n  ")}\n`);
    return;
  }
  printTable("deliveries", deliveries as readonly object[]);
  process.stdout.write(`
  deliveries/s: from the start of the publication until the receiver has all events of a round, four deliveries at a
    time. This service first publishes all events, then delivers them. Outpost delivers while its API receives events.
  CPU s: CPU seconds of the service per 1,000 deliveries, with publishing. This service: one process without HTTP API.
    Outpost: all of its parts in one process, without Redis, Postgres and RabbitMQ. DynamoDB, S3 and SQS are not included.
  alone: the next run of two events is published when the receiver has the previous one. For 200 KB, the second event of a
    run has 1 KB. p50 and p99: from the start of the publication until the receiver has both events. A deployment of this
    service adds a queue message and the start of a function. This service opens a TLS connection for each run, Outpost
    keeps its connections open. The CPU time of Outpost includes the CPU time of 1.5 to 3 s without deliveries.
  peak MB: of the service's process since its start. The process of this service also creates the events of the rounds.
  This service signs twice and stores compressed bodies. Outpost signs once, and stores bodies in Postgres.
`);
}
