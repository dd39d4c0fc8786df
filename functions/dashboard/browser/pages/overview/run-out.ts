import type { Account, Usage } from "../../api/resources.ts";

/** The number of complete UTC days before today from which the rate of spending is computed. */
const paceDays = 7;

export interface Pace {
  /** Credits per day. */
  readonly credits: number;
  /** The period from which the rate is computed, such as `the last 7 days`. */
  readonly of: string;
}

/**
 * Returns the current rate of spending: the average credits per day of the last seven complete UTC
 * days, not counting days before the account was created. If today's credits already exceed that
 * average, returns today's credits. Returns null if no credits were used.
 * @param daily the usage by day, the oldest first; the last entry is today
 */
export function currentPace(
  daily: Usage["daily"],
  { created_at: createdAt }: Pick<Account, "created_at">,
): Pace | null {
  const firstDay = createdAt.slice(0, "2026-11-21".length);
  const days = daily
    .slice(0, -1)
    .filter(({ date }) => date >= firstDay)
    .slice(-paceDays);
  const sum = days.reduce((total, { credits }) => total + credits, 0);
  const before = days.length === 0 ? 0 : sum / days.length;
  const today = daily.at(-1)?.credits ?? 0;
  if (today > before) return { credits: today, of: "today alone" };
  if (before === 0) return null;
  return { credits: before, of: days.length === 1 ? "yesterday" : `the last ${days.length} days` };
}

/**
 * Returns the number of days until a balance is used up at a rate, rounded down: 0 for a balance of
 * 0, null if the rate is null.
 */
export function daysLeft(balance: number, pace: Pace | null): number | null {
  if (balance === 0) return 0;
  return pace && Math.floor(balance / pace.credits);
}
