import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import type { Overrides } from "../../functions/composition/overrides.ts";
import { versionedClient } from "../../shared/aws/table/versioned-client.ts";
import type { Clock } from "../../shared/base/clock.ts";
import type { Faults } from "./faults.ts";
import { createLambda, type LambdaHandler, type LambdaName, timeoutSeconds } from "./lambdas.ts";
import { type Random, randomSourceOf } from "./random.ts";
import { changingSources } from "./sources.ts";
import type { Task, TaskScheduler } from "./task-scheduler.ts";

/** A Lambda execution environment. Its cached state remains between invocations. */
interface Process {
  readonly name: LambdaName;
  readonly handler: LambdaHandler;
  readonly clock: { offMs: number };
  task: Task | undefined;
}

export interface Invocation {
  readonly name: LambdaName;
  /** The description of the invocation in the trace. */
  readonly label: string;
  readonly event: unknown;
}

export interface ProcessesOptions {
  readonly table: string;
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly clients: NonNullable<Overrides["clients"]>;
  /**
   * Returns the DynamoDB client of a new process.
   * @default the client of a process in this release
   */
  readonly dynamoOf?: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient;
  /**
   * The range of a source read's duration, in milliseconds.
   * @default the usual duration
   */
  readonly readMs?: readonly [least: number, most: number] | undefined;
  /** Creates the ports to external systems for a process with the given clock. */
  readonly outside: (
    clock: Clock,
  ) => Pick<Overrides, "sender" | "buckets" | "eventBus" | "resolver" | "roles">;
}

const skewMsMax = 120_000;
const setBackMs = 5_000;

/**
 * Creates simulated Lambda functions. One process handles one invocation at a time. The function
 * uses the process again for later invocations, unless the process crashed.
 */
export function lambdaProcesses(options: ProcessesOptions) {
  const { tasks, faults } = options;
  let processes: Process[] = [];
  let invoked = 0;
  const isFree = ({ task }: Process): boolean => task === undefined || task.state === "done";
  const processFor = (name: LambdaName): Process => {
    processes = processes.filter(({ task }) => task?.state !== "dead");
    const free = processes.find((one) => one.name === name && isFree(one));
    if (free !== undefined) return free;
    const made = startProcess(name, options);
    processes.push(made);
    return made;
  };
  return {
    /**
     * Starts an invocation. Calls `onEnd` with its result; with undefined if the invocation crashed
     * or failed.
     */
    invoke(
      { name, label, event }: Invocation,
      onEnd: (task: Task, answer: unknown) => void = () => {},
    ): Task {
      const process = processFor(name);
      if (faults.draw("clock_set_back") !== undefined) process.clock.offMs -= setBackMs;
      invoked += 1;
      const endsAt = tasks.now() + timeoutSeconds[name] * 1_000;
      const context = {
        awsRequestId: `invocation-${invoked}`,
        functionName: name,
        getRemainingTimeInMillis: () => Math.max(0, endsAt - tasks.now()),
      } as Context;
      let answer: unknown;
      const work = async (): Promise<void> => {
        // `tasks.begin` runs the work up to its first call. With this empty call, the task
        // scheduler also decides when the handler starts.
        await tasks.call({ label: "is invoked", effect: async () => {} });
        answer = await process.handler(event, context);
      };
      process.task = tasks.begin(`#${invoked} ${name} ${label}`, work, (task) =>
        onEnd(task, answer),
      );
      return process.task;
    },
    /**
     * Returns overrides for a process outside Lambda. It has a separate clock, but uses the same
     * services.
     */
    overridesOfOther: (): Overrides => overridesOf(options).overrides,
  };
}

function startProcess(name: LambdaName, options: ProcessesOptions): Process {
  const { overrides, offset } = overridesOf(options);
  const handler = createLambda(name, options.table, overrides);
  return { name, handler, clock: offset, task: undefined };
}

function overridesOf(options: ProcessesOptions) {
  const { tasks, faults, random, clients, outside, readMs, dynamoOf = versionedClient } = options;
  const isOff = faults.draw("clock_skewed") !== undefined;
  const offset = { offMs: isOff ? random.between(-skewMsMax, skewMsMax) : 0 };
  const clock: Clock = {
    now: () => new Date(tasks.now() + (faults.isStopped() ? 0 : offset.offMs)),
    async sleep(milliseconds) {
      await tasks.call({ label: "sleeps", effect: async () => {}, delay: milliseconds });
    },
  };
  const sources = changingSources({ tasks, faults, random, readMs, now: () => clock.now() });
  const overrides: Overrides = {
    clock,
    random: randomSourceOf(random),
    clients: { ...clients, ...(clients.dynamo && { dynamo: dynamoOf(clients.dynamo) }) },
    sources,
    // Two processes can write different versions of a row, as during a deployment.
    writes: random.pick(["current", "next"]),
    ...outside(clock),
  };
  return { overrides, offset };
}
