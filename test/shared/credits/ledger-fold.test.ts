import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, it } from "vitest";
import { ledgerEntry } from "../../../shared/aws/ledger-entry.ts";
import { reserveTransaction } from "../../../shared/aws/ledger-transactions.ts";
import { numberedId } from "../../../shared/base/ids.ts";
import { type LedgerEntry, ledgerFold } from "../../../shared/credits/ledger-fold.ts";
import type { CreditSource } from "../../../shared/credits/ledger.ts";

const accountId = `acct_${"0".repeat(24)}`;
const at = "2026-03-01T12:00:00.000Z";
const call: CreditSource = {
  requestId: `req_${"0".repeat(24)}`,
  endpoint: "POST /v1/products",
  scraper: "retailer_a.lite",
  items: 4,
};
const step: CreditSource = {
  watchlistId: `wl_${"0".repeat(24)}`,
  runId: `wlrun_${"0".repeat(24)}`,
  runNumber: 99_999_999,
  step: "s".repeat(64),
  scraper: "retailer_a.offer_check",
  items: 50_000,
};

const entry = (sequence: number, more: Partial<LedgerEntry>): LedgerEntry => ({
  id: numberedId("creditTransaction", sequence, accountId),
  sequence,
  type: "grant",
  credits: 4,
  balanceBefore: 0,
  balanceAfter: 0,
  source: null,
  holdId: null,
  createdAt: at,
  chargedAt: null,
  ...more,
});

/** What is wrong with a charge after a grant of four credits and a reservation of them. */
function differencesOf(reserved: CreditSource, charge: Partial<LedgerEntry>): string[] {
  const since = { charges: new Date(at), resolved: new Date(at) };
  const fold = ledgerFold(accountId, since);
  fold.take(entry(1, { balanceAfter: 4 }));
  const hold = { holdId: "hold", source: reserved };
  fold.take(entry(2, { ...hold, type: "reserve", balanceBefore: 4 }));
  return fold.take(entry(3, { ...hold, type: "charge", ...charge })).map(({ field }) => field);
}

describe("the fold of a ledger", () => {
  it("accepts a charge for what was reserved", () => {
    expect(differencesOf(call, { itemsCharged: 4 })).toEqual([]);
  });

  it("finds a charge that names another purpose than its reservation", () => {
    const source = { ...call, endpoint: "POST /v1/offers" };
    expect(differencesOf(call, { source, itemsCharged: 4 })).toEqual(["endpoint"]);
  });

  it("finds a charge of more items than were reserved", () => {
    expect(differencesOf(call, { itemsCharged: 5 })).toEqual(["items_charged"]);
  });

  it("accepts entries that an earlier release wrote", () => {
    const { requestId } = call as { requestId: string };
    expect(differencesOf({ requestId }, {})).toEqual([]);
    expect(differencesOf(call, { source: { requestId } })).toEqual([]);
  });
});

describe("what an entry is for", () => {
  it.each([
    ["a call", call],
    ["a step", step],
  ])("costs no further write unit for %s: entry and hold stay below 1 KB", (_what, source) => {
    const holdId = "runId" in source ? `${source.runId}#${source.step}` : source.requestId;
    const most = 999_999_999_999;
    const row = ledgerEntry({
      accountId,
      sequence: most,
      type: "reserve",
      credits: most,
      balanceBefore: most,
      balanceAfter: most,
      createdAt: at,
      holdId,
      source,
      itemsCharged: 50_000,
    });
    const tables = { accountsTable: "accounts", ledgerTable: "ledger" };
    const now = new Date(at);
    const reservation = {
      accountId,
      holdId,
      credits: most,
      slot: true,
      source,
      now,
      expiresAt: now,
    };
    const books = { balance: most, held: 0, spent: 0, sequence: most, inFlight: 0, concurrency: 5 };
    const [, hold] = reserveTransaction(tables, reservation, books).writes;
    // The marshalled form is longer than what DynamoDB counts.
    for (const one of [row, hold?.Put?.Item ?? {}]) {
      const size = JSON.stringify(marshall(one, { removeUndefinedValues: true })).length;
      expect(size).toBeLessThan(1_024);
    }
  });
});
