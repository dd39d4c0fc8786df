import type { AccountsReader, LiveKey } from "../../shared/aws/accounts-reader.ts";
import type { AccountLine } from "../../shared/aws/books-reader.ts";
import { type Difference, missing, present } from "../../shared/base/difference.ts";

export interface AccountsWanted {
  readonly accounts: AccountsReader;
  readonly tell: (differences: readonly Difference[]) => void;
  /** Keys of which something was said already, by id; filled while accounts are worked through. */
  readonly strayKeys: ReadonlySet<string>;
}

/** The account asked for. @throws Error when nothing of it is there. */
export async function* oneAccount(
  accountId: string,
  { accounts, tell }: AccountsWanted,
): AsyncGenerator<AccountLine> {
  const account = await accounts.account(accountId);
  if (account !== undefined) yield account;
  else if (await accounts.hasRows(accountId)) tell([withoutRow(accountId)]);
  else throw new Error(`There is no account ${accountId}`);
}

/**
 * Every account, one after the other; then what belongs to an account whose row is not there, and
 * keys that let calls in though nobody lists them.
 */
export async function* everyAccount({
  accounts,
  tell,
  strayKeys,
}: AccountsWanted): AsyncGenerator<AccountLine> {
  const seen = new Set<string>();
  const named = new Set<string>();
  const unlisted: LiveKey[] = [];
  for await (const found of accounts.everyRow()) {
    if (found.kind === "account") {
      seen.add(found.account.id);
      yield found.account;
    } else if (found.kind === "below") named.add(found.accountId);
    else if (await accounts.isUnlisted(found.key)) unlisted.push(found.key);
  }
  for await (const accountId of accounts.ledgers()) named.add(accountId);
  for (const accountId of named) {
    // One that was opened meanwhile has its row by now.
    if (!seen.has(accountId) && (await accounts.account(accountId)) === undefined) {
      tell([withoutRow(accountId)]);
    }
  }
  for (const key of unlisted) {
    if (!strayKeys.has(key.keyId) && (await accounts.isUnlisted(key))) tell([withoutListing(key)]);
  }
}

const withoutRow = (place: string): Difference => ({
  place,
  field: "row",
  stored: missing,
  expected: present,
});

const withoutListing = ({ accountId, keyId }: LiveKey): Difference => ({
  place: `${accountId} ${keyId}`,
  field: "listing of a key that lets calls in",
  stored: missing,
  expected: present,
});
