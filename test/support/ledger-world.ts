import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createAccount } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoCreditChanges } from "../../tools/credits/dynamo-credit-changes.ts";
import { dynamoCreditHistory } from "../../shared/aws/ledger/credit-history.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import type { LedgerWorld } from "../contracts/ledger.contract.ts";
import { fixedClock } from "./clock.ts";
import { openTables } from "./tables.ts";

export interface DynamoLedgerWorld extends LedgerWorld {
  readonly client: DynamoDBDocumentClient;
  readonly accountsTable: string;
  readonly ledgerTable: string;
  /** Creates the ledger of a separate process with another DynamoDB client. */
  ledgerThrough(client: DynamoDBDocumentClient): Ledger;
}

/** Starts a ledger on the DynamoDB engine of the test run. */
export async function startLedgerWorld(): Promise<DynamoLedgerWorld> {
  const tables = openTables();
  const { client } = tables;
  const accountsTable = await tables.create();
  const ledgerTable = await tables.create();
  const options = { accountsTable, ledgerTable, clock: systemClock, random: systemRandom };
  const accounts = dynamoAccountStore(client, { accounts: accountsTable });
  const ledgerThrough = (through: DynamoDBDocumentClient): Ledger => dynamoLedger(through, options);
  return {
    client,
    accountsTable,
    ledgerTable,
    ledgerThrough,
    ledger: () => ledgerThrough(client),
    changes: dynamoCreditChanges(client, options),
    history: dynamoCreditHistory(client, options),
    async open(signupCredits) {
      const { id } = await createAccount(
        { name: "Test", email: "test@example.com", signupCredits },
        // The account is opened at an earlier time than the calls of any test. Otherwise the
        // account's shard would refuse the calls, because the stamps of the calls would be older
        // than the newest stamp of the shard.
        { accounts, clock: fixedClock("2026-01-01T00:00:00Z"), random: systemRandom },
      );
      return id;
    },
    account: (accountId) => accounts.get(accountId),
  };
}
