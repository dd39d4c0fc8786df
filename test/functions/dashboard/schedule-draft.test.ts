import { describe, expect, it } from "vitest";
import type { Watchlist } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  intervalMessage,
  intervalStart,
  newSchedule,
  scheduleDraftOf,
} from "../../../functions/dashboard/browser/pages/watchlists/schedule-draft.ts";

const list = {
  status: "active",
  schedule: { type: "every", every: "15m", every_seconds: 900 },
  every_seconds: 900,
  last_run_at: "2026-03-01T10:00:07.000Z",
  next_run_at: "2026-03-01T10:15:00.000Z",
} as Watchlist;

describe("the start time from which the dashboard calculates an interval's next runs", () => {
  it("is one interval before the next run of the watchlist", () => {
    expect(intervalStart(scheduleDraftOf(list), list)).toBe("2026-03-01T10:00:00.000Z");
  });

  it("is the time of the last run if the user changes the interval", () => {
    const draft = { ...scheduleDraftOf(list), amount: "30" };
    expect(intervalStart(draft, list)).toBe("2026-03-01T10:00:07.000Z");
  });

  it("is the current time for a paused watchlist, and for a cron expression", () => {
    const paused = { ...list, status: "paused", next_run_at: null } as Watchlist;
    expect(intervalStart(scheduleDraftOf(paused), paused)).toBeNull();
    expect(intervalStart({ ...newSchedule(), type: "cron" }, list)).toBeNull();
  });
});

describe("the error about an interval in the dashboard", () => {
  const every = (amount: string) => ({ ...newSchedule(), amount });

  it("quotes the number that the user typed, without the chosen unit", () => {
    const message = "'every' must be a whole number with m, h or d, such as 15m (got \"abch\").";
    expect(intervalMessage(every("abc"), message)).toBe(
      'The interval must be a whole number, such as 15 (got "abc").',
    );
    expect(intervalMessage(every(" "), message)).toBe(
      "The interval is empty. Enter a whole number, such as 15.",
    );
  });

  it("is the unchanged error of the service if the user typed a whole number", () => {
    const message = "'every' must be from 5m to 7d (got \"1m\").";
    expect(intervalMessage(every("1"), message)).toBe(
      'The interval must be from 5m to 7d (got "1m").',
    );
  });
});
