import type { RunEvents } from "../../shared/events/event.ts";
import { runOfChanges } from "../../tools/stand-ins/run-of-changes.ts";
import { cpuTimer } from "../measure/cpu-timer.ts";
import type { DeliveryServers } from "./delivery-servers.ts";

/** What a process of the bench is started with. */
export interface DeliveryPlaces extends Omit<DeliveryServers, "stop"> {
  readonly receiverUrl: string;
}

/** Runs of one size on their way to the receiver or the customer's bucket. */
export interface DeliveryTask {
  /** The bare loop knows one kind of work: its bodies are made before the clock starts. */
  readonly work: "publish" | "deliver" | "bare";
  readonly to: "receiver" | "bucket";
  readonly runs: number;
  /** Changes in each run. */
  readonly items: number;
  /** Makes the runs' IDs differ from those of other rounds. */
  readonly round: number;
  /** How many are under way at once in the bare loop; the service knows its own. */
  readonly parallel: number;
}

/** What work took in its process. */
export interface Spent {
  readonly wallMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  /** Requests to DynamoDB. */
  readonly dynamoRequests: number;
}

const accountId = "acct_bench";

/** One account has an endpoint, the other a destination: neither waits for the other's work. */
export const accountOf = ({ to }: Pick<DeliveryTask, "to">): string => `${accountId}_${to}`;

const runStartedAt = "2026-11-19T23:59:00.000Z";

export const runsOf = (task: DeliveryTask): readonly RunEvents[] =>
  Array.from({ length: task.runs }, (_, n) =>
    runOfChanges({
      accountId,
      runId: `wlrun_${task.to}_${task.items}_${task.round}_${n}`,
      runNumber: n + 1,
      items: task.items,
      startedAt: runStartedAt,
    }),
  );

/** @throws SyntaxError in a process that the bench did not start. */
export const readPlaces = (): DeliveryPlaces =>
  JSON.parse(process.env["BENCH_PLACES"] ?? "") as DeliveryPlaces;

/** Does some work and returns its cost. `requests` returns the number of DynamoDB requests so far. */
export async function spentOn(
  work: () => Promise<void>,
  requests: () => number = () => 0,
): Promise<Spent> {
  const requestsBefore = requests();
  const cpuMs = cpuTimer();
  const began = performance.now();
  await work();
  const wallMs = performance.now() - began;
  return { wallMs, cpuMs: cpuMs(), dynamoRequests: requests() - requestsBefore };
}
