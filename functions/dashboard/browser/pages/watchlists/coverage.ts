import type { Account, WatchlistEstimate } from "../../api/resources.ts";
import { type RunOut, runOutOf, type Use } from "../overview/run-out.ts";

/** The runs and the time that a balance covers. */
export interface Coverage {
  /**
   * The number of complete runs of this watchlist that the balance covers if nothing else uses the
   * balance. Null if runs cost nothing.
   */
  readonly runs: number | null;
  /** Hours until the balance no longer covers a run. Null if runs cost nothing. */
  readonly hours: number | null;
  /**
   * When the runs of this watchlist and all other use of the account have used up the balance. Null
   * if that takes more than ten years.
   */
  readonly all: RunOut | null;
}

/** An account with its recent usage. */
export interface SpendingAccount {
  readonly account: Pick<Account, "created_at" | "credit_balance">;
  readonly use: Use;
}

const monthHours = 720;

/**
 * Returns how many runs and how many hours a balance covers, computed from the likely credits of
 * the forecasts. Returns undefined while the estimate, a forecast or the account is not loaded, or
 * if the schedule has no run within 30 days.
 */
export function coverageOf(
  estimate:
    | Pick<WatchlistEstimate, "estimated_credits" | "forecast" | "account_forecast">
    | undefined,
  spending: SpendingAccount | undefined,
  now: Date,
): Coverage | undefined {
  if (estimate === undefined || spending === undefined) return undefined;
  const { forecast, account_forecast: all, estimated_credits: credits } = estimate;
  if (forecast === null || all === null || forecast.month.runs === 0) return undefined;
  const { account, use } = spending;
  return {
    ...ofOneList({ firstReads: credits.newAsins, month: forecast.month }, account.credit_balance),
    all: runOutOf({ ...account, forecast: all }, use, now),
  };
}

interface OneList {
  /** Credits of the first reads of new items. The credits of `month` include these credits. */
  readonly firstReads: number;
  readonly month: NonNullable<WatchlistEstimate["forecast"]>["month"];
}

function ofOneList({ firstReads, month }: OneList, balance: number): Omit<Coverage, "all"> {
  const hoursOfRun = monthHours / month.runs;
  const creditsOfRun = Math.max(0, month.likely - firstReads) / month.runs;
  if (balance < Math.max(firstReads, creditsOfRun)) return { runs: 0, hours: 0 };
  if (creditsOfRun === 0) return { runs: null, hours: null };
  const runs = Math.floor((balance - firstReads) / creditsOfRun) + (firstReads > 0 ? 1 : 0);
  return { runs, hours: runs * hoursOfRun };
}
