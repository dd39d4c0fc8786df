import type { Clock, RandomSource } from "../base/clock.ts";
import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { SerializedEvent } from "../events/event.ts";
import type { HistorySpan } from "../history/history.ts";
import type { HistoryStore } from "../history/history-store.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { testedPrices } from "../pipelines/tested-prices.ts";
import { claimRun } from "../runs/claim-run.ts";
import type { Run } from "../runs/run.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { Item } from "../watchlists/item.ts";
import { countByState } from "../watchlists/item-counts.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { readItems } from "../watchlists/read-items.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import { memoryLedger } from "../played-runs/memory-ledger.ts";
import { type MemoryPages, memoryPages } from "../played-runs/memory-pages.ts";
import { memoryRun } from "../played-runs/memory-run.ts";
import {
  type PastReads,
  pastReads,
  type PastRunReads,
  type UnknownField,
  type UnknownReads,
} from "./past-reads.ts";
import type { PastRun } from "./past-run.ts";
import { type BacktestBounds, runsInSpan, type TooLarge } from "./past-runs.ts";
import { playRun } from "../played-runs/play-run.ts";

/** The runs to repeat, and the pipeline with which they are repeated. */
export interface BacktestRequest {
  readonly watchlist: Watchlist;
  /** The pipeline to test. */
  readonly pipeline: Pipeline;
  readonly span: HistorySpan;
  readonly bounds: BacktestBounds;
}

export interface BacktestDependencies {
  readonly pages: Pick<PageStore, "pages" | "details">;
  readonly runs: Pick<RunStore, "list">;
  readonly history: Pick<HistoryStore, "item" | "runs">;
  readonly random: RandomSource;
}

/** A past run, as it would have been with the tested pipeline. */
export interface TestedRun {
  readonly run: Run;
  /** The events that the run would have sent, as they would be stored. */
  readonly events: readonly SerializedEvent[];
}

/**
 * Receives each repeated run, oldest first. A back-test does not keep its runs, because their
 * events may not fit into the memory.
 * @param total number of all runs
 */
export type RecordRun = (tested: TestedRun, total: number) => Promise<void> | void;

/** A back-test that has repeated all of its runs. */
export interface EndedBacktest {
  readonly outcome: "tested";
  /** Numbers of the runs in the span that are held, were discarded or have not ended. */
  readonly leftOutRuns: readonly number[];
  readonly unknownFields: readonly UnknownField[];
  readonly unknownReads: readonly UnknownReads[];
  /**
   * Number of items that have history points in the repeated runs and were removed later. Items
   * that were added again after their removal count too.
   */
  readonly removedItems: number;
}

/**
 * Repeats the past runs of a watchlist with another pipeline. The code of real runs (`shared/runs`)
 * plans, reads and ends each repeated run on stores in memory, with answers from the history. The
 * back-test stores, charges and sends nothing.
 * @param record receives each repeated run, and the number of runs
 * @returns `too_large` if the back-test exceeds `bounds`; the bound `tracedItemsMax` applies if the
 * pipeline tests derived fields
 * @throws 400 INVALID_PARAM if the span has no ended run or begins before the oldest stored run;
 * any error of `record`
 */
export async function backtest(
  { watchlist, pipeline, span, bounds }: BacktestRequest,
  record: RecordRun,
  dependencies: BacktestDependencies,
): Promise<EndedBacktest | TooLarge> {
  const { pages, history, random } = dependencies;
  const runs = await runsInSpan(watchlist.id, { ...span, ...bounds }, dependencies);
  if (runs.outcome === "too_large") return runs;
  const { wanted, later, leftOut: leftOutRuns } = runs;
  const present = await Array.fromAsync(readItems(pages, watchlist.id));
  const past = pastReads({ createdAt: watchlist.createdAt, present, later, pipeline });
  if (testedPrices(pipeline).length > 0) {
    const traced = tracedItems(past.items);
    if (traced > bounds.tracedItemsMax) return tooManyTraces(traced, bounds);
  }
  const replay: Replay = {
    watchlist,
    pipeline,
    past,
    random,
    pages: memoryPages(pages),
    history: repeatedReads(history),
    refreshDue: false,
    reads: 0,
  };
  for (const [n, one] of wanted.entries()) {
    if (replay.reads > bounds.readsMax) return tooManyReads(wanted, n, bounds);
    await record(await repeatRun(one, replay), wanted.length);
  }
  return {
    outcome: "tested",
    leftOutRuns,
    unknownFields: past.unknownFields(),
    unknownReads: past.unknownReads(),
    removedItems: removedItems(wanted, { present, past }),
  };
}

/** Counts the items for `EndedBacktest.removedItems`. */
function removedItems(
  wanted: readonly PastRun[],
  { present, past }: { readonly present: readonly Item[]; readonly past: PastReads },
): number {
  const listed = new Set(present.map(({ id }) => id));
  const removed = new Set<string>();
  for (const { run, points } of wanted) {
    for (const id of points.keys()) {
      if (!listed.has(id) || past.isLeftOut(id, run.runNumber)) removed.add(id);
    }
  }
  return removed.size;
}

/** The state of a back-test between its runs. */
interface Replay {
  readonly watchlist: Watchlist;
  readonly pipeline: Pipeline;
  readonly past: PastReads;
  readonly random: RandomSource;
  readonly pages: MemoryPages;
  readonly history: Pick<HistoryStore, "item">;
  /** True if the last refresh read nothing, so that the next run repeats it. */
  refreshDue: boolean;
  /** Number of items that the steps of all runs read. */
  reads: number;
}

/** Repeats one past run with the tested pipeline, and updates the state of the back-test. */
async function repeatRun(past: PastRun, replay: Replay): Promise<TestedRun> {
  const { run: original } = past;
  const { pages, random } = replay;
  const reads = replay.past.begin(past);
  pages.put(reads.added);
  const watchlist = watchlistBefore(original, replay);
  const memory = memoryRun(original.id);
  const started = new Date(original.startedAt);
  const { trigger } = original;
  await claimRun({ watchlist, trigger, due: started, now: started }, memory.runs);
  const { run, events, outcome } = await playRun(
    {
      memory,
      watchlist,
      deadline: new Date(started.getTime() + limits.stepDeadlineSeconds * 1_000),
    },
    {
      pages: pages.pages,
      ledger: pastLedger(past, reads),
      random,
      history: { ...replay.history, mergedWindows: async () => limits.runNumberMax },
      earlierRuns: memory.runs,
      clock: clockAt(original.startedAt),
      clockAtEnd: clockAt(original.finishedAt ?? original.startedAt),
      async read(request) {
        replay.reads += request.items.length;
        return reads.answer(request);
      },
    },
  );
  reads.pass();
  replay.refreshDue = outcome.refreshDue;
  return { run, events };
}

/** A clock that always shows the same time. */
const clockAt = (time: string): Clock => ({ now: () => new Date(time), sleep: async () => {} });

/** Returns the watchlist as it would have been at the due time of a past run. */
const watchlistBefore = (
  { runNumber, limits: past }: Run,
  { watchlist, pipeline, pages, refreshDue }: Replay,
): Watchlist => ({
  ...watchlist,
  pipeline,
  status: "active",
  pausedReason: null,
  webhookEndpointId: null,
  webhookUrl: null,
  ...past,
  // No run is held: the history has no points of discarded runs, and a released run sent its
  // events.
  brake: null,
  runCount: runNumber - 1,
  itemCounts: countByState(pages.items()),
  consecutiveSkips: 0,
  refreshDue,
});

/**
 * Creates a ledger for a back-test. It reserves and charges nothing. It refuses the reservations of
 * steps that the past run deferred or skipped, and accepts all others. The past run shows in two
 * ways that it deferred a step:
 * - The step has history points with the status `deferred`.
 * - The step has stats with 0 items, if it was deferred before the run had read anything. A step to
 *   which no item was routed has no stats.
 */
function pastLedger(
  { run, points }: PastRun,
  { pastStep }: Pick<PastRunReads, "pastStep">,
): Ledger {
  const deferred = new Set<string>();
  for (const { step, status } of [...points.values()].flat()) {
    if (status === "deferred") deferred.add(step);
  }
  const isUncovered = (step: string | undefined): boolean =>
    run.status === "insufficient_credits" || (step !== undefined && deferred.has(step));
  return memoryLedger(async ({ source }) => {
    const step = "step" in source ? pastStep(source.step) : undefined;
    if (isUncovered(step)) return { outcome: "insufficient", balance: 0 };
    const stats = step === undefined ? undefined : run.stats.steps[step];
    if (stats?.requested === 0 && stats.skipped === 0) {
      const nothing = { limit: 0, available: 0, balance: 0 };
      return { outcome: "over_budget", budget: "watchlist", ...nothing };
    }
    return { outcome: "reserved" };
  });
}

/**
 * Caches the histories of items, because several repeated runs derive fields from the history of
 * the same item.
 */
function repeatedReads(history: Pick<HistoryStore, "item">): Pick<HistoryStore, "item"> {
  const known = new Map<string, ReturnType<HistoryStore["item"]>>();
  return {
    item({ watchlistId, itemId, since }) {
      const key = `${itemId} ${since}`;
      const itemHistory =
        known.get(key) ?? history.item({ watchlistId, itemId, since, until: "9999" });
      known.set(key, itemHistory);
      return itemHistory;
    },
  };
}

/**
 * Returns the number of items that were read before the first repeated run. Only these items have
 * earlier prices.
 */
const tracedItems = (items: readonly Item[]): number =>
  items.filter(({ readings }) => Object.keys(readings).length > 0).length;

const tooManyTraces = (traced: number, { tracedItemsMax }: BacktestBounds): TooLarge =>
  tooLarge(
    `This pipeline tests derived fields, and ${traced} items were read before 'since', more than ` +
      `the maximum of ${tracedItemsMax}. Send a 'since' before the first run of the watchlist.`,
  );

function tooManyReads(
  wanted: readonly PastRun[],
  fitting: number,
  { readsMax }: BacktestBounds,
): TooLarge {
  const first = wanted.at(-fitting)?.run.startedAt ?? "";
  return tooLarge(
    `The ${wanted.length} runs in this span need more than ${readsMax} reads. ` +
      `Send a 'since' of ${first} or later, or an earlier 'until'.`,
  );
}

const tooLarge = (message: string): TooLarge => ({
  outcome: "too_large",
  error: invalidParam("since", message),
});
