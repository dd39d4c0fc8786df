import { creditsFor } from "../credits/charge.ts";
import { stepScrapers } from "../scrapers/catalogue.ts";
import { type Pipeline, type Route, runOrder } from "./definition.ts";

/** Number of items of a watchlist by state. */
export interface ItemsByState {
  readonly new: number;
  readonly active: number;
  readonly delisted: number;
}

/** Whole credits. */
export interface EstimatedCredits {
  /** Cost of a run from the entry without changes. */
  readonly pulseRun: number;
  /** Cost of a run from the refresh entry without changes; without a refresh, as `pulseRun`. */
  readonly refreshRun: number;
  /** Cost of the first read of the new items. */
  readonly newAsins: number;
}

/**
 * Estimates the cost of a watchlist's runs (specification, section "Watchlist"): the maximum price of
 * every step that every item certainly reaches.
 */
export function estimatedCredits(pipeline: Pipeline, items: ItemsByState): EstimatedCredits {
  const { entry, refresh, baseline } = pipeline;
  const read = items.new + items.active;
  return {
    pulseRun: creditsFrom(pipeline, { start: entry, items: read, isSure: whenUnmoved }),
    refreshRun: creditsFrom(pipeline, {
      start: refresh?.entry ?? entry,
      items: read,
      isSure: whenUnmoved,
    }),
    newAsins: creditsFrom(pipeline, {
      start: baseline ?? entry,
      items: items.new,
      isSure: whenNew,
    }),
  };
}

interface Walk {
  readonly start: string;
  readonly items: number;
  /** True if every item matches the route. */
  readonly isSure: (route: Route) => boolean;
}

function creditsFrom(pipeline: Pipeline, { start, items, isSure }: Walk): number {
  const taken = new Set([start]);
  let credits = 0;
  for (const step of runOrder(pipeline)) {
    if (!taken.has(step.id)) continue;
    credits += creditsFor(items * stepScrapers[step.scraper].reserveQuarters);
    for (const route of step.routes) {
      if (route.run !== undefined && isSure(route)) taken.add(route.run);
    }
  }
  return credits;
}

/** Matches routes of every item that is found and unchanged. */
const whenUnmoved = (route: Route): boolean => route.when === "unchanged" || isPlain(route);

/** Matches routes of every item that is found for the first time. */
const whenNew = (route: Route): boolean => route.when === "new" || isPlain(route);

const isPlain = ({ when, op }: Route): boolean =>
  when === "always" || (when === "ok" && op === undefined);
