import { creditsFor } from "../credits/charge.ts";
import { offersQuarters } from "../items/offer-prices.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalog.ts";
import { nextOf, type Pipeline, type Route, runOrder, stepOf } from "./definition.ts";

/** Number of items of a watchlist by state. */
export interface ItemsByState {
  readonly new: number;
  readonly active: number;
  readonly delisted: number;
}

/** Estimated costs of runs, in whole credits. */
export interface EstimatedCredits {
  /** Cost of a run that starts at the entry and finds no changes. */
  readonly pulseRun: number;
  /**
   * Cost of a run that starts at the refresh entry and finds no changes. Equals `pulseRun` if the
   * pipeline has no refresh.
   */
  readonly refreshRun: number;
  /** Cost of the first read of the new items. */
  readonly newAsins: number;
}

/**
 * Estimates the cost of a watchlist's runs, in credits (specification, section "Watchlist"): the
 * sum of the maximum prices of the steps that all items are certain to reach. Delisted items cost
 * nothing.
 */
export function estimatedCredits(pipeline: Pipeline, items: ItemsByState): EstimatedCredits {
  const { entry, refresh, baseline } = pipeline;
  const read = items.new + items.active;
  return {
    pulseRun: creditsFrom(pipeline, { start: entry, items: read, isSure: whenUnchanged }),
    refreshRun: creditsFrom(pipeline, {
      start: refresh?.entry ?? entry,
      items: read,
      isSure: whenUnchanged,
    }),
    newAsins: creditsFrom(pipeline, {
      start: baseline ?? entry,
      items: items.new,
      isSure: whenNew,
    }),
  };
}

interface Walk {
  /** The step at which all items start. */
  readonly start: string;
  readonly items: number;
  /** Returns true if every item of the estimate matches the route. */
  readonly isSure: (route: Route) => boolean;
}

/** Returns the maximum price, in credits, of the steps that all items are certain to reach. */
function creditsFrom(pipeline: Pipeline, { start, items, isSure }: Walk): number {
  const taken = new Set([start]);
  let credits = 0;
  for (const step of runOrder(pipeline)) {
    if (!taken.has(step.id)) continue;
    credits += creditsFor(items * stepScrapers[step.scraper].reserveQuarters);
    for (const next of nextOf({ routes: step.routes.filter(isSure) })) taken.add(next);
  }
  return credits;
}

/**
 * Returns the maximum price of the first step of a run, in credits: the total for all items that
 * start there. Active items start at the entry of the pipeline, the first step of a usual run. New
 * items start at the baseline, which is the entry if the pipeline names no other step. If these are
 * two steps, returns the higher of the two totals.
 */
export function firstStepCredits(pipeline: Pipeline, items: ItemsByState): number {
  const { entry } = pipeline;
  const starts = new Map([[entry, items.active]]);
  const baseline = pipeline.baseline ?? entry;
  starts.set(baseline, (starts.get(baseline) ?? 0) + items.new);
  const prices = [...starts].map(([id, count]) =>
    creditsFor(count * stepScrapers[stepOf(pipeline, id).scraper].reserveQuarters),
  );
  return Math.max(...prices);
}

/** The items that a run reads, and the credits that it may charge. */
export interface RunItems {
  /** Number of items that start at a step, by ID of the step. */
  readonly starts: ReadonlyMap<string, number>;
  /** Maximum credits of the run; infinite without a limit. */
  readonly limit: number;
}

/** The bounds of the credits of one run. */
export interface RunBounds {
  /** The credits if no item changes, at the lowest prices. */
  readonly best: number;
  /** The credits if every item takes every route, at the highest prices. */
  readonly worst: number;
}

/**
 * Calculates the lowest and highest cost of a run under a credit limit, in credits. A step costs
 * nothing if the limit leaves too few credits for the items that are certain to reach the step,
 * because a step is read completely or not at all. Otherwise, the step costs at most what is left
 * of the limit.
 */
export function boundsOf(pipeline: Pipeline, items: RunItems): RunBounds {
  const best = boundOf(pipeline, items, {
    takes: whenUnchanged,
    quartersOf: (scraper) =>
      scraper === "retailer_a.offers" ? offersQuarters.few : stepScrapers[scraper].reserveQuarters,
  });
  const worst = boundOf(pipeline, items, {
    takes: () => true,
    quartersOf: (scraper) => stepScrapers[scraper].reserveQuarters,
  });
  return { best: Math.min(best, worst), worst };
}

interface Bound {
  /** Returns true if the bound assumes that every item matches the route. */
  readonly takes: (route: Route) => boolean;
  /** Price of one read of an item, in quarter-credits. */
  readonly quartersOf: (scraper: StepScraperId) => number;
}

/** Calculates one bound of the cost of a run, in credits. */
function boundOf(
  pipeline: Pipeline,
  { starts, limit }: RunItems,
  { takes, quartersOf }: Bound,
): number {
  const all = [...starts.values()].reduce((sum, items) => sum + items, 0);
  const itemsAt = new Map(starts);
  const sureAt = new Map(starts);
  let credits = 0;
  for (const step of runOrder(pipeline)) {
    const items = itemsAt.get(step.id) ?? 0;
    if (items === 0) continue;
    const sure = sureAt.get(step.id) ?? 0;
    // A run reserves the highest price of a step, even if the charge is lower.
    const reserved = creditsFor(sure * stepScrapers[step.scraper].reserveQuarters);
    const room = limit - credits;
    if (reserved > room) continue;
    credits += Math.min(creditsFor(items * quartersOf(step.scraper)), room);
    for (const next of new Set(nextOf({ routes: step.routes.filter(takes) }))) {
      itemsAt.set(next, Math.min(all, (itemsAt.get(next) ?? 0) + items));
    }
    for (const next of new Set(nextOf({ routes: step.routes.filter(whenUnchanged) }))) {
      sureAt.set(next, Math.min(all, (sureAt.get(next) ?? 0) + sure));
    }
  }
  return credits;
}

/** A step that a run defers, because its price exceeds the credits that the limit has left. */
interface Deferral {
  readonly step: string;
  /** Price of the step, in credits. */
  readonly credits: number;
  /** Credits that the limit has left for the step. */
  readonly available: number;
}

/**
 * Returns the steps that a run probably defers because of its credit limit, in run order.
 * @param likelyAt returns the likely number of items of a step. If more items are certain to reach
 * the step, their number is used instead.
 */
export function likelyDeferrals(
  pipeline: Pipeline,
  { starts, limit }: RunItems,
  likelyAt: (step: string) => number,
): readonly Deferral[] {
  const all = [...starts.values()].reduce((sum, items) => sum + items, 0);
  const sureAt = new Map(starts);
  const deferrals: Deferral[] = [];
  let available = limit;
  for (const step of runOrder(pipeline)) {
    const sure = sureAt.get(step.id) ?? 0;
    const items = Math.min(all, Math.max(sure, Math.ceil(likelyAt(step.id))));
    const credits = creditsFor(items * stepScrapers[step.scraper].reserveQuarters);
    if (credits > available) {
      deferrals.push({ step: step.id, credits, available });
      continue;
    }
    available -= credits;
    for (const next of new Set(nextOf({ routes: step.routes.filter(whenUnchanged) }))) {
      sureAt.set(next, Math.min(all, (sureAt.get(next) ?? 0) + sure));
    }
  }
  return deferrals;
}

/** Returns true if a route matches every item that is read without changes. */
const whenUnchanged = (route: Route): boolean =>
  isUntested(route) && ["unchanged", "ok", "always"].includes(route.when);

/** Returns true if a route matches every item at its first successful read. */
const whenNew = (route: Route): boolean =>
  isUntested(route) && route.confirm === undefined && ["new", "ok", "always"].includes(route.when);

/**
 * Returns true if a route has no test, so that it matches every item that its `when` selects,
 * immediately or after `confirm` reads.
 */
const isUntested = ({ op, where, once }: Route): boolean =>
  op === undefined && where === undefined && once !== true;
