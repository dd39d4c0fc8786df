import { creditsFor } from "../credits/charge.ts";
import { offersQuarters } from "../items/offer-prices.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalogue.ts";
import { nextOf, type Pipeline, type Route, runOrder } from "./definition.ts";

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
 * Estimates the cost of a watchlist's runs (specification, section "Watchlist"). Adds the maximum
 * price of each step that every item is certain to reach. Delisted items cost nothing.
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

/** The items of a run, and the step at which they start. */
interface Start {
  readonly start: string;
  readonly items: number;
}

interface Walk extends Start {
  /** True if every item of the estimate matches the route. */
  readonly isSure: (route: Route) => boolean;
  /** Price of one read of an item, in quarter-credits. @default the maximum price */
  readonly quartersOf?: (scraper: StepScraperId) => number;
}

/** Returns the credits of a run that finds no changes, at the lowest price of each step. */
export const leastCredits = (pipeline: Pipeline, start: Start): number =>
  creditsFrom(pipeline, {
    ...start,
    isSure: whenUnchanged,
    quartersOf: (scraper) =>
      scraper === "retailer_a.offers" ? offersQuarters.few : stepScrapers[scraper].reserveQuarters,
  });

/** Returns the credits of a run in which every item takes every route, at the highest prices. */
export const mostCredits = (pipeline: Pipeline, start: Start): number =>
  creditsFrom(pipeline, { ...start, isSure: () => true });

function creditsFrom(
  pipeline: Pipeline,
  { start, items, isSure, quartersOf = (id) => stepScrapers[id].reserveQuarters }: Walk,
): number {
  const taken = new Set([start]);
  let credits = 0;
  for (const step of runOrder(pipeline)) {
    if (!taken.has(step.id)) continue;
    credits += creditsFor(items * quartersOf(step.scraper));
    for (const next of nextOf({ routes: step.routes.filter(isSure) })) taken.add(next);
  }
  return credits;
}

/** Returns true if a route matches every item whose read finds the item without changes. */
const whenUnchanged = (route: Route): boolean =>
  isUntested(route) && ["unchanged", "ok", "always"].includes(route.when);

/** Returns true if a route matches every item whose first read finds the item. */
const whenNew = (route: Route): boolean =>
  isUntested(route) && route.confirm === undefined && ["new", "ok", "always"].includes(route.when);

/**
 * Returns true if a route matches every item that its `when` selects, immediately or after
 * `confirm` reads.
 */
const isUntested = ({ op, where, once }: Route): boolean =>
  op === undefined && where === undefined && once !== true;
