import { describe, expect, it } from "vitest";
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
const entry = (sequence: number, more: Partial<LedgerEntry>): LedgerEntry => ({
  id: numberedId("creditTransaction", sequence, accountId),
  isOpening: sequence === 1,
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
  const fold = ledgerFold({ accountId, shard: 0, place: accountId }, since);
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
