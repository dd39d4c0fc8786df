import assert from "node:assert/strict";
import type { Records, RunRecords } from "../scenarios/runs-records.ts";
import type { World } from "../world.ts";

/**
 * Checks which runs are refreshes (invariant R15). Every Nth run must be a refresh. A refresh may
 * read nothing, for example because a credit limit defers its first step. The following runs must
 * then be refreshes too, until a refresh reads its items. A baseline run is never a refresh.
 * @param reached counts each rare state that a run reached
 * @throws Error if a check fails
 */
export function checkRefreshes(records: Records, reached: World["reached"]): void {
  let isDue = false;
  for (const record of records) {
    const { run } = record;
    const { refresh } = run.pipeline;
    const isInTurn = refresh !== null && run.runNumber % refresh.everyRuns === 0;
    const isExpected: boolean = refresh !== null && (isInTurn || isDue);
    if (run.kind !== "baseline") {
      const name = `run ${run.runNumber} of ${run.watchlistId}`;
      assert.equal(run.kind, isExpected ? "refresh" : "sweep", `${name}: kind`);
    }
    if (run.kind === "refresh" && !isInTurn) reached("a missed refresh was repeated");
    isDue = isDueAfter(record, isDue);
  }
}

/**
 * Returns true if the run after this run must be a refresh, because a refresh was due and no
 * refresh has read the items of the watchlist since then.
 */
function isDueAfter({ run, steps }: RunRecords, isDue: boolean): boolean {
  const isRefresh = run.kind === "refresh";
  const entry = steps.find(({ step: { step } }) => step === run.stats.entry)?.step;
  const isDeferred = entry?.shortfall?.limit !== undefined && entry.done.size === 0;
  if (isRefresh && isDeferred) return true;
  if (run.status === "completed") return false;
  return isRefresh ? (entry?.stats ?? null) === null : isDue;
}
