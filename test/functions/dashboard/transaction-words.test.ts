import { describe, expect, it } from "vitest";
import {
  balanceChange,
  itemsOf,
  purposeOf,
  typeWords,
} from "../../../functions/dashboard/browser/pages/overview/transaction-words.ts";

const entry = {
  object: "credit_transaction",
  id: "ctx_1",
  type: "charge",
  credits: 3,
  balance_before: 10,
  balance_after: 10,
  sequence: 2,
  created_at: "2026-03-01T12:00:00.000Z",
} as const;

describe("a ledger entry in the dashboard", () => {
  it("shows the API endpoint for a call, and the run and step for a watchlist", () => {
    expect(purposeOf({ ...entry, request_id: "req_1", endpoint: "POST /v1/offers" })).toBe(
      "POST /v1/offers",
    );
    expect(purposeOf({ ...entry, run_id: "wlrun_1", run_number: 7, step: "check" })).toBe(
      "Run 7, step check",
    );
  });

  it("shows the call ID or the step if an earlier release wrote the entry, and a dash for a grant", () => {
    expect(purposeOf({ ...entry, request_id: "req_1" })).toBe("req_1");
    expect(purposeOf({ ...entry, run_id: "wlrun_1", step: "check" })).toBe("check");
    expect(purposeOf({ ...entry, type: "grant" })).toBe("–");
  });

  it("shows how many of the requested items were charged, if the entry contains both numbers", () => {
    expect(itemsOf({ ...entry, items_requested: 4, items_charged: 3 })).toBe("3 of 4");
    expect(itemsOf({ ...entry, items_requested: 4 })).toBe("4");
    expect(itemsOf(entry)).toBe("–");
  });

  it("shows by how much the entry changed the balance: a hold decreases the balance, and the charge of the hold does not", () => {
    const hold = { balance_before: 1_010, balance_after: 10 };
    expect(balanceChange(hold)).toBe("−1,000");
    expect(balanceChange(entry)).toBe("0");
    expect(balanceChange({ balance_before: 10, balance_after: 12 })).toBe("+2");
  });

  it("shows the type of the entry and what this type does, and shows an unknown type unchanged", () => {
    expect(typeWords({ type: "reserve" })).toEqual(["Hold", "credits set aside"]);
    expect(typeWords({ type: "gift" })).toEqual(["gift", ""]);
  });
});
