import assert from "node:assert/strict";
import type { Run } from "../../../shared/runs/run.ts";
import { shortfallsIn } from "../../support/shortfalls.ts";
import type { Records, RunRecords } from "../scenarios/runs-records.ts";
import type { World } from "../world.ts";
import type { LedgerState } from "./ledger-state.ts";
import type { History } from "./ledger-watch.ts";
import { type FaultKind, faultFamilies } from "../faults.ts";
import { skewMs } from "./run-events.ts";

/**
 * The highest price of an item by scraper, in quarters of a credit (specification, section
 * "Pipeline").
 */
const mostQuarters: Readonly<Record<string, number>> = {
  "retailer_a.pulse": 1,
  "retailer_a.lite": 4,
  "retailer_a.full": 20,
  "retailer_a.offers": 12,
  "retailer_a.offer_check": 2,
  "retailer_d.standard": 4,
};

/**
 * Checks the error of a run (invariant R14). The error must list each step that the credits did not
 * cover, with the needed credits and a balance. The account must have had this balance, and the
 * balance must have been too low. If the error names the daily budget of the account, this budget
 * must have left too few credits at some instant during the run (invariant C8). If all steps were
 * covered, there must be no error.
 * @param reached counts each rare state that a run reached
 * @throws Error if a check fails
 */
export function checkShortfalls(
  { entries, history }: Pick<LedgerState, "entries"> & { readonly history: History },
  records: Records,
  { faults, reached }: Pick<World, "faults" | "reached">,
): void {
  const marginMs = faults.fired.some(({ kind }) => clockErrors.has(kind)) ? skewMs : 0;
  let sum = 0;
  // The accounts of this scenario have one shard, whose balance is the account's.
  const balances = new Set(entries.map(({ moves }) => (sum += moves)));
  for (const record of records) {
    const { run } = record;
    const name = `run ${run.runNumber} of ${run.watchlistId}: error ${JSON.stringify(run.error)}`;
    if (run.status === "failed") {
      assert.notEqual(run.error, null, `${name}: a failed run has no error`);
      continue;
    }
    const reported = shortfallsIn(run.error) ?? [];
    assert.equal(reported.length === 0, run.error === null, name);
    assert.deepEqual(
      reported.map(({ step, needed, items }) => ({ step, needed, items })),
      lacking(record),
      name,
    );
    for (const { needed, balance, limit } of reported) {
      assert(balance < needed, `${name}: the balance covered the step`);
      if (limit === undefined)
        assert(balances.has(balance), `${name}: the account never had this balance`);
      if (limit !== "account daily_credit_budget") continue;
      const least = leastBudgetLeft(run, history, marginMs);
      assert(least < needed, `${name}: the budget left at least ${least} credits`);
      reached("a step was deferred for the daily budget of its account");
    }
    const { maxCreditsPerRun } = run.limits;
    if (maxCreditsPerRun !== null) {
      assert(run.credits <= maxCreditsPerRun, `${name}: more than ${maxCreditsPerRun} credits`);
    }
  }
}

/** The faults after which the stamps of a run can differ from the time of the simulation. */
const clockErrors: ReadonlySet<FaultKind> = new Set(faultFamilies["clock error"]);

/**
 * Returns the lowest number of credits that the daily budget of the account left during a run.
 * @param marginMs how many milliseconds the stamps of the run may be wrong
 */
function leastBudgetLeft(
  { startedAt, finishedAt }: Run,
  { between }: History,
  marginMs: number,
): number {
  const [from, to] = [Date.parse(startedAt) - marginMs, Date.parse(finishedAt ?? "") + marginMs];
  return Math.min(...between(from, to).map(({ budgetLeft }) => budgetLeft));
}

const lacking = ({ steps }: RunRecords) =>
  steps.flatMap(({ step: { step, scraper, items, decision } }) => {
    const quarters = mostQuarters[scraper];
    assert(quarters !== undefined, `${scraper} has no known price`);
    return decision === "defer" ? [{ step, needed: Math.ceil((items * quarters) / 4), items }] : [];
  });
