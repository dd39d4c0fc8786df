import type { WatchlistEstimate } from "../../api/resources.ts";

/** What a balance covers. */
export interface Coverage {
  /** Complete runs of this watchlist, if it alone uses the balance. Null if runs cost nothing. */
  readonly runs: number | null;
  /** Hours until the end of these runs. Null if the runs cost nothing. */
  readonly hours: number | null;
  /**
   * Hours until all watchlists together, with this one, have used up the balance. Null if not within
   * ten years.
   */
  readonly allHours: number | null;
}

const monthHours = 720;
const hourMs = 3_600_000;

/**
 * Returns what a balance covers, from the likely credits of a forecast. Returns undefined while
 * estimate, forecast or balance is not loaded, or if the schedule has no run within 30 days.
 */
export function coverageOf(
  estimate:
    | Pick<WatchlistEstimate, "estimated_credits" | "forecast" | "account_forecast">
    | undefined,
  balance: number | undefined,
  now: Date,
): Coverage | undefined {
  if (estimate === undefined || balance === undefined) return undefined;
  const { forecast, account_forecast: all, estimated_credits: credits } = estimate;
  if (forecast === null || all === null || forecast.month.runs === 0) return undefined;
  const out = all.balance_runs_out_at.likely;
  return {
    ...ofOneList({ firstReads: credits.newAsins, month: forecast.month }, balance),
    allHours: out === null ? null : Math.max(0, Date.parse(out) - now.getTime()) / hourMs,
  };
}

interface OneList {
  /** Credits of the first reads of new items. A part of the month's credits. */
  readonly firstReads: number;
  readonly month: NonNullable<WatchlistEstimate["forecast"]>["month"];
}

function ofOneList({ firstReads, month }: OneList, balance: number): Omit<Coverage, "allHours"> {
  const hoursOfRun = monthHours / month.runs;
  const creditsOfRun = Math.max(0, month.likely - firstReads) / month.runs;
  if (balance < Math.max(firstReads, creditsOfRun)) return { runs: 0, hours: 0 };
  if (creditsOfRun === 0) return { runs: null, hours: null };
  const runs = Math.floor((balance - firstReads) / creditsOfRun) + (firstReads > 0 ? 1 : 0);
  return { runs, hours: runs * hoursOfRun };
}
