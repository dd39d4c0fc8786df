import type { Account } from "../../shared/accounts/account.ts";

/** Builds the account `acct_1` with 5,000 free credits. None of them is spent or reserved. */
export function anAccount(overrides: Partial<Account> = {}): Account {
  return {
    id: "acct_1",
    name: "Acme",
    email: "a@acme.example",
    demo: false,
    balance: 5_000,
    held: 0,
    spent: 0,
    lifetime: 5_000,
    inFlight: 0,
    autoTopUp: null,
    dailyCreditBudget: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    ...overrides,
  };
}
