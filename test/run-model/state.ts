import type { Step } from "../../shared/pipelines/definition.ts";
import { stepsToRetry } from "./retries.ts";
import type { ModelWatchlist } from "./watchlist.ts";

interface StepStats {
  readonly scraper: string;
  requested: number;
  ok: number;
  partial: number;
  not_found: number;
  unavailable: number;
  credits: number;
  skipped: number;
}

/** An entry of an item event, without its time. */
export type Entry = Readonly<Record<string, unknown>>;

/** The state of a run in progress. */
export interface RunState {
  readonly list: ModelWatchlist;
  readonly number: number;
  /** The index of the run, from 0. It selects the scripted answers. */
  readonly at: number;
  /**
   * The IDs of the steps that read an item although no route of this run leads to them, by item ID.
   * These are the start step, and the steps of owed retries from before the run. Retries of reads
   * that fail in this run belong to the next run.
   */
  readonly starts: ReadonlyMap<string, ReadonlySet<string>>;
  /** The IDs of the items that routes have sent to a step, by step ID. */
  readonly routed: Map<string, Set<string>>;
  readonly steps: Record<string, StepStats>;
  readonly changed: Entry[];
  readonly matched: Entry[];
  readonly delisted: Entry[];
  readonly changedIds: Set<string>;
  readonly notifiedIds: Set<string>;
  readonly failedIds: Set<string>;
  readonly deferredIds: Set<string>;
  credits: number;
}

/** The properties of a run that are determined at its start. */
export interface RunStart {
  readonly kind: "baseline" | "refresh" | "sweep";
  readonly entry: string;
  readonly tracked: number;
  readonly newItems: number;
}

/**
 * Returns the properties of a watchlist's next run, from the state of the watchlist before that
 * run.
 */
export function runStartOf({ pipeline, items, runCount, isRefreshDue }: ModelWatchlist): RunStart {
  const { entry, baseline, refresh } = pipeline;
  const counts = {
    tracked: items.filter(({ state }) => state !== "delisted").length,
    newItems: items.filter(({ state }) => state === "new").length,
  };
  if (counts.newItems === items.length) {
    return { kind: "baseline", entry: baseline ?? entry, ...counts };
  }
  if (refresh !== null && (isRefreshDue || runCount % refresh.everyRuns === 0)) {
    return { kind: "refresh", entry: refresh.entry, ...counts };
  }
  return { kind: "sweep", entry, ...counts };
}

/**
 * Returns the state of a run before its first step.
 * @param at the index of the run, from 0
 */
export function newRunState(list: ModelWatchlist, runStart: RunStart, at: number): RunState {
  const { baseline, entry } = list.pipeline;
  const starts = new Map<string, ReadonlySet<string>>();
  for (const item of list.items) {
    if (item.state === "delisted") continue;
    const start = item.state === "new" ? (baseline ?? entry) : runStart.entry;
    starts.set(item.id, stepsToRetry(list.pipeline, item).add(start));
  }
  return {
    list,
    number: list.runCount,
    at,
    starts,
    routed: new Map(),
    steps: {},
    changed: [],
    matched: [],
    delisted: [],
    changedIds: new Set(),
    notifiedIds: new Set(),
    failedIds: new Set(),
    deferredIds: new Set(),
    credits: 0,
  };
}

/** Returns the statistics of a step that read nothing. */
export const noStats = ({ scraper }: Step): StepStats => ({
  scraper,
  requested: 0,
  ok: 0,
  partial: 0,
  not_found: 0,
  unavailable: 0,
  credits: 0,
  skipped: 0,
});

/** Returns the statistics of a run, with the field names of the API. */
export const statsOf = (runState: RunState, { tracked, entry, newItems }: RunStart): Entry => ({
  tracked,
  entry,
  new_items: newItems,
  steps: runState.steps,
  matched: runState.matched.length,
  deferred: runState.deferredIds.size,
  changed: runState.changedIds.size,
  notified: runState.notifiedIds.size,
  delisted: runState.delisted.length,
  retry_next_run: runState.failedIds.size,
});
