import { describe, expect, it } from "vitest";
import type { CreditHistory, ListedTransaction } from "../../../shared/credits/credit-history.ts";
import type { CreditSource } from "../../../shared/credits/ledger.ts";
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

/** Returns the listed entry of credits that this source reserved. */
async function listed(source: CreditSource | null, itemsCharged?: number) {
  const history: CreditHistory = {
    page: async () => ({
      transactions: [
        { ...transaction, source, ...(itemsCharged !== undefined && { itemsCharged }) },
      ],
      next: null,
    }),
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
  it("contains the IDs of the run, the step and the watchlist, and the number of the run", async () => {
    const run = { runId: "wlrun_1", step: "check" };
    expect(await listed({ ...run, watchlistId: "wl_1", runNumber: 7 })).toStrictEqual({
      ...shown,
      watchlist_id: "wl_1",
      run_number: 7,
    });
  });

  it("contains only the run ID and the step ID if an earlier release wrote the entry", async () => {
    expect(await listed({ runId: "wlrun_1", step: "check" })).toStrictEqual(shown);
  });
});

describe("a listed ledger entry", () => {
  const { run_id: _run, step: _step, ...unattributed } = shown;

  it("contains no ID of a call, a run or a step if it belongs to no call, no run and no step", async () => {
    expect(await listed(null)).toStrictEqual(unattributed);
  });

  it("contains the API key of its call", async () => {
    const source = { requestId: "req_1", apiKeyId: "key_1" };
    expect(await listed(source)).toStrictEqual({
      ...unattributed,
      request_id: "req_1",
      api_key_id: "key_1",
    });
  });

  it("contains the number of charged items", async () => {
    expect(await listed(null, 3)).toStrictEqual({ ...unattributed, items_charged: 3 });
  });

  it("contains the scraper and the number of requested items of its step", async () => {
    const source = { runId: "wlrun_1", step: "check", scraper: "retailer_d.lite", items: 9 };
    expect(await listed(source)).toStrictEqual({
      ...shown,
      scraper: "retailer_d.lite",
      items_requested: 9,
    });
  });

  it.each([
    ["names the request and the endpoint of an item call", { endpoint: "products" }],
    ["names only the request of an item call that an earlier release wrote", {}],
  ])("follows the rule that it %s", async (_, more) => {
    expect(await listed({ requestId: "req_1", ...more })).toStrictEqual({
      ...unattributed,
      request_id: "req_1",
      ...more,
    });
  });
});

describe("a page of ledger entries", () => {
  const query = { accountId: "acct_1", limit: 7, startingAfter: undefined };

  it.each([
    ["has more entries if it has a next page", "ctx_9", true],
    ["has no more entries if it has no next page", null, false],
  ])("follows the rule that it %s", async (_, next, more) => {
    const history: CreditHistory = { page: async () => ({ transactions: [], next }) };
    expect(await listTransactions(query, history)).toEqual({
      object: "list",
      data: [],
      has_more: more,
      next_starting_after: next,
    });
  });

  it("is read from the ledger with the limit and the filter of the query", async () => {
    const asked: unknown[] = [];
    const history: CreditHistory = {
      page: async (...args) => {
        asked.push(args);
        return { transactions: [], next: null };
      },
    };
    const filter = { type: "reserve" } as const;
    await listTransactions({ ...query, filter }, history);
    expect(asked).toEqual([["acct_1", { limit: 7, startingAfter: undefined, filter }]]);
  });

  it("is refused if 'starting_after' is not the ID of an entry of the account", async () => {
    const history: CreditHistory = { page: async () => ({ transactions: [], next: null }) };
    await expect(
      listTransactions({ ...query, startingAfter: "ctx_nothing" }, history),
    ).rejects.toMatchObject({ code: "INVALID_PARAM", details: { param: "starting_after" } });
  });
});
