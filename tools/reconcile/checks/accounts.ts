import type { AccountsReader, LiveKey } from "../readers/accounts.ts";
import type { AccountLine } from "../readers/books.ts";
import { type Difference, missing, present } from "../rules/difference.ts";
import { shardPlace } from "../rules/shard-fold.ts";

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
  if (account !== undefined) {
    yield account;
    tell(await beyond(accountId, await accounts.shardsBeyond(account), accounts));
  } else if (await accounts.hasRows(accountId)) tell([withoutRow(accountId)]);
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
  /** How many shards each account had when its row was read. */
  const seen = new Map<string, number>();
  const named = new Set<string>();
  const shards = new Map<string, Set<number>>();
  const note = ({ accountId, shard }: { accountId: string; shard: number | null }): void => {
    named.add(accountId);
    if (shard !== null) shards.set(accountId, (shards.get(accountId) ?? new Set()).add(shard));
  };
  const unlisted: LiveKey[] = [];
  for await (const found of accounts.everyRow()) {
    if (found.kind === "account") {
      seen.set(found.account.id, found.account.shards);
      yield found.account;
    } else if (found.kind === "below") note(found);
    else if (await accounts.isUnlisted(found.key)) unlisted.push(found.key);
  }
  for await (const found of accounts.ledgers()) note(found);
  // An account that was opened in the meantime has its row by now.
  for (const accountId of named) {
    if (!seen.has(accountId)) tell(await lost(accountId, accounts));
  }
  for (const [accountId, numbers] of shards) {
    const more = [...numbers].filter((shard) => shard >= (seen.get(accountId) ?? 0));
    tell(await beyond(accountId, more, accounts));
  }
  for (const key of unlisted) {
    if (!strayKeys.has(key.keyId) && (await accounts.isUnlisted(key))) tell([withoutListing(key)]);
  }
}

/** Shards that have rows although their account has fewer shards, unless it has grown in the meantime. */
async function beyond(
  accountId: string,
  numbers: readonly number[],
  accounts: AccountsReader,
): Promise<readonly Difference[]> {
  const account = numbers.length > 0 ? await accounts.account(accountId) : undefined;
  if (account === undefined) return [];
  return numbers
    .filter((shard) => shard >= account.shards)
    .toSorted((a, b) => a - b)
    .map((shard) => ({
      place: shardPlace(accountId, shard),
      field: "rows of a shard that the account does not have",
      stored: present,
      expected: missing,
    }));
}

const lost = async (accountId: string, accounts: AccountsReader): Promise<readonly Difference[]> =>
  (await accounts.account(accountId)) === undefined ? [withoutRow(accountId)] : [];

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
