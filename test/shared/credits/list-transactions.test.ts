import { describe, expect, it } from "vitest";
import type { CreditHistory, ListedTransaction } from "../../../shared/credits/credit-history.ts";
import type { StepSource } from "../../../shared/credits/ledger.ts";
import { listTransactions } from "../../../shared/credits/list-transactions.ts";

const transaction: ListedTransaction = {
  id: "ctx_1",
  sequence: 2,
  type: "reserve",
  credits: 4,
  balanceBefore: 4,
  balanceAfter: 0,
  source: null,
  createdAt: "2026-03-01T12:00:00.000Z",
  chargedAt: null,
};

/** Returns, as the API lists it, an entry whose credits the step `source` reserved. */
async function listed(source: StepSource) {
  const history: CreditHistory = {
    page: async () => ({ transactions: [{ ...transaction, source }], next: null }),
  };
  const wanted = { accountId: "acct_1", limit: 1, startingAfter: undefined };
  return (await listTransactions(wanted, history)).data[0];
}

const shown = {
  object: "credit_transaction",
  id: "ctx_1",
  type: "reserve",
  credits: 4,
  balance_before: 4,
  balance_after: 0,
  sequence: 2,
  run_id: "wlrun_1",
  step: "check",
  created_at: "2026-03-01T12:00:00.000Z",
};

describe("a listed ledger entry of a run's step", () => {
  it("names its run and step, the watchlist and the run number", async () => {
    const run = { runId: "wlrun_1", step: "check" };
    expect(await listed({ ...run, watchlistId: "wl_1", runNumber: 7 })).toStrictEqual({
      ...shown,
      watchlist_id: "wl_1",
      run_number: 7,
    });
  });

  it("names only its run and step if an earlier release wrote it", async () => {
    expect(await listed({ runId: "wlrun_1", step: "check" })).toStrictEqual(shown);
  });
});
