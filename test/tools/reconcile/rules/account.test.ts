import { describe, expect, it } from "vitest";
import { differenceLine } from "../../../../tools/reconcile/rules/difference.ts";
import type {
  LedgerSums,
  OpenHold,
  ResolvedHold,
} from "../../../../tools/reconcile/rules/ledger-fold.ts";
import {
  beyondDifferences,
  sumDifferences,
  dueDifferences,
  holdCheck,
  type ChangedSince,
  type StoredHold,
  usageDifferences,
} from "../../../../tools/reconcile/rules/account.ts";

const accountId = "acct_1";
const now = new Date("2026-03-01T12:00:00.000Z");
const soon = "2026-03-01T12:10:00.000Z";
const openHold: OpenHold = { shard: 0, hasRow: true, credits: 40, takesSlot: true };
const resolvedHold: ResolvedHold = { shard: 0, hasRow: true, charged: 3 };
const whole: LedgerSums = {
  sequence: 7,
  balance: 100,
  spent: 3,
  lifetime: 143,
  received: 143,
  open: new Map([["req_open", openHold]]),
  resolved: new Map([["req_done", resolvedHold]]),
  usage: new Map([["2026-03-01", { requests: 1, credits: 3 }]]),
  charged: new Map(),
  isWhole: true,
};
const incomplete: LedgerSums = { ...whole, isWhole: false };
const nothingChanged: ChangedSince = { holds: new Set(), dates: new Set() };

describe("the reconciliation of an account's row", () => {
  const row = {
    accountId,
    id: accountId,
    sequence: 7,
    balance: 100,
    held: 40,
    spent: 3,
    lifetime: 143,
    inFlight: 1,
  };
  const linesOf = (changed: Partial<typeof row>, sums = whole): string[] =>
    sumDifferences({ ...row, ...changed }, sums).map(differenceLine);

  it("reports no difference if the row agrees with the ledger", () => {
    expect(linesOf({})).toEqual([]);
  });

  it.each([
    [{ balance: 101 }, "balance is 101, should be 100"],
    [{ held: 39 }, "held is 39, should be 40"],
    [{ spent: 4 }, "spent is 4, should be 3"],
    [{ lifetime: 1 }, "lifetime is 1, should be 143"],
    [{ inFlight: 0 }, "in_flight is 0, should be 1"],
    [{ id: "acct_2" }, "id is acct_2, should be acct_1"],
  ])("reports the wrong value in the row (%j)", (changed, line) => {
    expect(linesOf(changed)).toEqual([`acct_1: ${line}`]);
  });

  it("expects no occupied slot for the open hold of a step", () => {
    const open = new Map([["wlrun_1#check", { ...openHold, takesSlot: false }]]);
    expect(linesOf({ inFlight: 0 }, { ...whole, open })).toEqual([]);
  });

  it("compares only the balance if ledger entries are missing", () => {
    const wrong = { balance: 101, held: 0, spent: 0, lifetime: 0, inFlight: 0 };
    expect(linesOf(wrong, incomplete)).toEqual(["acct_1: balance is 101, should be 100"]);
  });

  it("compares only the ID if the newest ledger entry is missing", () => {
    expect(linesOf({ balance: 101, sequence: 8 })).toEqual([]);
  });
});

describe("the reconciliation of an account's row with sequence number 7", () => {
  it.each([
    [7, []],
    [8, ["acct_1 entry 8: row is beyond sequence 7, should be within it"]],
    [10, ["acct_1 entries 8 to 10: row is beyond sequence 7, should be within it"]],
  ])("with the newest ledger entry number %i reports the differences %j", (newest, lines) => {
    const differences = beyondDifferences({ accountId, sequence: 7 }, newest);
    expect(differences.map(differenceLine)).toEqual(lines);
  });
});

describe("the reconciliation of hold rows", () => {
  const open: StoredHold = {
    holdId: "req_open",
    shard: 0,
    isOpen: true,
    credits: 40,
    charged: null,
    budgets: [],
    dueAt: soon,
  };
  const resolved: StoredHold = {
    ...open,
    holdId: "req_done",
    isOpen: false,
    credits: 10,
    charged: 3,
    dueAt: null,
  };
  const long: StoredHold = { ...resolved, holdId: "req_long_ago" };

  function linesOf(
    holds: readonly StoredHold[],
    { sums = whole, changed = nothingChanged }: { sums?: LedgerSums; changed?: ChangedSince } = {},
  ): string[] {
    const check = holdCheck(accountId, sums);
    for (const hold of holds) check.take(hold, now);
    return check.end(changed).map(differenceLine);
  }

  it("reports no difference if the rows agree with the ledger", () => {
    expect(linesOf([open, resolved])).toEqual([]);
  });

  it("reports no difference for a hold that was resolved before holds had rows", () => {
    expect(linesOf([open, resolved, long])).toEqual([]);
  });

  it.each([
    [{ credits: 41 }, "credits is 41, should be 40"],
    [{ shard: 1 }, "shard is 1, should be 0"],
    [{ isOpen: false, charged: 0, dueAt: null }, "state is resolved, should be open"],
  ])("reports the wrong value in the row of an open hold (%j)", (changed, line) => {
    expect(linesOf([{ ...open, ...changed }, resolved])).toEqual([`acct_1 hold req_open: ${line}`]);
  });

  it("reports a resolved hold whose charge differs from the ledger", () => {
    expect(linesOf([open, { ...resolved, charged: 2 }])).toEqual([
      "acct_1 hold req_done: charged is 2, should be 3",
    ]);
  });

  it.each([
    [-1, ["acct_1 hold req_long_ago: charged is -1, should be 0 to 10"]],
    [0, []],
    [10, []],
    [11, ["acct_1 hold req_long_ago: charged is 11, should be 0 to 10"]],
  ])(
    "for a hold row of 10 credits with the charge %i, of which the ledger has no record, reports the differences %j",
    (charged, lines) => {
      expect(linesOf([open, resolved, { ...long, charged }])).toEqual(lines);
      const alone = { ...incomplete, open: new Map(), resolved: new Map() };
      expect(linesOf([{ ...long, charged }], { sums: alone })).toEqual(lines);
    },
  );

  it("reports a missing row of a hold only if the hold needs a row and did not change after the read", () => {
    expect(linesOf([resolved])).toEqual([
      "acct_1 hold req_open: row is missing, should be present",
    ]);
    const changed = { ...nothingChanged, holds: new Set(["req_open"]) };
    expect(linesOf([resolved], { changed })).toEqual([]);
    const rowless = new Map([["req_open", { ...openHold, hasRow: false }]]);
    expect(linesOf([resolved], { sums: { ...whole, open: rowless } })).toEqual([]);
  });

  it("does not compare rows of holds if ledger entries are missing", () => {
    expect(linesOf([{ ...open, credits: 41 }], { sums: incomplete })).toEqual([]);
  });
});

describe("the reconciliation of a hold's due mark", () => {
  const linesOf = (isOpen: boolean, dueAt: string | null): string[] =>
    dueDifferences("hold", { isOpen, dueAt }, now).map(differenceLine);

  it("reports a missing mark of an open hold, and a mark of a resolved hold", () => {
    expect(linesOf(true, soon)).toEqual([]);
    expect(linesOf(false, null)).toEqual([]);
    expect(linesOf(true, null)).toEqual(["hold: due mark is false, should be true"]);
    expect(linesOf(false, soon)).toEqual(["hold: due mark is true, should be false"]);
  });

  it("accepts only a due time from 10 minutes ago to a day and 5 minutes in the future", () => {
    const range = "2026-03-01T11:50:00.000Z to 2026-03-02T12:05:00.000Z";
    const late = "2026-03-02T12:05:00.001Z";
    expect(linesOf(true, "2026-03-02T12:05:00.000Z")).toEqual([]);
    expect(linesOf(true, late)).toEqual([`hold: due_at is ${late}, should be ${range}`]);
    expect(linesOf(true, "2026-03-01T11:50:00.000Z")).toEqual([]);
    const past = "2026-03-01T11:49:59.999Z";
    expect(linesOf(true, past)).toEqual([`hold: due_at is ${past}, should be ${range}`]);
  });
});

describe("the reconciliation of an account's daily usage", () => {
  const day = { date: "2026-03-01", requests: 1, successful: 1, failed: 0, credits: 3 };
  const linesOf = (
    rows: readonly (typeof day)[],
    sums = whole,
    changed = nothingChanged,
  ): string[] => usageDifferences(accountId, rows, { sums, changed }).map(differenceLine);

  it("reports no difference if the usage agrees with the holds of the day", () => {
    expect(linesOf([day])).toEqual([]);
    expect(linesOf([{ ...day, successful: 0, failed: 1 }])).toEqual([]);
  });

  it("reports wrong numbers of requests, outcomes or credits, and a missing usage row", () => {
    const place = "acct_1 usage 2026-03-01";
    expect(linesOf([{ ...day, failed: 1 }])).toEqual([
      `${place}: successful plus failed is 2, should be 1`,
    ]);
    expect(linesOf([{ ...day, credits: 4 }])).toEqual([`${place}: credits is 4, should be 3`]);
    expect(linesOf([])).toEqual([
      `${place}: requests is 0, should be 1`,
      `${place}: credits is 0, should be 3`,
    ]);
  });

  it("does not compare a day that changed during the read, nor any day if ledger entries are missing", () => {
    const changed = { ...nothingChanged, dates: new Set(["2026-03-01"]) };
    expect(linesOf([], whole, changed)).toEqual([]);
    expect(linesOf([], incomplete)).toEqual([]);
  });
});
