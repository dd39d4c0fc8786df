import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import type { Account } from "../../shared/accounts/account.ts";
import type { Admin } from "./command.ts";

export const accountsOf = ({ dynamo, target: { tables } }: Admin) =>
  dynamoAccountStore(dynamo, { accounts: tables.accounts });

/**
 * Returns an account.
 * @throws Error if it does not exist.
 */
export async function existingAccount(accountId: string, admin: Admin): Promise<Account> {
  const account = await accountsOf(admin).get(accountId);
  if (account === undefined) throw new Error(`There is no account ${accountId}`);
  return account;
}
