import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import type { Account } from "../../shared/accounts/account.ts";
import type { Admin } from "./command.ts";

/** Returns the account store of the stage or local world on which the command works. */
export const accountsOf = ({ dynamo, target: { tables } }: Admin) =>
  dynamoAccountStore(dynamo, { accounts: tables.accounts });

/**
 * Returns an account by its ID.
 * @throws Error if the account does not exist
 */
export async function existingAccount(accountId: string, admin: Admin): Promise<Account> {
  const account = await accountsOf(admin).get(accountId);
  if (account === undefined)
    throw new Error(`Account ${accountId} does not exist. Check the ID and --stage.`);
  return account;
}
