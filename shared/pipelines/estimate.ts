import { creditsFor } from "../credits/charge.ts";
import { stepScrapers } from "../scrapers/catalogue.ts";
import { type Pipeline, type Route, runOrder } from "./definition.ts";

/** Items of a list, by state. */
export interface ItemsByState {
  readonly new: number;
  readonly active: number;
  readonly delisted: number;
}

/** Whole credits. */
export interface EstimatedCredits {
  /** A run from the entry in which nothing changed. */
  readonly pulseRun: number;
  /** The same from the refresh entry; without a refresh, as an ordinary run. */
  readonly refreshRun: number;
  /** What the first read of the new items costs, once. */
  readonly newAsins: number;
}

/**
 * What runs of a list will cost (specification, section "Watchlist"): every step that is sure to
 * run, over every item that is read, at the most that its scraper may charge.
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
  /** Whether every item takes the route. */
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

/** Routes that every item takes that is found and has not moved. */
const whenUnmoved = (route: Route): boolean => route.when === "unchanged" || isPlain(route);

/** Routes that every item takes that is found for the first time. */
const whenNew = (route: Route): boolean => route.when === "new" || isPlain(route);

const isPlain = ({ when, op }: Route): boolean =>
  when === "always" || (when === "ok" && op === undefined);
