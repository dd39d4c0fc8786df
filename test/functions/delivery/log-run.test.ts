import { describe, expect, it } from "vitest";
import { logRunOfEntry } from "../../../functions/delivery/log-run.ts";
import { newWork, within, workKeys } from "../../../shared/observability/work-log.ts";
import { firstEntry } from "../../../shared/exports/export-entries.ts";
import type { OutboxEntry } from "../../../shared/outbox/outbox.ts";
import { recoverEntry, runEntry } from "../../../shared/webhooks/outbox-entries.ts";

const at = "2026-03-01T00:00:00.000Z";
const pendingEntry = (n: number, list = "wl_1"): OutboxEntry =>
  runEntry({ runId: `wlrun_${n}`, watchlistId: list, types: null, happenedAt: at });

/** Returns the IDs in the log lines of a message after its worker has processed these entries. */
const keysAfter = (entries: readonly OutboxEntry[]) =>
  within(newWork({ account_id: "acct_1" }), () => {
    entries.forEach(logRunOfEntry);
    return workKeys();
  });

describe("the log lines of a delivery worker", () => {
  it("name each run and each watchlist of the processed deliveries once", () => {
    expect(
      keysAfter([pendingEntry(1), pendingEntry(2), pendingEntry(1), pendingEntry(3, "wl_2")]),
    ).toEqual({
      account_id: "acct_1",
      run_ids: "wlrun_1 wlrun_2 wlrun_3",
      watchlist_ids: "wl_1 wl_2",
    });
  });

  it("name the run whose events were exported", () => {
    const run = { runId: "wlrun_1", watchlistId: "wl_1", runNumber: null, createdAt: at };
    expect(keysAfter([firstEntry(run)])).toMatchObject({ run_ids: "wlrun_1" });
  });

  it("name at most ten runs, and mark that there are more runs", () => {
    const runs = Array.from({ length: 300 }, (_, n) => pendingEntry(n));
    const named = String(keysAfter(runs)["run_ids"]).split(" ");

    expect(named).toEqual([...runs.slice(0, 10).map((_, n) => `wlrun_${n}`), "…"]);
  });

  it("name no run when the worker processes a recovery of a time range", () => {
    expect(keysAfter([recoverEntry({ since: at, until: at }, new Date(at))])).toEqual({
      account_id: "acct_1",
    });
  });
});
