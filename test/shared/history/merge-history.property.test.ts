import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeHistory } from "../../../shared/history/merge-history.ts";
import { lastRunOf } from "../../../shared/history/window.ts";
import { memoryHistoryStore } from "../../fakes/memory-history-store.ts";

const list = { accountId: "acct_1", watchlistId: "wl_1" };
const windows = 3;
const runs = Array.from({ length: lastRunOf(windows) }, (_, n) => n + 1);
const anyRun = fc.nat({ max: runs.length - 1 });
const anyDelay = fc.nat({ max: runs.length });

/**
 * A few runs whose processes died. Their history is recorded after later runs, and then merged.
 */
const anyLateRuns = fc.array(
  fc.record({ run: anyRun, recordedAfter: anyDelay, mergedAfter: anyDelay }),
  { maxLength: 4 },
);

describe("mergeHistory, which merges the history of a watchlist's runs,", () => {
  it("merges every complete window of runs, in whatever order the runs are recorded and merged", async () => {
    await fc.assert(
      fc.asyncProperty(anyLateRuns, async (lateRuns) => {
        const late = new Map(lateRuns.map(({ run, ...delays }) => [run, delays]));
        const actions = runs.flatMap((runNumber, n) => {
          const { recordedAfter = 0, mergedAfter = 0 } = late.get(n) ?? {};
          const at = n + recordedAfter;
          return [
            { runNumber, at, isRecord: true },
            { runNumber, at: at + mergedAfter, isRecord: false },
          ];
        });
        const history = memoryHistoryStore();
        const inProgress = new Set(runs);
        for (const { runNumber, isRecord } of actions.toSorted((a, b) => a.at - b.at)) {
          if (isRecord) {
            await history.append(list, { runNumber, endedAt: "2026-03-01", points: [] });
            continue;
          }
          await mergeHistory({ ...list, runNumber }, () => false, {
            history,
            runsInProgress: async ({ first, last }) =>
              new Set([...inProgress].filter((run) => run >= first && run <= last)),
          });
          inProgress.delete(runNumber);
        }

        expect(await history.mergedWindows(list.watchlistId)).toBe(windows);
      }),
      { numRuns: 200 },
    );
  });
});
