import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { mergeHistory } from "../../../shared/history/merge-history.ts";
import { lastRunOf, runsOf } from "../../../shared/history/window.ts";
import { memoryHistoryStore, type MemoryHistoryStore } from "../../fakes/memory-history-store.ts";

const list = { accountId: "acct_1", watchlistId: "wl_1" };
const at = "2026-03-01T00:00:00.000Z";

let history: MemoryHistoryStore;
let inProgress: Set<number>;
beforeEach(() => {
  history = memoryHistoryStore();
  inProgress = new Set();
});

const record = (runNumber: number): Promise<unknown> =>
  history.append(list, { runNumber, endedAt: at, points: [] });
/**
 * Merges the history after the end of a run. `isOver` is true if the time slice has ended. Returns
 * false if the merge is not complete.
 */
const mergeAfter = (runNumber: number, isOver = false): Promise<boolean> =>
  mergeHistory({ ...list, runNumber }, () => isOver, {
    history,
    runsInProgress: async ({ first, last }) =>
      new Set([...inProgress].filter((run) => run >= first && run <= last)),
  });
const merged = (): Promise<number> => history.mergedWindows(list.watchlistId);

describe("mergeHistory, which merges the history of a watchlist's runs,", () => {
  it("merges the history points of a window only after the last run of the window", async () => {
    for (const run of runsOf(1).slice(0, -1)) {
      await record(run);
      expect(await mergeAfter(run)).toBe(true);
    }
    expect(await merged()).toBe(0);

    await record(lastRunOf(1));
    expect(await mergeAfter(lastRunOf(1))).toBe(true);
    expect(await merged()).toBe(1);
  });

  it("waits for a run in progress before it merges the window that contains the run", async () => {
    for (const run of runsOf(1)) if (run !== 7) await record(run);
    inProgress.add(7);
    expect(await mergeAfter(lastRunOf(1))).toBe(true);
    expect(await merged()).toBe(0);

    await record(7);
    expect(await mergeAfter(7)).toBe(true);
    expect(await merged()).toBe(1);
  });

  it("merges a window even if some of its runs ended without a history", async () => {
    for (const run of [lastRunOf(1), ...runsOf(2)]) await record(run);

    expect(await mergeAfter(lastRunOf(2))).toBe(true);
    expect(await merged()).toBe(2);
  });

  it("includes a run whose history is recorded while the merge reads which runs are in progress", async () => {
    for (const run of runsOf(1)) if (run !== 7) await record(run);
    const outcome = await mergeHistory({ ...list, runNumber: lastRunOf(1) }, () => false, {
      history: {
        ...history,
        merge: async (owner, request) => {
          if (request.absent.has(7)) {
            expect(await history.isRecorded(list.watchlistId, 7)).toBe(true);
          }
          return history.merge(owner, request);
        },
      },
      async runsInProgress() {
        await record(7);
        return new Set();
      },
    });

    expect(outcome).toBe(true);
    expect(await merged()).toBe(1);
  });

  it("merges the earlier windows that were not merged, together with the window of the run", async () => {
    for (const window of [1, 2, 3]) for (const run of runsOf(window)) await record(run);

    expect(await mergeAfter(lastRunOf(2) + 1)).toBe(true);
    expect(await merged()).toBe(3);
  });

  it("merges the later windows that were waiting for the run, together with the window of the run", async () => {
    const late = 7;
    for (const run of [...runsOf(1), ...runsOf(2)]) if (run !== late) await record(run);
    inProgress.add(late);
    for (const run of runsOf(2)) expect(await mergeAfter(run)).toBe(true);
    expect(await merged()).toBe(0);

    await record(late);
    expect(await mergeAfter(late)).toBe(true);
    expect(await merged()).toBe(2);
  });

  it("merges the next window if the finish of a run is repeated and the window of the run is already merged", async () => {
    for (const run of [...runsOf(1), ...runsOf(2)]) await record(run);
    await history.merge(list, { window: 1, absent: new Set(), isOver: () => false });

    expect(await mergeAfter(7)).toBe(true);
    expect(await merged()).toBe(2);
  });

  it("writes nothing if the window of the run was merged before", async () => {
    for (const run of runsOf(1)) await record(run);
    await mergeAfter(lastRunOf(1));

    expect(await mergeAfter(3)).toBe(true);
    expect(await merged()).toBe(1);
  });

  it("returns false if the time for the merge is over before the window is merged", async () => {
    for (const run of runsOf(1)) await record(run);

    expect(await mergeAfter(lastRunOf(1), true)).toBe(false);
    expect(await merged()).toBe(0);
    expect(await mergeAfter(1, true)).toBe(false);
  });

  it("returns true if the watchlist was deleted", async () => {
    for (const run of runsOf(1)) await record(run);
    history.remove(list.watchlistId);

    expect(await mergeAfter(lastRunOf(1))).toBe(true);
  });
});

describe("the windows of the item history", () => {
  it("have the same number of runs, and each run belongs to exactly one window", () => {
    expect(runsOf(1)).toHaveLength(limits.historyWindowRuns);
    expect([...runsOf(1), ...runsOf(2)]).toEqual(
      Array.from({ length: lastRunOf(2) }, (_, n) => n + 1),
    );
  });
});
