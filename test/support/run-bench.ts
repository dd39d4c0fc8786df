import { dynamoAccountStore } from "../../shared/aws/account-store.ts";
import { dynamoLedger } from "../../shared/aws/ledger.ts";
import { dynamoRunStore } from "../../shared/aws/run-store.ts";
import { dynamoStepStore } from "../../shared/aws/step-store.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlist-store.ts";
import { type Account } from "../../shared/accounts/account.ts";
import { createAccount } from "../../shared/accounts/create-account.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import { finishRun } from "../../shared/runs/finish-run.ts";
import { readBatch } from "../../shared/runs/read-batch.ts";
import { resumeRun } from "../../shared/runs/resume-run.ts";
import type { BatchRef, RunRef } from "../../shared/runs/run.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import type { StepStore } from "../../shared/runs/step-store.ts";
import { takeDue } from "../../shared/runs/take-due.ts";
import type { Answer, Scraper } from "../../shared/scrapers/scraper.ts";
import { newItem } from "../../shared/watchlists/item.ts";
import { compareIds, paginate } from "../../shared/watchlists/page.ts";
import { parseEvery } from "../../shared/watchlists/schedule.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";
import type { SerializedEvent } from "../../shared/webhooks/event.ts";
import type { RunEventPublisher } from "../../shared/webhooks/publisher.ts";
import { countingChance, fixedClock } from "./clock.ts";
import type { TestTables } from "./tables.ts";

type Message =
  | { readonly queue: "due"; readonly due: Parameters<RunQueue["sendDue"]>[0] }
  | { readonly queue: "resume" | "finishes"; readonly run: RunRef }
  | { readonly queue: "steps"; readonly batch: BatchRef };

/** Where a call to a port dies: at its `call`-th call, before or after it took effect. */
export interface CrashPoint {
  readonly call: number;
  readonly when: "before" | "after";
}

/** The run engine on real tables, with queue, source, receiver and clock in the test's hands. */
export interface RunBench {
  readonly clock: ReturnType<typeof fixedClock>;
  readonly watchlists: WatchlistStore;
  readonly runs: RunStore;
  readonly ledger: Ledger;
  /** Bodies handed over, by event id; a second hand-over must bring the same bytes. */
  readonly published: Map<string, SerializedEvent>;
  /** What the source answers to an id, from now on. */
  answers: (id: string) => Partial<Answer> & Pick<Answer, "status">;
  reads: () => number;
  account(): Promise<Account>;
  createList(ids: readonly string[]): Promise<Watchlist>;
  /**
   * Sends the list's tick and works until every queue is empty; no sweeper helps. A crash leaves its
   * message to come again.
   */
  run(watchlist: Watchlist, crash?: CrashPoint): Promise<void>;
  /** Port calls of the last run. */
  calls: () => number;
}

export interface BenchOptions {
  readonly tables: TestTables;
  readonly credits?: number;
  /** How often each message is worked on, even when it went well. */
  readonly deliveries?: number;
}

class Crash extends Error {}

export async function startRunBench(options: BenchOptions): Promise<RunBench> {
  const { tables, credits = 5_000, deliveries = 1 } = options;
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const chance = countingChance();
  const [accountsTable, ledgerTable, table] = [
    await tables.create(),
    await tables.create(),
    await tables.create(),
  ];
  const accounts = dynamoAccountStore(tables.client, {
    accounts: accountsTable,
    ledger: ledgerTable,
  });
  const account = await createAccount(
    { name: "Bench", email: "bench@example.com", signupCredits: credits },
    { accounts, clock, chance },
  );
  const queue: Message[] = [];
  const published = new Map<string, SerializedEvent>();
  let calls = 0;
  let crash: CrashPoint | undefined;
  let reads = 0;

  /** Counts each call of a port and dies at the crash point, as a process does. */
  const watched = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...args: unknown[]): unknown => {
          const result = (): unknown => Reflect.apply(method, target, args);
          calls += 1;
          if (crash?.call !== calls) return result();
          if (crash.when === "before") throw new Crash();
          const done = result();
          return done instanceof Promise
            ? done.then(() => {
                throw new Crash();
              })
            : done;
        };
      },
    });

  const scraper: Scraper = {
    async read({ ids }) {
      reads += 1;
      const fetchedAt = clock.now().toISOString();
      return ids.map((id) => ({ id, fetchedAt, fields: {}, ...bench.answers(id) }) as Answer);
    },
  };
  const runQueue: RunQueue = {
    sendDue: async (due) => void queue.push({ queue: "due", due }),
    sendResume: async (run) => void queue.push({ queue: "resume", run }),
    sendFinish: async (run) => void queue.push({ queue: "finishes", run }),
    sendBatches: async (batches) => {
      for (const batch of batches) queue.push({ queue: "steps", batch });
    },
  };
  const schedules: Schedules = { put: async () => {}, remove: async () => {} };
  const publisher: RunEventPublisher = {
    async publish({ events }) {
      for (const event of events) {
        const before = published.get(event.id);
        if (before !== undefined && before.body !== event.body) {
          throw new Error(`Event ${event.id} came again with other bytes`);
        }
        published.set(event.id, event);
      }
    },
  };
  const base = { table, clock, chance };
  const watchlists = dynamoWatchlistStore(tables.client, base);
  const runs = dynamoRunStore(tables.client, base);
  const steps: StepStore = dynamoStepStore(tables.client, base);
  const ledger = dynamoLedger(tables.client, { accountsTable, ledgerTable, clock, chance });
  const ports = {
    watchlists: watched(watchlists),
    runs: watched(runs),
    steps: watched(steps),
    ledger: watched(ledger),
    queue: watched(runQueue),
    schedules: watched(schedules),
    publisher: watched(publisher),
    scraperFor: () => scraper,
    clock,
    chance,
  };

  const workOn = async (message: Message): Promise<void> => {
    switch (message.queue) {
      case "due": {
        const { accountId, watchlistId, scheduledTime } = message.due;
        const tick = { accountId, watchlistId, now: clock.now() };
        const run = await takeDue({ ...tick, scheduledTime: new Date(scheduledTime) }, ports);
        if (run !== undefined) await resumeRun(run, ports);
        return;
      }
      case "resume":
        return resumeRun(message.run, ports);
      case "steps":
        return readBatch(message.batch, new Date(clock.now().getTime() + 60_000), ports);
      case "finishes":
        return finishRun(message.run, ports);
      default:
        throw new Error("There is no such queue");
    }
  };

  /** Works messages off; a crash leaves the message to be worked on again. */
  const drain = async (): Promise<void> => {
    for (let worked = 0; queue.length > 0; worked += 1) {
      if (worked > 500) throw new Error("The queues never run empty");
      const message = queue.shift() as Message;
      try {
        for (let n = 0; n < deliveries; n += 1) await workOn(message);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        queue.push(message);
      }
    }
  };

  const bench: RunBench = {
    clock,
    watchlists,
    runs,
    ledger,
    published,
    answers: () => ({ status: "unavailable" }),
    reads: () => reads,
    calls: () => calls,
    async account() {
      const found = await accounts.get(account.id);
      if (found === undefined) throw new Error("The bench has an account");
      return found;
    },
    async createList(ids) {
      const at = clock.now().toISOString();
      const watchlist = listOf({
        accountId: account.id,
        id: `wl_${published.size}_${ids.length}`,
        count: ids.length,
        at,
      });
      const items = [...ids].sort(compareIds).map((id) => newItem(id, at));
      await watchlists.create(watchlist, paginate(items));
      return watchlist;
    },
    async run(watchlist, point) {
      calls = 0;
      crash = point;
      const current = await watchlists.get(watchlist.accountId, watchlist.id);
      queue.push({
        queue: "due",
        due: {
          accountId: watchlist.accountId,
          watchlistId: watchlist.id,
          scheduledTime: current?.nextRunAt ?? "",
        },
      });
      await drain();
      crash = undefined;
    },
  };
  return bench;
}

function listOf(list: { accountId: string; id: string; count: number; at: string }): Watchlist {
  return {
    id: list.id,
    accountId: list.accountId,
    name: "Bench",
    platform: "retailer_d",
    marketplace: "us",
    status: "active",
    pausedReason: null,
    schedule: parseEvery("1h"),
    refreshEveryRuns: 8,
    webhookEndpointId: null,
    webhookUrl: null,
    itemCounts: { new: list.count, active: 0, delisted: 0 },
    runCount: 0,
    consecutiveSkips: 0,
    overlaps: 0,
    runningRun: null,
    lastRunAt: null,
    lastRunStatus: null,
    nextRunAt: list.at,
    createdAt: list.at,
    updatedAt: list.at,
  };
}
