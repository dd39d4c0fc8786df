import { describe, expect, it } from "vitest";
import type { Backtest, WatchlistRun } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  backtestSentence,
  chargedCredits,
  comparisonSentence,
  limitSentences,
  unknownSentences,
} from "../../../functions/dashboard/browser/pages/watchlists/backtest-words.ts";
import { newLimits } from "../../../functions/dashboard/browser/pages/watchlists/watchlist-settings.ts";

const testedRun = (run_number: number, day: number, credits: number) => ({
  run_number,
  started_at: `2026-11-${day}T08:00:00.000Z`,
  status: "completed",
  credits,
  steps: [],
  events: {},
});

const backtest = (part: Partial<Backtest> = {}): Backtest => ({
  object: "watchlist_backtest",
  watchlist_id: "wl_1",
  pipeline: { entry: "check", baseline: null, refresh: null, steps: [] },
  since: "2026-11-20T00:00:00.000Z",
  until: "2026-11-28T00:00:00.000Z",
  total: { runs: 3, items: 60, credits: 1_240, events: { a: 10, b: 4 } },
  runs: [testedRun(1, 20, 700), testedRun(2, 20, 500), testedRun(3, 21, 40)],
  samples: [],
  left_out_runs: [],
  unknown_fields: [],
  unknown_reads: [],
  removed_items: 0,
  ...part,
});

/** Returns a past run of 100 items: `changed` of them changed, and one was delisted. */
const pastRun = (run_number: number, changed: number, newItems = 0) =>
  ({
    run_number,
    stats: {
      entry: "check",
      steps: { check: { ok: 99 + newItems, not_found: 1 } },
      new_items: newItems,
      changed,
      delisted: 1,
    },
  }) as unknown as WatchlistRun;

describe("the dashboard's summary of a back-test", () => {
  it("states the number of reported items and the credits of the back-tested runs", () => {
    expect(backtestSentence(backtest())).toBe(
      "These 3 runs would have reported 14 items in events and cost 1,240 credits.",
    );
    const one = backtest({ total: { runs: 1, items: 1, credits: 1, events: { a: 1 } } });
    expect(backtestSentence(one)).toBe(
      "This run would have reported 1 item in events and cost 1 credit.",
    );
  });

  it("compares the credits of the back-test with the credits that the original runs charged", () => {
    const charged = (run_number: number, credits: number) =>
      ({ run_number, credits }) as WatchlistRun;
    const runs = [charged(1, 1_000), charged(2, 900), charged(3, 100), charged(4, 5_000)];
    expect(chargedCredits(backtest(), runs)).toBe(2_000);
    expect(comparisonSentence(1_240, 2_000)).toBe(
      "The past runs charged 2,000 credits: the pipeline above costs 760 credits less (−38%).",
    );
    expect(comparisonSentence(1, 0)).toBe(
      "The past runs charged 0 credits: the pipeline above costs 1 credit more.",
    );
    expect(comparisonSentence(5, 5)).toBe(
      "The past runs charged 5 credits: the pipeline above costs the same.",
    );
  });

  it("counts the days on which the daily budget would have been reached", () => {
    const [budget] = limitSentences(backtest(), [], {
      ...newLimits,
      credits: { ...newLimits.credits, daily_credit_budget: "1000" },
    });
    expect(budget).toBe(
      "The daily budget of 1,000 credits would have been reached on 1 of 2 days.",
    );
    expect(limitSentences(backtest(), [], newLimits)[0]).toBe("No daily budget limits the runs.");
  });

  it("states the number of runs that the brake would have held, without counting new items as changed", () => {
    const runs = [pastRun(1, 49, 900), pastRun(2, 50), pastRun(3, 48), pastRun(4, 99)];
    const limits = { ...newLimits, brake: { max_changed_percent: "50", min_items: "50" } };
    expect(limitSentences(backtest(), runs, limits)[1]).toBe(
      "The brake would have held 1 of 3 runs.",
    );
    const wider = { ...limits, brake: { ...limits.brake, min_items: "101" } };
    expect(limitSentences(backtest(), runs, wider)[1]).toBe(
      "The brake would have held 0 of 3 runs.",
    );
    expect(limitSentences(backtest(), runs, { ...limits, isBraked: false })[1]).toBe(
      "The brake is off.",
    );
  });

  it("names the fields that the history lacks, and the number of runs that the back-test omitted", () => {
    const unknown = backtest({
      unknown_fields: [{ step: "check", field: "lowest30d" }],
      unknown_reads: [{ step: "more", reads: 2 }],
      removed_items: 1,
      left_out_runs: [7],
    });
    expect(unknownSentences(unknown)).toEqual([
      "The history has no lowest30d of step check for some items. Rules that test this field did not match these items.",
      "The past runs did not make 2 reads of step more. The back-test uses the last known values.",
      "1 item was removed from the watchlist after the past runs, and left out.",
      "1 run was left out: it is held, was discarded or has not ended.",
    ]);
    expect(unknownSentences(backtest())).toEqual([]);
  });
});
