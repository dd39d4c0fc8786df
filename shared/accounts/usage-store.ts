/** Billed work of an account on one UTC day: item calls and run steps. */
export interface DailyUsage {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly requests: number;
  /** Answered in full, or in part. */
  readonly successful: number;
  /** Ended in an error after the credits were reserved. */
  readonly failed: number;
  readonly credits: number;
}

export interface UsageStore {
  /** The days that have any work, from one date to another, both included, oldest first. */
  daily(
    accountId: string,
    days: { readonly from: string; readonly to: string },
  ): Promise<readonly DailyUsage[]>;
}
