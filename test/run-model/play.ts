import { isDeepStrictEqual } from "node:util";
import type { Pipeline } from "../../shared/pipelines/definition.ts";
import { runNow } from "../../shared/runs/run-now.ts";
import { currentSnapshot } from "../../shared/watchlists/item.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import { withLabels } from "../../shared/watchlists/item-details.ts";
import { compareIds } from "../../shared/watchlists/id-order.ts";
import { messageList } from "../support/message-list.ts";
import { modelWatchlist, type ModelRun, runModel, timeBetweenRuns } from "./run-model.ts";
import type { ModelWatchlist } from "./watchlist.ts";
import { givenAt } from "./details.ts";
import { everythingKnown } from "./fields.ts";
import { shownRetries } from "./retries.ts";
import { showLooks } from "./sources.ts";
import { shortfallsIn } from "../support/shortfalls.ts";
import { type CrashPoint, type RunBench, startRunBench } from "../support/run-bench.ts";
import type { RunPlan, Scenario } from "../support/run-scenarios.ts";
import type { TestTables } from "../support/tables.ts";

type Shown = Readonly<Record<string, unknown>>;

/** The observable result of a run, without times and random IDs. */
export interface Outcome {
  /** The run as the API shows it; null if no run started. */
  readonly run: Shown | null;
  /**
   * The item events in the order of sending. An event with several parts occurs once for each part.
   */
  readonly events: readonly Shown[];
  readonly items: readonly Shown[];
  readonly list: Shown;
  readonly balance: number;
}

/** The account's initial credits, which exceed the costs of every scenario. */
const creditsAtFirst = 20_000;
const entriesMax = 500;

/** Plays a scenario in the reference model. Returns the result of each run. */
export function playModel({
  platform,
  pipelines,
  items: scripted,
  given,
  runs,
}: Scenario): Outcome[] {
  const list = modelWatchlist(platform, pipelines[0], { items: scripted, given });
  let balance = creditsAtFirst;
  return runs.map(({ trigger, credits, pipeline }, at) => {
    list.pipeline = pipelines[pipeline];
    const available = Math.min(balance, credits ?? balance);
    const run = runModel(list, { trigger, available, at });
    balance -= run?.credits ?? 0;
    return {
      run: run === null ? null : { ...run.run, shortfalls: run.shortfalls },
      events: run === null ? [] : modelEvents(run),
      items: list.items.map((item) => ({
        id: item.id,
        state: item.state,
        snapshot: everythingKnown(item.known),
        lastChange: item.lastChange,
        owes: shownRetries(item.owes),
        lastReadStatus: item.lastReadStatus,
        consecutiveFailures: item.failures,
      })),
      list: modelListState(list),
      balance,
    };
  });
}

function modelListState({ items, runCount, skips, paused }: ModelWatchlist): Shown {
  const count = (state: string): number => items.filter((item) => item.state === state).length;
  return {
    itemCounts: { new: count("new"), active: count("active"), delisted: count("delisted") },
    runCount,
    consecutiveSkips: skips,
    status: paused ? "paused" : "active",
    pausedReason: paused ? "insufficient_credits" : null,
  };
}

function modelEvents({ changed, matched, delisted }: ModelRun): Shown[] {
  const partsOf = (type: string, entries: readonly Shown[]): Shown[] => {
    const parts = Math.ceil(entries.length / entriesMax);
    return Array.from({ length: parts }, (_, n) => ({
      type,
      part: n + 1,
      parts,
      entries: entries.slice(n * entriesMax, (n + 1) * entriesMax),
    }));
  };
  return [
    ...partsOf("watchlist.product.changed", changed),
    ...partsOf("watchlist.product.matched", matched),
    ...partsOf("watchlist.product.delisted", delisted),
  ];
}

/** Plays a scenario in the run engine. Returns the result of each run. */
export async function playEngine(scenario: Scenario, tables: TestTables): Promise<Outcome[]> {
  const { platform, pipelines, items, runs, batchIdsMax, deliveries, shuffle, crash } = scenario;
  const bench = await startRunBench({
    tables,
    credits: creditsAtFirst,
    deliveries,
    batchIdsMax,
    ...(shuffle !== null && { pick: picking(shuffle) }),
  });
  const list = await bench.createList(Object.keys(items), { platform, pipeline: pipelines[0] });
  const outcomes: Outcome[] = [];
  for (const [at, plan] of runs.entries()) {
    showLooks(bench.answers, { platform, items }, at);
    await setLabels(bench, list, { given: scenario.given, at });
    await setPipeline(bench, list, pipelines[plan.pipeline]);
    const publishedBefore = bench.published.size;
    const giveBack = await leaveOnly(bench, plan.credits, at);
    await start(bench, { list, plan, crash: crash?.run === at ? crash : undefined });
    await giveBack();
    outcomes.push(await look(bench, list, publishedBefore));
    bench.clock.advance(timeBetweenRuns);
  }
  return outcomes;
}

/**
 * Returns a function that chooses the index of the next message to handle, among `waiting`
 * messages. Its choices depend only on the seed.
 */
function picking(seed: number): (waiting: number) => number {
  let drawn = seed;
  return (waiting) => {
    drawn = (Math.imul(drawn, 1_103_515_245) + 12_345) >>> 0;
    return (drawn >>> 8) % waiting;
  };
}

async function setPipeline(bench: RunBench, list: Watchlist, pipeline: Pipeline): Promise<void> {
  const before = await bench.list(list);
  if (before === undefined)
    throw new Error(`The watchlist ${list.id} of the scenario does not exist.`);
  if (isDeepStrictEqual(before.pipeline, pipeline)) return;
  const after = { ...before, pipeline, revision: before.revision + 1 };
  await bench.watchlists.update({ before, after });
}

/** Sets labels and metadata of all items, as a client does before a run. */
async function setLabels(
  bench: RunBench,
  list: Watchlist,
  { given, at }: Pick<Scenario, "given"> & { readonly at: number },
): Promise<void> {
  const { accountId, id: watchlistId, createdAt: addedAt } = list;
  await bench.pages.changeDetails(
    { accountId, watchlistId },
    {
      ids: Object.keys(given).toSorted(compareIds),
      change: (before, id) =>
        withLabels(before, { id, addedAt, isAdded: false, given: givenAt(given[id] ?? [], at) }),
    },
  );
}

/**
 * Reserves the rest of the balance, so that a run can spend only `credits`. Returns a function that
 * releases the reserved credits.
 */
async function leaveOnly(
  { ledger, clock, ...bench }: RunBench,
  credits: number | null,
  at: number,
): Promise<() => Promise<void>> {
  const { id: accountId, balance } = await bench.account();
  if (credits === null || credits >= balance) return async () => {};
  const hold = { accountId, holdId: `elsewhere-${at}`, now: clock.now() };
  const expiresAt = new Date(clock.now().getTime() + 86_400_000);
  const source = { requestId: hold.holdId };
  await ledger.reserve({ ...hold, credits: balance - credits, slot: false, source, expiresAt });
  return async () => void (await ledger.settle({ ...hold, credits: 0, succeeded: true }));
}

async function start(
  bench: RunBench,
  { list, plan, crash }: { list: Watchlist; plan: RunPlan; crash: CrashPoint | undefined },
): Promise<void> {
  if (plan.trigger === "tick") return bench.run(list, crash);
  const current = await bench.list(list);
  if (current === undefined)
    throw new Error(`The watchlist ${list.id} of the scenario does not exist.`);
  const { waiting, port: queue } = messageList();
  const schedules = { put: async () => {}, remove: async () => {} };
  const warn = (): void => {};
  await runNow(current, bench.clock.now(), { ...bench, queue, schedules, warn });
  return bench.work(waiting, crash);
}

async function look(bench: RunBench, list: Watchlist, publishedBefore: number): Promise<Outcome> {
  const sent = [...bench.published.values()]
    .slice(publishedBefore)
    .map(({ type, body }) => ({ type, data: JSON.parse(body).data as Shown }));
  const completed = sent.filter(({ type }) => type === "watchlist.run.completed");
  if (completed.length > 1)
    throw new Error(`The run must have at most one completed event (got ${completed.length}).`);
  const { balance, held } = await bench.account();
  if (held !== 0) throw new Error(`No credits may be held after the run (got ${held}).`);
  return {
    run: completed[0] === undefined ? null : shownRun(completed[0].data),
    events: sent.filter(({ type }) => type !== "watchlist.run.completed").map(shownEvent),
    items: (await bench.items(list)).map((item) => ({
      id: item.id,
      state: item.state,
      snapshot: currentSnapshot(item),
      lastChange: item.lastChange && without(item.lastChange, ["changedAt", "runId"]),
      owes: shownRetries(item.owes),
      lastReadStatus: item.lastReadStatus,
      consecutiveFailures: item.consecutiveFailures,
    })),
    list: await shownWatchlist(bench, list),
    balance,
  };
}

async function shownWatchlist(bench: RunBench, list: Watchlist): Promise<Shown> {
  const stored = await bench.list(list);
  if (stored === undefined)
    throw new Error(`The watchlist ${list.id} of the scenario does not exist.`);
  const { itemCounts, runCount, consecutiveSkips, status, pausedReason } = stored;
  return { itemCounts, runCount, consecutiveSkips, status, pausedReason };
}

const shownRun = ({ run_number, trigger, kind, status, credits, stats, error }: Shown): Shown => ({
  run_number,
  trigger,
  kind,
  status,
  credits,
  stats,
  shortfalls: shortfallsIn(error),
});

function shownEvent({ type, data }: { type: string; data: Shown }): Shown {
  const entries = (data["changes"] ?? data["products"]) as readonly Shown[];
  const times = ["changed_at", "matched_at", "delisted_at"];
  return {
    type,
    part: data["part"],
    parts: data["parts"],
    entries: entries.map((entry) => without(entry, times)),
  };
}

const without = (all: object, keys: readonly string[]): Shown =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)));
