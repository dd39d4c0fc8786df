import type { RunEvents } from "../../../shared/events/event.ts";
import { runOfChanges } from "../../../tools/stand-ins/run-of-changes.ts";
import { cpuTimer } from "../../measure/cpu-timer.ts";
import type { DeliveryServers } from "./servers.ts";

/** The input with which a process of the bench starts. */
export interface DeliveryPlaces extends Omit<DeliveryServers, "stop"> {
  readonly receiverUrl: string;
}

/** A task of the bench: to deliver runs of one size to the receiver or to the customer's bucket. */
export interface DeliveryTask {
  /**
   * The work to measure. `publish` and `deliver` are done by the service. `bare` is a loop that
   * sends the same bytes without the service; its bodies are created before the measurement starts.
   */
  readonly work: "publish" | "deliver" | "bare";
  readonly to: "receiver" | "bucket";
  /** The number of runs to deliver. */
  readonly runs: number;
  /** The number of changed items in each run. */
  readonly items: number;
  /** A number that is part of the run IDs, so that each round has other IDs. */
  readonly round: number;
  /** The number of parallel posts of the comparison loop. The service does not use it. */
  readonly parallel: number;
  /** How the publisher archives small runs. @default rows */
  readonly archives?: Archives;
  /** True for an account with both an endpoint and a bucket. @default false */
  readonly toBoth?: boolean;
}

/**
 * How the publisher archives small runs: as `objects`, or as `rows` with `storedVersions=next`.
 */
export type Archives = "rows" | "objects";

/** The resources that some work used in its process. */
export interface Spent {
  readonly wallMs: number;
  /** The user and system CPU time of the process, in milliseconds. */
  readonly cpuMs: number;
  /** The number of requests to DynamoDB. */
  readonly dynamoRequests: number;
  /** The time at which the work began, in milliseconds since 1970. */
  readonly beganAt: number;
}

/**
 * Returns the time in milliseconds since 1970, with fractions. The times of all processes on this
 * machine are comparable.
 */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

const accountId = "acct_bench";

/**
 * Returns the ID of the account for a kind of target. The endpoint and the bucket belong to
 * different accounts, so that their deliveries do not wait for each other.
 */
export const accountOf = ({ to, toBoth = false }: Pick<DeliveryTask, "to" | "toBoth">): string =>
  `${accountId}_${toBoth ? "both" : to}`;

const runStartedAt = "2026-11-19T23:59:00.000Z";

const nameOf = ({ to, toBoth = false, archives = "rows" }: DeliveryTask): string =>
  toBoth ? `both_${archives}` : to;

/** Builds the finished runs of a task. */
export const runsOf = (task: DeliveryTask): Promise<readonly RunEvents[]> =>
  Promise.all(
    Array.from({ length: task.runs }, (_, n) =>
      runOfChanges({
        accountId,
        runId: `wlrun_${nameOf(task)}_${task.runs}x${task.items}_${task.round}_${n}`,
        runNumber: n + 1,
        items: task.items,
        startedAt: runStartedAt,
      }),
    ),
  );

/**
 * Reads the addresses that the bench passed to this process.
 * @throws SyntaxError if the bench did not start this process.
 */
export const readPlaces = (): DeliveryPlaces =>
  JSON.parse(process.env["BENCH_PLACES"] ?? "") as DeliveryPlaces;

/**
 * Runs `work` and returns its duration and its CPU time in milliseconds, and its number of DynamoDB
 * requests. `requests` returns the number of DynamoDB requests that the process has sent so far.
 */
export async function spentOn(
  work: () => Promise<void>,
  requests: () => number = () => 0,
): Promise<Spent> {
  const requestsBefore = requests();
  const cpuMs = cpuTimer();
  const beganAt = preciseNow();
  await work();
  const wallMs = preciseNow() - beganAt;
  return { wallMs, cpuMs: cpuMs(), dynamoRequests: requests() - requestsBefore, beganAt };
}
