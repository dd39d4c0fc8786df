import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { dynamoCreditChanges } from "../../../tools/credits/dynamo-credit-changes.ts";
import { concurrencyTiers, limits } from "../../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";

/** The names of the tables with the accounts and their ledgers. */
export interface AccountTables {
  readonly accounts: string;
  readonly ledger: string;
}

/**
 * Opens an account and buys enough credits for a number of concurrency slots.
 * @param options.slots The minimum number of concurrency slots of the account.
 * @param options.keys The number of API keys to create. More keys allow more calls per second,
 * because each key has a rate limit.
 * @returns The ID of the account, and the API keys. Keys beyond the maximum of one account belong
 * to other accounts.
 */
export async function openAccount(
  tables: AccountTables,
  { slots, keys: count }: { readonly slots: number; readonly keys: number },
): Promise<{ readonly accountId: string; readonly keys: readonly string[] }> {
  const client = documentClient();
  const time = { clock: systemClock, random: systemRandom };
  const accounts = dynamoAccountStore(client, tables);
  const open = (name: string) =>
    createAccount({ name, email: "bench@example.com" }, { accounts, ...time });
  const account = await open("Bench");
  const tier = concurrencyTiers.find(({ concurrency }) => concurrency >= slots);
  await dynamoCreditChanges(client, {
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    ...time,
  }).apply({
    accountId: account.id,
    changeId: "slots",
    type: "purchase",
    credits: Math.max(limits.signupCredits, tier?.atLifetimeCredits ?? 0),
    now: systemClock.now(),
  });
  const keys: string[] = [];
  for (let owner = account; keys.length < count;) {
    if (keys.length > 0 && keys.length % limits.apiKeysMax === 0) owner = await open("Keys");
    const { key } = await createApiKey({ account: owner, name: "bench" }, { accounts, ...time });
    keys.push(key);
  }
  return { accountId: account.id, keys };
}
