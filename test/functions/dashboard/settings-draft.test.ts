import { describe, expect, it } from "vitest";
import type { Watchlist } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  afterSaving,
  changesOf,
  settingsOf,
} from "../../../functions/dashboard/browser/pages/watchlists/settings-draft.ts";
import { watchlist } from "../../../tools/documents/examples/watchlists.ts";
import { presentScrapers } from "../../../shared/pipelines/present-scrapers.ts";

const known = presentScrapers({ platform: "retailer_d", marketplace: "us" });
const aList = (change: Partial<Watchlist> = {}): Watchlist =>
  ({ ...watchlist, ...change }) as Watchlist;
const opened = settingsOf(aList({ name: "Pots" }), known);
const hours = { ...opened.schedule, type: "every", amount: "2", unit: "h" } as const;

describe("the changed settings that the dashboard sends for a watchlist", () => {
  it("are empty before the user changes a setting, and if the user only adds spaces", () => {
    expect(changesOf(opened, opened, known)).toEqual({});
    expect(changesOf({ ...opened, name: " Pots " }, opened, known)).toEqual({});
  });

  it("contain only the settings that the user changed in the form", () => {
    expect(changesOf({ ...opened, schedule: hours }, opened, known)).toEqual({ every: "2h" });
    expect(changesOf({ ...opened, name: "Pans " }, opened, known)).toEqual({ name: "Pans" });
    expect(changesOf({ ...opened, endpoint: "https://x.test/" }, opened, known)).toEqual({
      webhook_url: "https://x.test/",
    });
    const credits = { ...opened.limits.credits, daily_credit_budget: "70" };
    const limits = { ...opened.limits, credits };
    expect(changesOf({ ...opened, limits }, opened, known)).toEqual({ daily_credit_budget: 70 });
  });

  it("are empty after they are saved, even if another client has renamed the watchlist", () => {
    const sent = { ...opened, schedule: hours };
    const answer = aList({
      name: "Renamed elsewhere",
      schedule: { type: "every", every: "2h", every_seconds: 7_200 },
    });
    const saved = settingsOf(answer, known);
    const after = afterSaving(sent, { sent, saved });
    expect([after.name, changesOf(after, saved, known)]).toEqual(["Renamed elsewhere", {}]);
  });

  it("still contain the text that the user typed while the previous changes were being saved", () => {
    const sent = { ...opened, name: "  Spaced  " };
    const saved = settingsOf(aList({ name: "Spaced" }), known);
    expect(afterSaving(sent, { sent, saved }).name).toBe("Spaced");
    const after = afterSaving({ ...sent, schedule: hours }, { sent, saved });
    expect(changesOf(after, saved, known)).toEqual({ every: "2h" });
  });
});
