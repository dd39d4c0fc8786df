import type { Account, WatchlistEstimate } from "../../api/resources.ts";
import { type RunOut, runOutOf, type Use } from "../overview/run-out.ts";

/** What a balance covers. */
export interface Coverage {
  /** Complete runs of this watchlist, if it alone uses the balance. Null if runs cost nothing. */
  readonly runs: number | null;
  /** Hours until the end of these runs. Null if the runs cost nothing. */
  readonly hours: number | null;
  /**
   * When the account has used up the balance, with this watchlist and everything else. Null if not
   * within ten years.
   */
  readonly all: RunOut | null;
}

/** The account and what it used. */
export interface SpendingAccount {
  readonly account: Pick<Account, "created_at" | "credit_balance">;
  readonly use: Use;
}

const monthHours = 720;

/**
 * Returns what a balance covers, from the likely credits of a forecast. Returns undefined while
 * estimate, forecast or account is not loaded, or if the schedule has no run within 30 days.
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
  /** Credits of the first reads of new items. A part of the month's credits. */
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
