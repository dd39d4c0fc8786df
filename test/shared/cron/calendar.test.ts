import { expect, it } from "vitest";
import { matchingDays } from "../../../shared/cron/calendar.ts";
import { parseCron } from "../../../shared/cron/parse-cron.ts";

const dayOf = (date: string): number => Date.parse(date) / 86_400_000;
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

it.each([
  ["2026-02-27", "2026-03-01", ["2026-02-27", "2026-02-28", "2026-03-01"]],
  ["2026-03-30", "2026-03-31", ["2026-03-30", "2026-03-31"]],
  ["2026-03-05", "2026-03-04", []],
])("the list of days from the day %s to the day %s is %j", (from, to, days) => {
  const { fields } = parseCron("@daily", "UTC");
  expect([...matchingDays(fields, dayOf(from), dayOf(to))].map(dateOf)).toEqual(days);
});
