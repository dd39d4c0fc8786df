import { type Credits, type Forecast, forecastMonthDays } from "../credits/forecast.ts";
import { boundsOf, estimatedCredits, type ItemsByState } from "../pipelines/estimate.ts";
import { countRuns, type Schedule } from "./schedule.ts";
import type { WatchlistSettings } from "./settings.ts";
import { pipelineOf, type Watchlist } from "./watchlist.ts";

/** A finished run, from which the credits of later runs are forecast. */
export interface PastRun {
  readonly kind: "baseline" | "refresh" | "sweep";
  /** Credits that the run charged. */
  readonly credits: number;
  /** Number of items at the start of the run, without delisted items. */
  readonly tracked: number;
  /** Number of items that each step read, by ID of the step. */
  readonly stepItems: Readonly<Record<string, number>>;
}

/** Number of the newest runs from which a forecast is made. */
export const forecastRuns = 10;

/** Credits that count towards daily budgets on a UTC day, of one watchlist and of its account. */
export interface DailyUse {
  readonly watchlist: number;
  readonly account: number;
}

/** The data of a watchlist from which its credits are forecast. */
export interface ForecastWatchlist
  extends Pick<Watchlist, "platform" | "pipeline">, Omit<WatchlistSettings, "brake"> {
  readonly schedule: Schedule;
  readonly itemCounts: ItemsByState;
  /** Number of runs so far. It decides which of the next runs are refreshes. */
  readonly runCount: number;
  /** The daily budget of the account; null if it has none. */
  readonly accountBudget: number | null;
  /**
   * The credits that count towards the two daily budgets (watchlist and account) on the current UTC
   * day.
   */
  readonly usedToday: DailyUse;
  /** The newest completed runs. Empty before the first run is completed. */
  readonly runs: readonly PastRun[];
}

const dayMs = 86_400_000;

/**
 * Forecasts the number of a watchlist's scheduled runs and their credits (best, likely and worst
 * case), in the 24 hours and in the 30 days after `now`.
 */
export function forecastOf(watchlist: ForecastWatchlist, now: Date): Forecast {
  return { day: inDays(watchlist, now, 1), month: inDays(watchlist, now, forecastMonthDays) };
}

/** Forecasts the runs in the next `days` days of 24 hours. */
function inDays(watchlist: ForecastWatchlist, now: Date, days: number): Forecast["day"] {
  const runs = countRuns(watchlist.schedule, now, new Date(now.getTime() + days * dayMs));
  const { new: unread, active } = watchlist.itemCounts;
  const first = creditsOfRun(watchlist, "sweep", { unread, active });
  const items = first.readsNew ? { unread: 0, active: active + unread } : { unread, active };
  const refresh = creditsOfRun(watchlist, "refresh", items);
  const { sweeps, refreshes } = runsByKind(watchlist, { runs, isRefreshFree: refresh.worst === 0 });
  // The first sweep reads the new items for the first time. Later runs read these items like all
  // others.
  const firsts = unread > 0 ? Math.min(1, sweeps) : 0;
  const parts = [
    { runs: firsts, credits: first },
    { runs: refreshes, credits: refresh },
    { runs: sweeps - firsts, credits: creditsOfRun(watchlist, "sweep", items) },
  ];
  const budget = { perDay: dailyLimit(watchlist), leftToday: leftToday(watchlist), days };
  const worst = worstInBudget(budget, parts);
  const sum = (name: "best" | "likely"): number => Math.min(worst, inBudget(budget, parts, name));
  return { runs, best: sum("best"), likely: sum("likely"), worst };
}

/**
 * Counts the next `runs` runs by kind. If `isRefreshFree` is true, a limit does not cover the first
 * step of a refresh. The first refresh then charges nothing, and so does each later run, which
 * tries the refresh again. The counts leave all of these runs out.
 */
function runsByKind(
  watchlist: ForecastWatchlist,
  { runs, isRefreshFree }: { readonly runs: number; readonly isRefreshFree: boolean },
): { readonly sweeps: number; readonly refreshes: number } {
  const { refresh } = pipelineOf(watchlist);
  if (refresh === null) return { sweeps: runs, refreshes: 0 };
  const { everyRuns } = refresh;
  const before = Math.floor(watchlist.runCount / everyRuns);
  const refreshes = Math.floor((watchlist.runCount + runs) / everyRuns) - before;
  if (!isRefreshFree) return { sweeps: runs - refreshes, refreshes };
  const untilRefresh = everyRuns - 1 - (watchlist.runCount % everyRuns);
  return { sweeps: Math.min(runs, untilRefresh), refreshes: 0 };
}

/** Returns the maximum credits of the runs of a UTC day. */
const dailyLimit = ({ dailyCreditBudget, accountBudget }: ForecastWatchlist): number =>
  Math.min(dailyCreditBudget ?? Infinity, accountBudget ?? Infinity);

/** Returns the maximum credits of the runs in the rest of the current UTC day. */
function leftToday({ dailyCreditBudget, accountBudget, usedToday }: ForecastWatchlist): number {
  const own = (dailyCreditBudget ?? Infinity) - usedToday.watchlist;
  const account = (accountBudget ?? Infinity) - usedToday.account;
  return Math.max(0, Math.min(own, account));
}

/** Runs that cost the same. */
interface SimilarRuns {
  /** Number of the runs. */
  readonly runs: number;
  /** Credits of one run. */
  readonly credits: RunCredits;
}

/** The credits that the runs of a period may charge. They are infinite without a daily budget. */
interface PeriodBudget {
  readonly perDay: number;
  /** Credits that the current UTC day still has. */
  readonly leftToday: number;
  /** Length of the period, in days of 24 hours. */
  readonly days: number;
}

/**
 * Sums the highest credits of runs. A period of `days` days overlaps with `days` + 1 UTC days. Runs
 * can use the rest of today's budget, and the whole budget of each later day.
 */
function worstInBudget(
  { perDay, leftToday: today, days }: PeriodBudget,
  parts: readonly SimilarRuns[],
): number {
  const costly = parts.filter(({ runs, credits }) => runs > 0 && credits.worst > 0);
  const total = costly.reduce((sum, { runs, credits }) => sum + runs * credits.worst, 0);
  const [price = 1, ...otherPrices] = new Set(costly.map(({ credits }) => credits.worst));
  const isWhole = otherPrices.length === 0 && costly.every(({ credits }) => credits.isWhole);
  const unit = isWhole ? price : 1;
  const fitting = (budget: number): number => Math.floor(budget / unit) * unit;
  return Math.min(total, fitting(today) + days * fitting(perDay));
}

/**
 * Sums the credits of runs, counting at most the budget of each day. A run with a fixed cost is
 * read completely or not at all, so a part of the budget can stay unused. Other runs can use the
 * whole budget.
 */
function inBudget(
  budget: PeriodBudget,
  parts: readonly SimilarRuns[],
  name: "best" | "likely",
): number {
  let left = budget.perDay;
  let sum = 0;
  for (const { runs, credits } of withoutRepeats(parts)) {
    const each = credits[name];
    if (runs <= 0 || each === 0) continue;
    const isWhole = name === "best" || credits.best === credits.worst;
    const perDay = isWhole ? Math.floor(left / each) : left / each;
    const fitting = Math.min(runs, perDay * budget.days);
    sum += fitting * each;
    left -= (fitting * each) / budget.days;
  }
  return Math.ceil(sum);
}

/** Joins parts with equal costs per run, so that their runs use the daily budget as one part. */
function withoutRepeats(parts: readonly SimilarRuns[]): readonly SimilarRuns[] {
  const joined: SimilarRuns[] = [];
  for (const part of parts) {
    const isSame = ({ credits: { best, likely, worst } }: SimilarRuns): boolean =>
      best === part.credits.best && likely === part.credits.likely && worst === part.credits.worst;
    const same = joined.findIndex(isSame);
    const earlier = joined[same];
    if (earlier === undefined) joined.push(part);
    else joined[same] = { ...earlier, runs: earlier.runs + part.runs };
  }
  return joined;
}

/** The numbers of items that a run reads. */
interface ReadItems {
  /** Number of items that no run has read. */
  readonly unread: number;
  readonly active: number;
}

interface RunCredits extends Credits {
  /** False if the limits do not cover the read of new items. */
  readonly readsNew: boolean;
  /** True if a run that has fewer credits than `worst` available reads nothing. */
  readonly isWhole: boolean;
}

/** Calculates the credits of one run that has the whole budget of a day available. */
function creditsOfRun(
  watchlist: ForecastWatchlist,
  kind: "sweep" | "refresh",
  { unread, active }: ReadItems,
): RunCredits {
  const pipeline = pipelineOf(watchlist);
  const entry = kind === "refresh" ? (pipeline.refresh?.entry ?? pipeline.entry) : pipeline.entry;
  const baseline = pipeline.baseline ?? pipeline.entry;
  const limit = Math.min(watchlist.maxCreditsPerRun ?? Infinity, dailyLimit(watchlist));
  const ofActiveOnly = boundsOf(pipeline, { starts: new Map([[entry, active]]), limit });
  const starts = new Map([[entry, active]]);
  starts.set(baseline, (starts.get(baseline) ?? 0) + unread);
  const { best, worst } = boundsOf(pipeline, { starts, limit });
  const readsNew = best > ofActiveOnly.best;
  const ofNew = estimatedCredits(pipeline, { new: unread, active: 0, delisted: 0 }).newAsins;
  const unchanged = estimatedCredits(pipeline, { new: 0, active, delisted: 0 });
  const average = perItem(watchlist.runs, kind);
  const ofActive =
    average === null ? unchanged[kind === "refresh" ? "refreshRun" : "pulseRun"] : average * active;
  const expected = ofActive + (readsNew ? ofNew : 0);
  const likely = Math.min(worst, Math.max(best, expected));
  const isWhole = boundsOf(pipeline, { starts, limit: worst - 1 }).worst === 0;
  return { best, likely, worst, readsNew, isWhole };
}

/** Returns the average credits of an item in the past runs of a kind; null if there are none. */
function perItem(runs: readonly PastRun[], kind: PastRun["kind"]): number | null {
  const same = runs.filter((run) => run.kind === kind && run.tracked > 0);
  const items = same.reduce((sum, { tracked }) => sum + tracked, 0);
  return items === 0 ? null : same.reduce((sum, { credits }) => sum + credits, 0) / items;
}
