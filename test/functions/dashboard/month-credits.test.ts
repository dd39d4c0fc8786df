import { describe, expect, it } from "vitest";
import { creditsInMonth } from "../../../functions/dashboard/browser/pages/watchlists/month-credits.ts";
import { parseSchedule } from "../../../shared/watchlists/schedule.ts";
import { presentSchedulePreview } from "../../../shared/watchlists/schedule-preview.ts";

const steps = { baseline: null, entry: "only", steps: [] };
const hundred = {
  pipeline: { ...steps, refresh: null },
  estimated_credits: { pulseRun: 100, refreshRun: 100, newAsins: 100 },
} as const;

const previewOf = (cron: string) =>
  presentSchedulePreview(
    { schedule: parseSchedule({ cron }), after: undefined, count: 5 },
    new Date("2026-11-21T22:00:00Z"),
  ) as { readonly runs_in_30_days: number };

describe("the estimated credits of a watchlist's runs in 30 days", () => {
  it.each([
    // The 30 days from Saturday 22:00 contain four whole Mondays, and a fifth until 22:00.
    ["*/5 * * * MON", (4 * 288 + 265) * 100],
    ["*/5 9-17 * * MON-FRI", 21 * 108 * 100],
    ["*/5 9-17 1 * *", 108 * 100],
    ["*/5 * * * *", 8_640 * 100],
    ["0 0 1 1 *", 0],
  ])("include every run in those days, even runs a few minutes apart: %s", (cron, credits) => {
    expect(creditsInMonth(hundred, previewOf(cron))).toBe(credits);
  });

  it("include the cost of refresh runs in proportion to their share of the runs", () => {
    const estimate = {
      pipeline: { ...steps, refresh: { entry: "only", every_runs: 4 } },
      estimated_credits: { pulseRun: 10, refreshRun: 50, newAsins: 0 },
    };
    expect(creditsInMonth(estimate, { runs_in_30_days: 8 })).toBe(6 * 10 + 2 * 50);
  });

  it("are unknown until both the estimate and the schedule have been loaded", () => {
    expect(creditsInMonth(undefined, { runs_in_30_days: 1 })).toBeUndefined();
    expect(creditsInMonth(hundred, undefined)).toBeUndefined();
  });
});
