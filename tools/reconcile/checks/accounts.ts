import type { AccountsReader, LiveKey } from "../readers/accounts.ts";
import type { AccountLine } from "../readers/ledger.ts";
import { type Difference, missing, present } from "../rules/difference.ts";
import { shardPlace } from "../rules/shard-fold.ts";

/** What the search for accounts needs, and where it reports differences. */
export interface AccountsCheck {
  readonly accounts: AccountsReader;
  readonly report: (differences: readonly Difference[]) => void;
  /**
   * IDs of API keys that were already reported. Other checks add IDs to this set while accounts are
   * checked.
   */
  readonly strayKeys: ReadonlySet<string>;
}

/**
 * Yields one account, for a reconciliation of this account. Afterward, reports rows of shards whose
 * number is beyond the account's number of shards. If the tables have other rows of the account,
 * but no account row, reports this and yields nothing.
 * @throws Error if the tables have no row of the account
 */
export async function* oneAccount(
  accountId: string,
  { accounts, report }: AccountsCheck,
): AsyncGenerator<AccountLine> {
  const account = await accounts.account(accountId);
  if (account !== undefined) {
    yield account;
    report(await beyond(accountId, await accounts.shardsBeyond(account), accounts));
  } else if (await accounts.hasRows(accountId)) report([withoutRow(accountId)]);
  else throw new Error(`Account ${accountId} does not exist. Check the ID and --stage.`);
}

/**
 * Yields all accounts. At the end, reports rows without an account row, and valid API keys that no
 * account lists.
 */
export async function* everyAccount({
  accounts,
  report,
  strayKeys,
}: AccountsCheck): AsyncGenerator<AccountLine> {
  /** The number of shards of each account when its row was read. */
  const seen = new Map<string, number>();
  const named = new Set<string>();
  const shards = new Map<string, Set<number>>();
  const note = ({ accountId, shard }: { accountId: string; shard: number | null }): void => {
    named.add(accountId);
    if (shard !== null) shards.set(accountId, (shards.get(accountId) ?? new Set()).add(shard));
  };
  const unlisted: LiveKey[] = [];
  for await (const foundRow of accounts.everyRow()) {
    if (foundRow.kind === "account") {
      seen.set(foundRow.account.id, foundRow.account.shards);
      yield foundRow.account;
    } else if (foundRow.kind === "below") note(foundRow);
    else if (await accounts.isUnlisted(foundRow.key)) unlisted.push(foundRow.key);
  }
  for await (const ledgerRow of accounts.ledgers()) note(ledgerRow);
  // If an account was created during the scan, its row exists by now.
  for (const accountId of named) {
    if (!seen.has(accountId)) report(await findLost(accountId, accounts));
  }
  for (const [accountId, numbers] of shards) {
    const more = [...numbers].filter((shard) => shard >= (seen.get(accountId) ?? 0));
    report(await beyond(accountId, more, accounts));
  }
  for (const key of unlisted) {
    if (!strayKeys.has(key.keyId) && (await accounts.isUnlisted(key)))
      report([withoutListing(key)]);
  }
}

/**
 * Reports rows of shards beyond an account's number of shards. Ignores shards that were added
 * during the check.
 */
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
      field: "a row of a shard that the account does not have",
      stored: present,
      expected: missing,
    }));
}

const findLost = async (
  accountId: string,
  accounts: AccountsReader,
): Promise<readonly Difference[]> =>
  (await accounts.account(accountId)) === undefined ? [withoutRow(accountId)] : [];

const withoutRow = (place: string): Difference => ({
  place,
  field: "row",
  stored: missing,
  expected: present,
});

const withoutListing = ({ accountId, keyId }: LiveKey): Difference => ({
  place: `${accountId} ${keyId}`,
  field: "listing of a valid key",
  stored: missing,
  expected: present,
});
