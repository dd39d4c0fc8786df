/** Charged work of an account on one UTC day: item calls and run steps. */
export interface DailyUsage {
  /** Day as `YYYY-MM-DD`. */
  readonly date: string;
  readonly requests: number;
  /** Number of requests that returned all or some of their items. */
  readonly successful: number;
  /** Number of requests that failed after credits were reserved. */
  readonly failed: number;
  readonly credits: number;
}

/** Reads the daily usage of accounts. */
export interface UsageStore {
  /** Lists the days from `from` to `to` (inclusive, `YYYY-MM-DD`) that have usage, oldest first. */
  daily(
    accountId: string,
    days: { readonly from: string; readonly to: string },
  ): Promise<readonly DailyUsage[]>;
}
