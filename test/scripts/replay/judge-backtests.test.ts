import { expect, it, describe } from "vitest";
import type { OpenWatchlist } from "../../../scripts/replay/due-runs.ts";
import { backtestJudge } from "../../../scripts/replay/judge-backtests.ts";
import type { Service } from "../../../scripts/replay/service.ts";
import type { WatchlistName } from "../../../scripts/replay/watchlists.ts";
import type { TestedRun } from "../../../shared/backtest/backtest.ts";

const lists: ReadonlyMap<WatchlistName, OpenWatchlist> = new Map([
  ["changes", { accountId: "acct_1", watchlistId: "wl_changes" }],
  ["limited", { accountId: "acct_1", watchlistId: "wl_limited" }],
]);

/** Returns a run whose events report these items as changed and as matched. */
const runOf = (runNumber: number, changed: readonly string[], matched: readonly string[] = []) =>
  ({
    run: { runNumber, startedAt: `2026-01-0${runNumber}T00:00:00.000Z` },
    events: [
      {
        type: "watchlist.product.changed",
        body: JSON.stringify({ data: { changes: changed.map((id) => ({ id, run: runNumber })) } }),
      },
      {
        type: "watchlist.product.matched",
        body: JSON.stringify({ data: { products: matched.map((id) => ({ id, branch: "ok" })) } }),
      },
    ],
  }) as unknown as TestedRun;

/**
 * Adds each list in `played` as runs of both watchlists, and then compares them. Each back-test of
 * this comparison returns the list in `repeated` at the same index. Returns the sums of all
 * comparisons, and the calls of `backtest`.
 */
async function judged(played: readonly (readonly TestedRun[])[], repeated: typeof played) {
  const calls: string[] = [];
  let part = 0;
  const service: Pick<Service, "backtest"> = {
    async backtest({ watchlistId }, { pipelineOf, since }, record) {
      calls.push(`${watchlistId} with ${pipelineOf} since ${since.slice(0, 10)}`);
      for (const run of repeated[part] ?? []) await record(run, 1);
    },
  };
  const judge = backtestJudge(service);
  for (const runs of played) {
    for (const [name, list] of lists) for (const run of runs) judge.addRun(name, list, run);
    await judge.compare(lists);
    part += 1;
  }
  return { calls, results: judge.comparisons() };
}

describe("the check that compares the back-tests of a replay with the events of its runs", () => {
  it("back-tests each of two watchlists with its own pipeline and with the pipeline of the other watchlist", async () => {
    const runs = [[runOf(1, ["a"]), runOf(2, ["a", "b"])]];
    const { calls, results } = await judged(runs, runs);

    expect(calls).toEqual([
      "wl_changes with changes since 2026-01-01",
      "wl_changes with limited since 2026-01-01",
      "wl_limited with changes since 2026-01-01",
      "wl_limited with limited since 2026-01-01",
    ]);
    expect(results).toEqual([
      { name: "backtest", equal: 6, missing: 0, unexpected: 0, examples: [] },
      { name: "backtest other", equal: 6, missing: 0, unexpected: 0, examples: [] },
    ]);
  });

  it("reports event entries that only the runs or only the back-tests contain", async () => {
    const { results } = await judged([[runOf(1, ["a", "b"])]], [[runOf(1, ["b", "c"])]]);

    expect(results).toMatchObject([
      { name: "backtest", equal: 2, missing: 2, unexpected: 2 },
      { name: "backtest other", equal: 2, missing: 2, unexpected: 2 },
    ]);
    expect(results[0]?.examples[0]).toMatch(
      /^run 1: watchlist.product.changed of a, .*: 1 stored, 0 in the back-test$/,
    );
  });

  it("reports event entries whose content differs between a run and a back-test", async () => {
    const { results } = await judged([[runOf(1, ["a"])]], [[runOf(2, ["a"])]]);
    expect(results).toMatchObject([
      { equal: 0, missing: 2, unexpected: 2 },
      { equal: 0, missing: 2, unexpected: 2 },
    ]);
  });

  it("skips routes that depend on earlier reads in a back-test that begins after the first run", async () => {
    const { calls, results } = await judged(
      [[runOf(1, ["a"], ["a"])], [runOf(2, ["a"], ["a"])]],
      [[runOf(1, ["a"], ["a"])], [runOf(2, ["a"])]],
    );

    expect(calls[4]).toBe("wl_changes with changes since 2026-01-02");
    // In each sum, the back-tests from the first run on have two entries for each of the two
    // pipelines. The later back-tests compare only the changed item with the pipeline `changes`,
    // because all other routes have a state.
    expect(results).toMatchObject([
      { equal: 5, missing: 0, unexpected: 0 },
      { equal: 5, missing: 0, unexpected: 0 },
    ]);
  });
});
