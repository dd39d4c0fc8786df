import type { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { sweep } from "../../functions/sweeper/sweep.ts";
import { dynamoCreditChanges } from "../../shared/aws/credit-changes.ts";
import { dynamoEndpointStore } from "../../shared/aws/endpoint-store.ts";
import { dynamoLedger } from "../../shared/aws/ledger.ts";
import { dynamoPageStore } from "../../shared/aws/page-store.ts";
import { dynamoPurgeStore } from "../../shared/aws/purge-store.ts";
import { dynamoRunStore } from "../../shared/aws/run-store.ts";
import { dynamoStepStore } from "../../shared/aws/step-store.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlist-store.ts";
import type { Chance, Clock } from "../../shared/base/clock.ts";
import { finishRun } from "../../shared/runs/finish-run.ts";
import { readBatch } from "../../shared/runs/read-batch.ts";
import { resumeRun } from "../../shared/runs/resume-run.ts";
import { takeDue } from "../../shared/runs/take-due.ts";
import type { PageBounds } from "../../shared/watchlists/page.ts";
import { purgeWatchlist } from "../../shared/watchlists/purge-watchlist.ts";
import { restoreSchedule } from "../../shared/watchlists/restore-schedule.ts";
import type { SerializedEvent } from "../../shared/events/event.ts";
import type { RunEventPublisher } from "../../shared/events/publisher.ts";
import { faultyClient, Injected } from "./faulty-client.ts";
import type { Faults } from "./faulty-kinds.ts";
import type { AnyMessage, MessagePool } from "./faulty-messages.ts";
import { type Random, seededChance } from "./faulty-random.ts";
import type { Task, Turns } from "./faulty-turns.ts";
import { changingSources } from "./run-faults-sources.ts";
import type { TestTables } from "./tables.ts";

/** Small enough for a list of a few items to have pages that split and merge. */
export const smallPages: PageBounds = {
  itemsMax: 4,
  bytesMax: 100_000,
  mergeItemsMax: 2,
  listItemsMax: 50,
};

export interface Surroundings {
  readonly client: TestTables["client"];
  readonly table: string;
  readonly turns: Turns;
  readonly faults: Faults;
  readonly random: Random;
  readonly pool: MessagePool;
  readonly batchIdsMax: number;
  /** Every hand-over of an event. */
  readonly published: Map<string, SerializedEvent>;
  /** Told before rows are deleted in bulk. */
  readonly beforeRemoval: () => Promise<void>;
}

/** The stores on one table: no two of them have a key in common. */
export function storesOn(
  client: TestTables["client"],
  {
    table,
    clock,
    chance,
  }: { readonly table: string; readonly clock: Clock; readonly chance: Chance },
) {
  const base = { table, clock, chance };
  const money = { accountsTable: table, ledgerTable: table, clock, chance };
  return {
    watchlists: dynamoWatchlistStore(client, base),
    pages: dynamoPageStore(client, { ...base, bounds: smallPages }),
    purges: dynamoPurgeStore(client, base),
    runs: dynamoRunStore(client, base),
    steps: dynamoStepStore(client, base),
    endpoints: dynamoEndpointStore(client, { tableName: table, clock, chance }),
    ledger: dynamoLedger(client, money),
    changes: dynamoCreditChanges(client, money),
  };
}

/**
 * A process with a memory of its own, which works on one task at a time. It may die at any call, or
 * stand still before one for minutes and go on as if nothing was.
 */
export function startProcess(surroundings: Surroundings) {
  const { turns, faults, random, table } = surroundings;
  let current: Task | undefined;
  const call = <T>(label: string, effect: () => Promise<T>, delay = 0): Promise<T> => {
    const task = current;
    if (task === undefined) throw new Error("A process calls for a task");
    const pause = faults.draw("paused") === undefined ? 0 : random.pick(pausesMs);
    if (pause > 0) turns.note(`${task.name} stands still for ${pause / 1_000} s`);
    const mortal = async (): Promise<T> => {
      const fault = faults.draw("died_before_call", "died_after_call");
      if (fault === "died_before_call") turns.kill(task);
      if (task.state === "dead") return undefined as T;
      try {
        return await effect();
      } finally {
        if (fault === "died_after_call") turns.kill(task);
      }
    };
    return turns.call(task, { label, effect: mortal, delay: delay + pause });
  };
  const clock: Clock = {
    now: () => new Date(turns.now()),
    sleep: (milliseconds) => call("sleep", async () => {}, milliseconds),
  };
  const chance = seededChance(random);
  const client = faultyClient(surroundings.client, {
    faults,
    random,
    call,
    look: async ({ input }) => {
      if (isRemoval(input as BatchWriteCommand["input"])) await surroundings.beforeRemoval();
    },
  });
  const ports = {
    ...storesOn(client, { table, clock, chance }),
    queue: surroundings.pool.port(call),
    schedules: {
      put: () => call("put schedule", async () => {}),
      remove: () => call("remove schedule", async () => {}),
    },
    publisher: publisherOf(surroundings, call),
    sources: changingSources({ random, faults, now: () => clock.now(), call }),
    clock,
    chance,
    batchIdsMax: surroundings.batchIdsMax,
    warn: (message: string) => turns.note(`warning: ${message}`),
    wakeDeliveries: async () => 0,
  };
  return {
    ports,
    isFree: () => current === undefined || current.state === "done" || current.state === "failed",
    isAlive: () => current?.state !== "dead",
    run: (name: string, work: () => Promise<unknown>): Promise<Task> =>
      turns.begin(name, async (task) => {
        current = task;
        await work();
      }),
  };
}
export type Process = ReturnType<typeof startProcess>;
export type Ports = Process["ports"];

const pausesMs = [5_000, 90_000, 4 * 60_000, 16 * 60_000, 50 * 60_000];

/** True for a request that takes away what runs recorded. */
const isRemoval = ({ RequestItems = {} }: BatchWriteCommand["input"]): boolean =>
  Object.values(RequestItems)
    .flatMap((requests) => requests ?? [])
    .some(({ DeleteRequest }) =>
      /^(run|step|starts|batch|result)#/.test(String(DeleteRequest?.Key?.["sk"])),
    );

function publisherOf(
  { faults, random, published }: Surroundings,
  call: <T>(label: string, effect: () => Promise<T>) => Promise<T>,
): RunEventPublisher {
  const take = (event: SerializedEvent): void => {
    const before = published.get(event.id);
    if (before !== undefined && before.body !== event.body) {
      throw new Error(`Event ${event.id} came again with other bytes`);
    }
    published.set(event.id, event);
  };
  return {
    publish: ({ events, runNumber }) =>
      call(`publish ${events.length} of run ${runNumber}`, async () => {
        const fault = faults.draw("publish_refused", "publish_answer_lost");
        const taken = fault === "publish_refused" ? random.some(events, 0.5) : events;
        for (const event of taken) take(event);
        if (fault !== undefined) throw new Injected("PublishFailed");
      }),
  };
}

/** What the functions do with a message. */
export async function workOn(message: AnyMessage, ports: Ports): Promise<void> {
  const { clock } = ports;
  switch (message.queue) {
    case "due": {
      const { accountId, watchlistId, scheduledTime, overdue } = message.due;
      const now = clock.now();
      const tick = { accountId, watchlistId, now };
      const run = await takeDue({ ...tick, scheduledTime: new Date(scheduledTime) }, ports);
      if (overdue === true) await restoreSchedule(tick, ports);
      if (run !== undefined) await resumeRun(run, ports);
      return;
    }
    case "resume":
      return resumeRun(message.run, ports);
    case "steps":
      return readBatch(message.batch, new Date(clock.now().getTime() + 60_000), ports);
    case "finishes":
      return finishRun(message.run, ports);
    case "purges": {
      const until = new Date(clock.now().getTime() + 60_000);
      await purgeWatchlist({ watchlistId: message.watchlistId, until }, ports);
      return;
    }
    default:
      throw new Error("There is no such queue");
  }
}

export const sweepWith = (ports: Ports): Promise<unknown> => sweep(ports);
