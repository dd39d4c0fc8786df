import { describe, expect, it } from "vitest";
import { completeReads, lastReadAt } from "../../../shared/runs/last-read.ts";
import type { Run } from "../../../shared/runs/run.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";

const at = (hour: number): string => `2026-03-01T${String(hour).padStart(2, "0")}:00:00.000Z`;
/** The times at which the newest complete runs ended, newest first. */
const reads = [at(9), at(8), at(7)];
const item: Item = {
  ...newItem("9000001", at(0)),
  state: "active",
  firstReadAt: at(1),
  lastReadStatus: "ok",
  snapshotAt: at(3),
};

describe("lastReadAt, which finds the last successful read of an item,", () => {
  it.each<[string, Partial<Item>, string | null]>([
    ["returns the time of the newest run for an item whose values did not change", {}, at(9)],
    [
      "returns the time of the last run before the failures of an item",
      { consecutiveFailures: 2 },
      at(7),
    ],
    [
      "returns the time of the snapshot if the item failed in every listed run",
      { consecutiveFailures: 3 },
      at(3),
    ],
    [
      "returns the time of the snapshot if a run in progress has just read the item",
      { snapshotAt: at(10) },
      at(10),
    ],
    [
      "returns the time of the snapshot if the newest run deferred the item",
      { owes: [{ step: "check" }] },
      at(3),
    ],
    [
      "returns the time of the delisting of a delisted item",
      { state: "delisted", delistedAt: at(5) },
      at(5),
    ],
    ["returns null for an item that was never read", { state: "new", snapshotAt: null }, null],
    [
      "returns the time of the earlier snapshot for an item that was added again",
      { state: "new" },
      at(3),
    ],
  ])("follows the rule that it %s", (_, change, expected) => {
    expect(lastReadAt({ ...item, ...change }, reads)).toBe(expected);
  });
});

describe("completeReads, which lists the runs that read every item of a watchlist,", () => {
  const run = (change: Partial<Run>): Run =>
    ({ status: "completed", error: null, ...change }) as Run;
  const hold = { changedItems: 9, readItems: 9, decidedAt: null, reason: null };

  it("omits runs that failed, were skipped, read only some items, are held or were discarded", async () => {
    const runs = [
      run({ finishedAt: null, status: "running" }),
      run({ finishedAt: at(9) }),
      run({ finishedAt: at(8), status: "failed" }),
      run({ finishedAt: at(7), status: "insufficient_credits" }),
      run({ finishedAt: at(6), error: "The balance did not cover step lite." }),
      run({ finishedAt: at(5), hold: { ...hold, status: "held" } }),
      run({ finishedAt: at(4), hold: { ...hold, status: "discarded" } }),
      run({ finishedAt: at(3), hold: { ...hold, status: "released" } }),
    ];
    const store = { list: () => Promise.resolve({ runs, hasMore: false }) };
    expect(await completeReads("wl_1", store)).toEqual([at(9), at(3)]);
  });
});
