import { expect, it } from "vitest";
import {
  type CreditTransaction,
  matches,
  signedCredits,
} from "../../../shared/credits/credit-history.ts";

const entry: CreditTransaction = {
  sequence: 2,
  type: "charge",
  credits: 4,
  balanceBefore: 10,
  balanceAfter: 6,
  source: { runId: "wlrun_1", step: "check", watchlistId: "wl_1" },
  createdAt: "2026-03-01T12:00:00.000Z",
  chargedAt: null,
};

it("a filter by watchlist matches the ledger entries of the watchlist's runs, and not those of other watchlists", () => {
  expect(matches(entry, { watchlistId: "wl_1" })).toBe(true);
  expect(matches(entry, { watchlistId: "wl_2" })).toBe(false);
  expect(matches({ ...entry, source: null }, { watchlistId: "wl_1" })).toBe(false);
});

it("a filter by watchlist matches the ledger entries of the watchlist's previews", () => {
  const preview = { ...entry, source: { requestId: "req_1", watchlistId: "wl_1" } };
  expect(matches(preview, { watchlistId: "wl_1" })).toBe(true);
  expect(matches(preview, { watchlistId: "wl_2" })).toBe(false);
});

it("a ledger entry shows negative credits only for an adjustment that removed credits", () => {
  expect(signedCredits(entry)).toBe(4);
  expect(signedCredits({ ...entry, type: "adjust" })).toBe(-4);
  expect(signedCredits({ ...entry, type: "adjust", balanceAfter: 14 })).toBe(4);
});
