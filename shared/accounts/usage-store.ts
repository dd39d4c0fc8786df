/** Billed work of an account on one UTC day: item calls and run steps. */
export interface DailyUsage {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly requests: number;
  /** Answered completely or in part. */
  readonly successful: number;
  /** Failed after credits were reserved. */
  readonly failed: number;
  readonly credits: number;
}

export interface UsageStore {
  /** The days with any work from `from` to `to` (inclusive), oldest first. */
  daily(
    accountId: string,
    days: { readonly from: string; readonly to: string },
  ): Promise<readonly DailyUsage[]>;
}
