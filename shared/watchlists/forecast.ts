import { type Credits, type Forecast, forecastMonthDays } from "../credits/forecast.ts";
import {
  estimatedCredits,
  type ItemsByState,
  leastCredits,
  mostCredits,
} from "../pipelines/estimate.ts";
import { countRuns, type Schedule } from "./schedule.ts";
import type { WatchlistSettings } from "./settings.ts";
import { pipelineOf, type Watchlist } from "./watchlist.ts";

/** A finished run, from which the credits of later runs are forecast. */
export interface PastRun {
  readonly kind: "baseline" | "refresh" | "sweep";
  readonly credits: number;
  /** Number of items of the run. */
  readonly tracked: number;
}

/** Number of the newest runs from which a forecast is made. */
export const forecastRuns = 10;

/** The data of a watchlist from which its credits are forecast. */
export interface ForecastWatchlist
  extends Pick<Watchlist, "platform" | "pipeline">, Omit<WatchlistSettings, "brake"> {
  readonly schedule: Schedule;
  readonly itemCounts: ItemsByState;
  readonly runCount: number;
  /** The newest completed runs. Empty before the first run is completed. */
  readonly runs: readonly PastRun[];
}

const dayMs = 86_400_000;

/** Forecasts the credits of a watchlist's scheduled runs in the day and the month after `now`. */
export function forecastOf(list: ForecastWatchlist, now: Date): Forecast {
  return { day: inDays(list, now, 1), month: inDays(list, now, forecastMonthDays) };
}

function inDays(list: ForecastWatchlist, now: Date, days: number): Forecast["day"] {
  const runs = countRuns(list.schedule, now, new Date(now.getTime() + days * dayMs));
  const { refresh } = pipelineOf(list);
  const refreshes =
    refresh === null
      ? 0
      : Math.floor((list.runCount + runs) / refresh.everyRuns) -
        Math.floor(list.runCount / refresh.everyRuns);
  const ofSweep = creditsOfRun(list, "sweep");
  const ofRefresh = creditsOfRun(list, "refresh");
  const firstReads = runs === 0 ? 0 : estimatedCredits(pipelineOf(list), list.itemCounts).newAsins;
  const budget = list.dailyCreditBudget === null ? Infinity : list.dailyCreditBudget * days;
  const sum = (name: keyof Credits): number => {
    const ordinary = (runs - refreshes) * ofSweep[name] + refreshes * ofRefresh[name];
    return Math.min(budget, Math.ceil(ordinary) + (name === "best" ? 0 : firstReads));
  };
  return { runs, best: sum("best"), likely: sum("likely"), worst: sum("worst") };
}

/** The credits of one run, at most `maxCreditsPerRun`. */
function creditsOfRun(list: ForecastWatchlist, kind: "sweep" | "refresh"): Credits {
  const pipeline = pipelineOf(list);
  const items = list.itemCounts.new + list.itemCounts.active;
  const start = kind === "refresh" ? (pipeline.refresh?.entry ?? pipeline.entry) : pipeline.entry;
  const max = list.maxCreditsPerRun ?? Infinity;
  const best = Math.min(max, leastCredits(pipeline, { start, items }));
  const worst = Math.min(max, mostCredits(pipeline, { start, items }));
  const estimate = estimatedCredits(pipeline, { ...list.itemCounts, delisted: 0 });
  const average = perItem(list.runs, kind);
  const unread = kind === "refresh" ? estimate.refreshRun : estimate.pulseRun;
  const expected = average === null ? unread : average * items;
  return { best, likely: Math.min(worst, Math.max(best, expected)), worst };
}

/** The average credits of an item in the past runs of a kind; null if there are none. */
function perItem(runs: readonly PastRun[], kind: PastRun["kind"]): number | null {
  const same = runs.filter((run) => run.kind === kind && run.tracked > 0);
  const items = same.reduce((sum, { tracked }) => sum + tracked, 0);
  return items === 0 ? null : same.reduce((sum, { credits }) => sum + credits, 0) / items;
}
