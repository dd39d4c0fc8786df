import type { Usage } from "../../api/resources.ts";

/** Days that make the present pace: the newest complete ones, as today is not over. */
const paceDays = 7;

/** Credits a day over the last seven complete UTC days, or as many of them as were asked for. */
export function presentPace(daily: Usage["daily"]): number {
  const days = daily.slice(0, -1).slice(-paceDays);
  if (days.length === 0) return 0;
  return days.reduce((sum, { credits }) => sum + credits, 0) / days.length;
}

/**
 * Days until a balance is used up at the present pace; today counts where it is above that already,
 * so that a first busy day is told on that day. Null when nothing is used.
 */
export function daysLeft(balance: number, daily: Usage["daily"]): number | null {
  const today = daily.at(-1)?.credits ?? 0;
  const pace = Math.max(presentPace(daily), today);
  return pace === 0 ? null : Math.floor(balance / pace);
}
