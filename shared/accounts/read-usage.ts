import type { InferOutput } from "valibot";
import type { usageResponse } from "./usage-schema.ts";
import type { DailyUsage, UsageStore } from "./usage-store.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Returns the usage of an account in the last `days` UTC days, including today. Days without use
 * have zeros. `success_rate` is null if there were no requests.
 */
export async function readUsage(
  query: { readonly accountId: string; readonly days: number; readonly now: Date },
  usage: UsageStore,
): Promise<InferOutput<typeof usageResponse>> {
  const dates = lastDates(query.now, query.days);
  const worked = await usage.daily(query.accountId, {
    from: dates[0] ?? "",
    to: dates.at(-1) ?? "",
  });
  const byDate = new Map(worked.map((day) => [day.date, day]));
  const daily = dates.map((date) => byDate.get(date) ?? dayWithoutWork(date));
  const totals = daily.reduce(add, dayWithoutWork(""));
  return {
    object: "usage",
    days: query.days,
    totals: {
      ...countsOf(totals),
      success_rate: totals.requests === 0 ? null : totals.successful / totals.requests,
    },
    daily,
  };
}

const dayWithoutWork = (date: string): DailyUsage => ({
  date,
  requests: 0,
  successful: 0,
  failed: 0,
  credits: 0,
});

/** Returns the last `days` UTC dates, ascending. A UTC day always has 24 hours. */
const lastDates = (now: Date, days: number): string[] =>
  Array.from({ length: days }, (_, n) =>
    new Date(now.getTime() - (days - 1 - n) * dayMs).toISOString().slice(0, 10),
  );

const add = (sum: DailyUsage, day: DailyUsage): DailyUsage => ({
  date: "",
  requests: sum.requests + day.requests,
  successful: sum.successful + day.successful,
  failed: sum.failed + day.failed,
  credits: sum.credits + day.credits,
});

const countsOf = ({ requests, successful, failed, credits }: DailyUsage) => ({
  requests,
  successful,
  failed,
  credits,
});
