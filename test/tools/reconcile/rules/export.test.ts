import { describe, expect, it } from "vitest";
import { exportOf, firstEntry, nextEntries } from "../../../../shared/exports/export-entries.ts";
import { entriesFor } from "../../../../tools/reconcile/rules/export.ts";

const run = {
  runId: "wlrun_1",
  watchlistId: "wl_1",
  runNumber: 3,
  createdAt: "2026-11-20T10:00:00.000Z",
};
const untried = exportOf(run);

describe("the outbox entries that a stored export must have", () => {
  it("are one entry for the first attempt, until the first attempt fails", () => {
    expect(entriesFor(untried)).toEqual([firstEntry(run)]);
  });

  it("are one entry for the next attempt after a failure", () => {
    const failed = { ...untried, tries: 1, nextAttemptAt: "2026-11-20T10:05:00.000Z" };
    expect(entriesFor(failed)).toEqual(nextEntries(failed));
    expect(entriesFor(failed)).toMatchObject([{ lane: "later", dueAt: failed.nextAttemptAt }]);
  });

  it.each(["done", "failed"] as const)('are none if the export is in the state "%s"', (state) => {
    expect(entriesFor({ ...untried, state })).toEqual([]);
  });
});
