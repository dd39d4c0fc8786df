import { createAccount } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import type { CancelQueue } from "../../../shared/credits/cancel-queue.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import type { MeteredCall } from "../../../shared/items/metered-read.ts";
import { openTables } from "../../support/tables.ts";

export const granted = 500;
export const fetchedAt = "2026-03-01T12:00:00.000Z";

export type Account = Awaited<ReturnType<ReturnType<typeof dynamoAccountStore>["get"]>>;

/** The ledger of the service in a test table, one account at a time, and calls of this account. */
export interface OfferWorld {
  readonly ledger: Ledger;
  readonly cancels: CancelQueue;
  /** Replaces the account by a new one with `granted` credits. */
  newAccount(): Promise<void>;
  account(): Promise<Account>;
  /**
   * Creates a call of the account whose deadline is `deadlineMs` milliseconds from now.
   * @default 280,000
   */
  newCall(deadlineMs?: number): MeteredCall;
}

/** Creates the tables of a ledger. Call `newAccount` before a test makes calls. */
export async function startOfferWorld(): Promise<OfferWorld> {
  const tables = openTables();
  const names = { accounts: await tables.create(), ledger: await tables.create() };
  const accounts = dynamoAccountStore(tables.client, names);
  let accountId = "";
  let calls = 0;
  return {
    ledger: dynamoLedger(tables.client, {
      accountsTable: names.accounts,
      ledgerTable: names.ledger,
      clock: systemClock,
      random: systemRandom,
    }),
    cancels: { send: async () => {} },
    async newAccount() {
      const created = await createAccount(
        { name: "Test", email: "test@example.com", signupCredits: granted },
        { accounts, clock: systemClock, random: systemRandom },
      );
      accountId = created.id;
    },
    account: () => accounts.get(accountId),
    newCall(deadlineMs = 280_000) {
      calls += 1;
      const now = systemClock.now();
      const deadline = new Date(now.getTime() + deadlineMs);
      return {
        accountId,
        apiKeyId: "key_1",
        requestId: `req_${calls}`,
        endpoint: "POST /v1/offers",
        now,
        deadline,
        msToAnswer: () => deadlineMs,
      };
    },
  };
}
