/**
 * Reference model of a run, by the specification's sections "Pipeline", "States and transitions"
 * and "Events": a plain in-memory program without batches, stores and messages. Tests compare the
 * engine with it.
 */
import { type Pipeline, runOrder, type Step } from "../../shared/pipelines/definition.ts";
import type { Platform } from "../../shared/platforms/catalog.ts";
import { stepScrapers } from "../../shared/scrapers/catalog.ts";
import { answerOf, type ItemLooks } from "./answers.ts";
import {
  type RunStart,
  type RunState,
  newRunState,
  type Entry,
  noStats,
  runStartOf,
  statsOf,
} from "./state.ts";
import { detailsAfter, givenAt, type ItemGiven, noDetails, shownDetails } from "./details.ts";
import { everythingKnown } from "./fields.ts";
import { addRetry, clearRetry } from "./retries.ts";
import { type Changes, evaluate, type Reading, read } from "./read.ts";
import type { ReportedShortfall } from "../support/shortfalls.ts";
import type { ModelWatchlist, ModelItem } from "./watchlist.ts";

/** The result of a run: its record, and the entries of its events in order. */
export interface ModelRun {
  readonly run: Readonly<Record<string, unknown>>;
  /**
   * The steps that the balance did not cover, as the run's `error` reports them; null if the
   * balance covered all steps.
   */
  readonly shortfalls: readonly ReportedShortfall[] | null;
  readonly changed: readonly Entry[];
  readonly matched: readonly Entry[];
  readonly delisted: readonly Entry[];
  readonly credits: number;
}

/** Creates a watchlist of items that were never read. */
export function modelWatchlist(
  platform: Platform,
  pipeline: Pipeline,
  scripted: {
    readonly items: Readonly<Record<string, ItemLooks>>;
    readonly given: Readonly<Record<string, ItemGiven>>;
  },
): ModelWatchlist {
  const { items: looks, given } = scripted;
  const ids = Object.keys(looks).sort((a, b) => (a < b ? -1 : 1));
  const items = ids.map((id): ModelItem => ({
    id,
    looks: looks[id] ?? {},
    given: given[id] ?? [],
    details: noDetails,
    state: "new",
    known: { readings: {}, newer: {} },
    routeStates: new Map(),
    offer: null,
    lastReadStatus: null,
    failures: 0,
    owes: [],
    lastChange: null,
  }));
  return { platform, pipeline, items, runCount: 0, skips: 0, isRefreshDue: false, paused: false };
}

/**
 * Applies one run to the watchlist and returns its result; null for a scheduled run of a paused
 * watchlist.
 * @param input `available` is the balance before the run, and `at` is the index of the run from 0,
 * which selects the scripted answers
 */
export function runModel(
  list: ModelWatchlist,
  { trigger, available, at }: { trigger: "tick" | "manual"; available: number; at: number },
): ModelRun | null {
  if (list.paused && trigger === "tick") return null;
  list.runCount += 1;
  const runStart = runStartOf(list);
  const runState = newRunState(list, runStart, at);
  const shortfalls: ReportedShortfall[] = [];
  let isSkipped = false;
  let isFirst = true;
  for (const step of runOrder(list.pipeline)) {
    const items = itemsOf(runState, step);
    if (items.length === 0) continue;
    const shortfall = shortfallOf(step, items, available - runState.credits);
    if (shortfall !== null) shortfalls.push(shortfall);
    if (shortfall !== null && isFirst) {
      isSkipped = true;
      break;
    }
    isFirst = false;
    runState.steps[step.id] = noStats(step);
    if (shortfall === null) takeStep(runState, step, items);
    else defer(runState, step, items);
  }
  if (isSkipped) skip(list, trigger, runStart);
  else Object.assign(list, { skips: 0, isRefreshDue: false });
  return {
    run: {
      run_number: list.runCount,
      trigger: triggerOf(list, trigger),
      kind: runStart.kind,
      status: isSkipped ? "insufficient_credits" : "completed",
      credits: runState.credits,
      stats: statsOf(runState, runStart),
    },
    shortfalls: shortfalls.length === 0 ? null : shortfalls,
    changed: runState.changed,
    matched: runState.matched,
    delisted: runState.delisted,
    credits: runState.credits,
  };
}

/** Time between two runs of a scenario, in milliseconds. */
export const timeBetweenRuns = 3_600_000;

/** Returns the missing credits of a step; null if the balance covers the step. */
function shortfallOf(
  { id: step, scraper }: Step,
  { length: items }: readonly ModelItem[],
  balance: number,
): ReportedShortfall | null {
  const needed = Math.ceil((items * stepScrapers[scraper].reserveQuarters) / 4);
  return needed <= balance ? null : { step, needed, items, balance, limit: undefined };
}

/**
 * Applies a run that was skipped for lack of credits. The third scheduled skip in sequence pauses
 * the watchlist. A skipped refresh is due again at the next run.
 */
function skip(list: ModelWatchlist, trigger: "tick" | "manual", { kind }: RunStart): void {
  if (trigger === "tick") list.skips += 1;
  if (list.skips >= 3) list.paused = true;
  if (kind === "refresh") list.isRefreshDue = true;
}

function triggerOf({ runCount }: ModelWatchlist, trigger: "tick" | "manual"): string {
  if (trigger === "manual") return "manual";
  return runCount === 1 ? "initial" : "schedule";
}

/**
 * Returns the items of a step. These items start there, have an owed retry there, or were routed
 * there.
 */
const itemsOf = ({ list, starts, routed }: RunState, { id: step }: Step): ModelItem[] =>
  list.items.filter(
    (item) =>
      routed.get(step)?.has(item.id) === true ||
      (item.state !== "delisted" && starts.get(item.id)?.has(step) === true),
  );

/**
 * Defers the items of a step to the next run, because the balance does not cover the step. The
 * run's first step is never deferred.
 */
function defer({ list, deferredIds }: RunState, step: Step, items: readonly ModelItem[]): void {
  for (const item of items) {
    deferredIds.add(item.id);
    if (item.state !== "delisted") addRetry(list.pipeline, item, step);
  }
}

function takeStep(runState: RunState, step: Step, items: readonly ModelItem[]): void {
  const stats = runState.steps[step.id] ?? noStats(step);
  let quarters = 0;
  for (const item of items) {
    const answer = answerOf({ step, looks: item.looks, at: runState.at, offer: item.offer });
    if (answer === null) {
      stats.skipped += 1;
      // The item has no offer to check, so a retry would be repeated in every run.
      clearRetry(runState.list.pipeline, item, step);
      continue;
    }
    stats.requested += 1;
    stats[answer.status] += 1;
    quarters += answer.quarters;
    const at = runState.at * timeBetweenRuns;
    const { metadata } = givenAt(item.given, runState.at);
    const reading = read({ step, item, metadata, isNew: item.state === "new", at }, answer);
    report(runState, { item, step, reading });
    store(runState, { item, step, reading });
  }
  stats.credits = Math.ceil(quarters / 4);
  runState.credits += stats.credits;
}

interface Found {
  readonly item: ModelItem;
  readonly step: Step;
  readonly reading: Reading;
}

/**
 * Applies the step's routes to a read: sends the item to next steps, and adds entries to events.
 * Also stores the details that the read shows, even if the item is delisted.
 */
function report(runState: RunState, { item, step, reading }: Found): void {
  const { isNewValue, isReported, reportedChanges, routes, view, values } = evaluate(
    runState.list.pipeline,
    step,
    reading,
  );
  const { tier } = stepScrapers[step.scraper];
  const from = { step: step.id, scraper: step.scraper };
  if (reading.status === "ok") {
    item.details = detailsAfter(item.details, { ...item, step, at: runState.at });
  }
  const name = {
    id: item.id,
    ...(runState.list.platform === "retailer_a" && { asin: item.id }),
    ...shownDetails(givenAt(item.given, runState.at), item.details),
  };
  for (const { run } of routes) {
    if (run !== undefined)
      runState.routed.set(run, (runState.routed.get(run) ?? new Set()).add(item.id));
  }
  const telling = routes.filter(({ notify }) => notify === true);
  if (isReported) {
    runState.notifiedIds.add(item.id);
    runState.changed.push({ ...name, tier, ...from, changes: reportedChanges, snapshot: view });
  }
  const branches = new Set(telling.map(({ when }) => when).filter((when) => when !== "changed"));
  for (const branch of branches) {
    runState.matched.push({ ...name, ...from, branch, status: reading.status, values });
  }
  if (isNewValue) runState.changedIds.add(item.id);
  if (reading.status === "not_found" && item.state !== "delisted") {
    runState.delisted.push({
      ...name,
      detected_by: tier,
      ...from,
      last_snapshot: everythingKnown(item.known),
    });
  }
}

/** Stores a read in the item. Keeps the values of an item that is delisted. */
function store(runState: RunState, { item, step, reading }: Found): void {
  if (item.state === "delisted") return;
  const { status } = reading;
  item.lastReadStatus = status;
  if (status === "not_found") {
    item.state = "delisted";
    item.routeStates = new Map();
    item.known = { ...item.known, prices: [] };
    item.failures = 0;
    item.owes = [];
  } else if (status === "ok") {
    clearRetry(runState.list.pipeline, item, step);
    item.state = "active";
    item.failures = 0;
    if (reading.offer !== undefined) item.offer = reading.offer;
    const { changes, after, routeStates } = evaluate(runState.list.pipeline, step, reading);
    item.known = after;
    item.routeStates = routeStates;
    const found = { runNumber: runState.number, step: step.id, scraper: step.scraper, changes };
    item.lastChange = lastChangeAfter(item.lastChange, found);
  } else {
    item.failures += 1;
    item.routeStates = evaluate(runState.list.pipeline, step, reading).routeStates;
    addRetry(runState.list.pipeline, item, step);
    runState.failedIds.add(item.id);
  }
}

/**
 * Returns an item's last change after a read. If several reads of one run change a field, the
 * change starts with the value before the run. Returns `last` if the read found no changes.
 * @param last the last change before the read
 * @param found the changes that the read found
 */
export function lastChangeAfter(
  last: ModelItem["lastChange"],
  found: NonNullable<ModelItem["lastChange"]>,
): ModelItem["lastChange"] {
  if (Object.keys(found.changes).length === 0) return last;
  const inRun = last?.runNumber === found.runNumber ? last.changes : {};
  const changes: Record<string, Changes[string]> = { ...inRun };
  for (const [field, { before, after }] of Object.entries(found.changes)) {
    const first = inRun[field];
    changes[field] = { before: first === undefined ? before : first.before, after };
  }
  return { ...found, changes };
}
