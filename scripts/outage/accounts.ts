import { setTimeout as delay } from "node:timers/promises";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoCreditHistory } from "../../shared/aws/ledger/credit-history.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { accountKeys } from "../../shared/aws/table/table.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { CreditTransaction } from "../../shared/credits/credit-history.ts";
import type { Tables } from "../../tools/reconcile/reconcile.ts";

/** An account with one API key. */
export interface TestAccount {
  readonly accountId: string;
  readonly key: string;
}

/** Opens accounts, and reads the charges of their calls from the ledger. */
export interface Accounts {
  /** Opens an account with one API key. */
  open(name: string): Promise<TestAccount>;
  /**
   * Returns the credits charged for calls, minus refunded charges. Excludes charges for runs of
   * watchlists.
   */
  chargedForCalls(accountId: string): Promise<number>;
  /** Returns true if the account has open holds of item calls. */
  callsHold(accountId: string): Promise<boolean>;
}

const pageMax = 100;

/** Creates the functions that open and read accounts in the given tables. */
export function accountsIn(tables: Tables): Accounts {
  const client = documentClient();
  const accounts = dynamoAccountStore(client, { accounts: tables.accounts });
  const system = { clock: systemClock, random: systemRandom };
  const history = dynamoCreditHistory(client, {
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    ...system,
  });
  const dependencies = { accounts, ...system };
  return {
    async open(name) {
      const account = await createAccount({ name, email: "outage@local.invalid" }, dependencies);
      const { key } = await createApiKey({ account, name: "outage" }, dependencies);
      return { accountId: account.id, key };
    },
    async chargedForCalls(accountId) {
      const { transactions } = await history.page(accountId, { limit: pageMax });
      return transactions.reduce((sum, entry) => sum + chargeOf(entry), 0);
    },
    async callsHold(accountId) {
      const { pk, sk } = accountKeys.hold(accountId, "req_");
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: tables.accounts,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :calls)",
          ExpressionAttributeValues: { ":pk": pk, ":calls": sk },
        }),
      );
      return Items.some(({ state }) => state === "open");
    },
  };
}

const pollMs = 1_000;

/**
 * Calls `holds` about once a second until it returns true.
 * @param secondsMax The maximum time to wait, in seconds.
 * @returns False if `holds` did not return true in this time.
 */
export async function untilTrue(
  secondsMax: number,
  holds: () => Promise<boolean>,
): Promise<boolean> {
  const end = Date.now() + secondsMax * 1_000;
  while (!(await holds())) {
    if (Date.now() > end) return false;
    await delay(pollMs);
  }
  return true;
}

function chargeOf({ type, credits, source, chargedAt }: CreditTransaction): number {
  if (source === null || !("requestId" in source)) return 0;
  if (type === "charge") return credits;
  return chargedAt === null ? 0 : -credits;
}
