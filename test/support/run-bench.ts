import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoEndpointStore } from "../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { dynamoPageStore } from "../../shared/aws/watchlists/page-store.ts";
import { dynamoHistoryStore } from "../../shared/aws/history/history-store.ts";
import { dynamoRunStore } from "../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlists/watchlist-store.ts";
import type { Account } from "../../shared/accounts/account.ts";
import { createAccount } from "../../shared/accounts/create-account.ts";
import type { RandomSource } from "../../shared/base/clock.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import { finishRun } from "../../shared/runs/finish-run.ts";
import { readStep, type StepReadRequest, type StepSources } from "../../shared/runs/read-step.ts";
import { readBatch } from "../../shared/runs/read-batch.ts";
import { resumeRun } from "../../shared/runs/resume-run.ts";
import type { ItemSnapshots } from "../../shared/runs/item-snapshots.ts";
import type { Run } from "../../shared/runs/run.ts";
import type { HistoryStore } from "../../shared/history/history-store.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import type { StepStore } from "../../shared/runs/step-store.ts";
import { claimDueRun } from "../../shared/runs/claim-due-run.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import { compareIds } from "../../shared/watchlists/id-order.ts";
import type { PageStore } from "../../shared/watchlists/page-store.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";
import type { EndpointStore } from "../../shared/webhooks/endpoint-store.ts";
import type { RunEvents, SerializedEvent } from "../../shared/events/event.ts";
import type { RunEventPublisher } from "../../shared/events/publisher.ts";
import { aWatchlist } from "./a-watchlist.ts";
import { countingRandom, fixedClock } from "./clock.ts";
import { type CrashPoint, crashingPorts, ProcessDied } from "./crashing-ports.ts";
import { putWatchlist } from "./put-watchlist.ts";
import { type Message, messageList } from "./message-list.ts";
import { type ScriptedAnswers, scriptedSources } from "./scripted-sources.ts";
import type { TestTables } from "./tables.ts";

export type { CrashPoint } from "./crashing-ports.ts";

/**
 * The run engine on real tables. The test controls the engine's queue, sources, publisher and
 * clock.
 */
export interface RunBench {
  readonly clock: ReturnType<typeof fixedClock>;
  readonly random: RandomSource;
  /** The table of watchlists and runs, for tests that bypass the stores. */
  readonly table: { readonly client: TestTables["client"]; readonly name: string };
  /** The name of the table of accounts. */
  readonly accountsTable: string;
  readonly watchlists: WatchlistStore;
  readonly pages: PageStore;
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly history: HistoryStore;
  readonly endpoints: EndpointStore;
  readonly ledger: Ledger;
  readonly queue: RunQueue;
  /**
   * Published events by ID. The publisher throws if an event is published again with different
   * bytes.
   */
  readonly published: Map<string, SerializedEvent>;
  /** The arguments of all calls of the publisher, oldest first. */
  readonly publications: RunEvents[];
  /** The sources' answers. A test may change them at any time. */
  readonly answers: ScriptedAnswers;
  /** The sources that give these answers. */
  readonly sources: StepSources;
  /** Returns the number of source reads so far. */
  reads: () => number;
  /** Returns the account of the bench as it is stored. */
  account(): Promise<Account>;
  /** Creates a watchlist with new items. It is due at the bench's current time. */
  createList(ids: readonly string[], overrides?: Partial<Watchlist>): Promise<Watchlist>;
  /** Returns the watchlist as it is stored; undefined if it does not exist. */
  list(watchlist: Watchlist): Promise<Watchlist | undefined>;
  items(watchlist: Watchlist): Promise<Item[]>;
  /**
   * Returns the newest run.
   * @throws Error if the watchlist has no run
   */
  lastRun(watchlist: Watchlist): Promise<Run>;
  /**
   * Sends the watchlist's scheduled message and drains all queues. No sweeper runs. If a handler
   * crashes, its message is handled again.
   */
  run(watchlist: Watchlist, crash?: CrashPoint): Promise<void>;
  /** Sends the given messages and drains all queues. Unlike `run`, sends no scheduled message. */
  work(messages: readonly Message[], crash?: CrashPoint): Promise<void>;
  /** Sends the watchlist's scheduled message and handles at most `messages` messages. */
  runSome(watchlist: Watchlist, messages: number): Promise<void>;
  /** Deletes all waiting messages. */
  loseMessages(): void;
  /** Returns the number of batch messages that were sent so far. */
  batchesSent: () => number;
  /** Returns the number of calls of stores and other ports during the last `run` or `work`. */
  calls: () => number;
}

export interface BenchOptions {
  readonly tables: TestTables;
  /**
   * The credits of the account.
   * @default 5,000
   */
  readonly credits?: number;
  /**
   * The number of times that each message is handled.
   * @default 1
   */
  readonly deliveries?: number;
  /**
   * The largest number of items in a batch.
   * @default the limit of the service
   */
  readonly batchIdsMax?: number;
  /**
   * Creates the writer of snapshot files.
   * @default none, so that no run has a file
   */
  readonly snapshotsOf?: (stores: {
    readonly pages: PageStore;
    readonly runs: RunStore;
    readonly random: RandomSource;
  }) => ItemSnapshots;
  /** Wraps the page store of the run engine. By default, the engine uses the store itself. */
  readonly pagesThrough?: (pages: PageStore) => PageStore;
  /**
   * Returns the index of the message that is handled next.
   * @default the oldest message
   */
  readonly pick?: (waiting: number) => number;
}

const tableNames = new WeakMap<TestTables, Promise<readonly string[]>>();
let benches = 0;

/**
 * Returns the table names of a test file. All benches of the file share the tables, but each has a
 * separate account.
 */
function namesIn(tables: TestTables): Promise<readonly string[]> {
  const names =
    tableNames.get(tables) ??
    (async () => [await tables.create(), await tables.create(), await tables.create()])();
  tableNames.set(tables, names);
  return names;
}

/** Creates an account and a run engine that runs the watchlists of this account. */
export async function startRunBench(options: BenchOptions): Promise<RunBench> {
  const { tables, credits = 5_000, deliveries = 1, pick = () => 0 } = options;
  benches += 1;
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const random = countingRandom(benches * 7_919);
  const [accountsTable = "", ledgerTable = "", table = ""] = await namesIn(tables);
  const accounts = dynamoAccountStore(tables.client, {
    accounts: accountsTable,
  });
  const account = await createAccount(
    { name: "Bench", email: "bench@example.com", signupCredits: credits },
    { accounts, clock, random },
  );
  const queue = messageList();
  const published = new Map<string, SerializedEvent>();
  const publications: RunEvents[] = [];
  const base = { table, clock, random };
  const stores = {
    watchlists: dynamoWatchlistStore(tables.client, base),
    pages: dynamoPageStore(tables.client, base),
    runs: dynamoRunStore(tables.client, base),
    steps: dynamoStepStore(tables.client, base),
    history: dynamoHistoryStore(tables.client, base),
    endpoints: dynamoEndpointStore(tables.client, { tableName: table, clock, random }),
    ledger: dynamoLedger(tables.client, { accountsTable, ledgerTable, clock, random }),
  };
  const source = scriptedSources(clock);
  const publisher: RunEventPublisher = {
    async publish(run) {
      const events = await Array.fromAsync(run.events);
      publications.push({ ...run, events });
      for (const event of events) {
        const before = published.get(event.id);
        if (before !== undefined && before.body !== event.body) {
          throw new Error(`Event ${event.id} was published again with different bytes`);
        }
        published.set(event.id, event);
      }
    },
  };
  const schedules: Schedules = { put: async () => {}, remove: async () => {} };
  const crashing = crashingPorts();
  const ports = {
    ...crashing.watch({
      ...stores,
      queue: queue.port,
      schedules,
      publisher,
      ...(options.snapshotsOf && { snapshots: options.snapshotsOf({ ...stores, random }) }),
    }),
    ...(options.pagesThrough && { pages: options.pagesThrough(stores.pages) }),
    read: (request: StepReadRequest) => readStep(request, source.sources),
    clock,
    random,
    ...(options.batchIdsMax !== undefined && { batchIdsMax: options.batchIdsMax }),
  };

  const workOn = async (message: Message): Promise<void> => {
    switch (message.queue) {
      case "due": {
        const { accountId, watchlistId, scheduledTime } = message.due;
        const tick = { accountId, watchlistId, now: clock.now() };
        const run = await claimDueRun({ ...tick, scheduledTime: new Date(scheduledTime) }, ports);
        if (run !== undefined) await resumeRun(run, ports);
        return;
      }
      case "resume":
        await resumeRun(message.run, ports);
        return;
      case "steps":
        return readBatch(
          message.batch,
          { deadline: new Date(clock.now().getTime() + 60_000), sentAt: clock.now() },
          ports,
        );
      case "finishes":
        return finishRun(message.run, ports);
      default:
        throw new Error(`The bench has no worker for the message ${JSON.stringify(message)}.`);
    }
  };

  /** Handles at most `count` messages. If a handler crashes, its message is handled again. */
  const drain = async (count = Infinity): Promise<void> => {
    for (let worked = 0; queue.waiting.length > 0 && worked < count; worked += 1) {
      if (worked > 5_000)
        throw new Error(
          "The queues must be empty after 5,000 messages. A message probably causes itself again.",
        );
      const [message] = queue.waiting.splice(pick(queue.waiting.length), 1) as [Message];
      try {
        for (let n = 0; n < deliveries; n += 1) await workOn(message);
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
        queue.waiting.push(message);
      }
    }
  };

  const tickOf = async ({ accountId, id }: Watchlist): Promise<Message> => {
    const current = await stores.watchlists.get(accountId, id);
    const scheduledTime = current?.nextRunAt ?? clock.now().toISOString();
    return { queue: "due", due: { accountId, watchlistId: id, scheduledTime } };
  };

  const bench: RunBench = {
    clock,
    random,
    table: { client: tables.client, name: table },
    accountsTable,
    ...stores,
    queue: queue.port,
    published,
    publications,
    answers: source.answers,
    sources: source.sources,
    reads: source.reads,
    batchesSent: queue.batchesSent,
    calls: crashing.calls,
    async account() {
      const found = await accounts.get(account.id);
      if (found === undefined) throw new Error("The account of the bench does not exist.");
      return found;
    },
    async createList(ids, overrides = {}) {
      const at = clock.now().toISOString();
      const watchlist = aWatchlist({
        accountId: account.id,
        id: `wl_bench${benches}_${ids.length}_${random.bytes(4).join("")}`,
        itemCounts: { new: ids.length, active: 0, delisted: 0 },
        nextRunAt: at,
        createdAt: at,
        updatedAt: at,
        ...overrides,
      });
      const items = [...ids].sort(compareIds).map((id) => newItem(id, at));
      await putWatchlist({ client: tables.client, ...base }, watchlist, items);
      return watchlist;
    },
    list: ({ accountId, id }) => stores.watchlists.get(accountId, id),
    async items({ id }) {
      const found: Item[] = [];
      for await (const page of stores.pages.pages(id)) found.push(...page.items);
      return found;
    },
    async lastRun({ id }) {
      const [run] = (await stores.runs.list(id, 1)).runs;
      if (run === undefined) throw new Error("The watchlist must have a run before this call.");
      return run;
    },
    async run(watchlist, crash) {
      await bench.work([await tickOf(watchlist)], crash);
    },
    async runSome(watchlist, messages) {
      queue.waiting.push(await tickOf(watchlist));
      await drain(messages);
    },
    async work(messages, crash) {
      queue.waiting.push(...messages);
      await crashing.during(crash, drain);
    },
    loseMessages: () => void queue.waiting.splice(0),
  };
  return bench;
}
