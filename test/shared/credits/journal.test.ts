import { describe, expect, it } from "vitest";
import {
  type ChangeRecord,
  entriesOf,
  type SettleRecord,
  stampOf,
  type TakeBackRecord,
  usageByDay,
  usageOf,
} from "../../../shared/credits/journal.ts";

const at = stampOf(new Date("2026-03-01T23:59:59.999Z"));
const source = { requestId: "req_1" };
const settled: SettleRecord = {
  type: "settle",
  holdId: "hold_1",
  at,
  charged: 3,
  refunded: 2,
  succeeded: true,
  items: 4,
  source,
};
const failed: SettleRecord = { ...settled, succeeded: false, charged: 0 };
const reversed: TakeBackRecord = {
  type: "take_back",
  holdId: "hold_1",
  at: stampOf(new Date("2026-03-02T08:00:00.000Z")),
  credits: 3,
  chargedAt: "2026-03-01T23:59:59.999Z",
  source,
};
const granted: ChangeRecord = { type: "grant", at, credits: 5, changeId: null };

describe("the usage that a ledger record causes", () => {
  it.each([
    ["counts a settled call that succeeded", settled, { successful: 1, failed: 0, credits: 3 }],
    ["counts a settled call that failed", failed, { successful: 0, failed: 1, credits: 0 }],
  ])("belongs to the day of the record, and %s", (_, record, counts) => {
    expect(usageOf(record)).toEqual({ date: "2026-03-01", requests: 1, ...counts });
  });

  it("counts a call whose charge is reversed as failed, on the day on which the call was charged", () => {
    expect(usageOf(reversed)).toEqual({
      date: "2026-03-01",
      requests: 0,
      successful: -1,
      failed: 1,
      credits: -3,
    });
  });

  it("is null for a grant", () => {
    expect(usageOf(granted)).toBeNull();
  });

  it("is summed by day", () => {
    expect([...usageByDay([settled, granted, failed, settled, reversed]).values()]).toEqual([
      { date: "2026-03-01", requests: 3, successful: 1, failed: 2, credits: 3 },
    ]);
  });
});

describe("the ledger entries of a settled hold", () => {
  const before = { balance: 10, sequence: 6 };

  it("are a charge and a refund, and the refund starts with the balance after the charge", () => {
    expect(entriesOf(settled, before)).toMatchObject([
      { sequence: 7, type: "charge", credits: 3, balanceBefore: 10, balanceAfter: 10 },
      { sequence: 8, type: "refund", credits: 2, balanceBefore: 10, balanceAfter: 12 },
    ]);
  });

  it("contain the number of charged items if the ledger record contains this number", () => {
    expect(entriesOf(settled, before).map(({ itemsCharged }) => itemsCharged)).toEqual([4, 4]);
  });

  it("contain no number of charged items if an earlier release wrote the ledger record", () => {
    const entries = entriesOf({ ...settled, items: undefined }, before);
    expect(entries.map((entry) => Object.hasOwn(entry, "itemsCharged"))).toEqual([false, false]);
  });

  it("are a single charge of 0 credits if the hold was for 0 credits", () => {
    const empty = { ...settled, charged: 0, refunded: 0 };
    expect(entriesOf(empty, before)).toMatchObject([{ type: "charge", credits: 0 }]);
  });
});

describe("the ledger entry of a grant", () => {
  it("has neither a source nor a number of charged items", () => {
    const [entry] = entriesOf(granted, { balance: 10, sequence: 6 });
    expect(entry).toMatchObject({ type: "grant", balanceAfter: 15, source: null, chargedAt: null });
    expect(entry).not.toHaveProperty("itemsCharged");
  });
});
