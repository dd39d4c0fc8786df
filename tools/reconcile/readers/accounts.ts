import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountLine, accountLineAttributes, accountLineOf, keyOf } from "./ledger.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import type { LedgerTables } from "../../../shared/aws/ledger/process.ts";
import { readRows, rowsBelow, scanRows } from "./rows.ts";
import { dynamoShardsReader } from "./shards.ts";
import { accountKeys, type RowKey } from "../../../shared/aws/table/table.ts";

/** An API key that is valid for calls. */
export interface LiveKey {
  readonly hash: string;
  readonly keyId: string;
  readonly accountId: string;
}

/**
 * A row of the accounts table: an account, a row that belongs to an account, or a valid API key.
 * `shard` is null for a row of the account itself.
 */
export type FoundRow =
  | { readonly kind: "account"; readonly account: AccountLine }
  | { readonly kind: "below"; readonly accountId: string; readonly shard: number | null }
  | { readonly kind: "key"; readonly key: LiveKey };

/** Finds accounts, and rows whose account does not exist. Only reads. */
export interface AccountsReader {
  /** Returns an account; undefined if it has no account row. */
  account(accountId: string): Promise<AccountLine | undefined>;
  /** Yields all rows of the accounts table that contain the ID of their account, in any order. */
  everyRow(): AsyncIterable<FoundRow>;
  /**
   * Yields each ledger that has rows. `shard` is null for a ledger without shards, and otherwise
   * the number of a shard that has pages.
   */
  ledgers(): AsyncIterable<{ readonly accountId: string; readonly shard: number | null }>;
  /** Returns true if an account has a ledger, or rows other than the account row. */
  hasRows(accountId: string): Promise<boolean>;
  /**
   * Returns the numbers of shards that must not exist: they have rows or pages, but the account's
   * number of shards is lower. Empty if there are none.
   */
  shardsBeyond(account: Pick<AccountLine, "id" | "shards">): Promise<readonly number[]>;
  /** Returns true if a key is valid although no account lists it. Reads the key's rows again. */
  isUnlisted(key: LiveKey): Promise<boolean>;
}

/**
 * Creates the reader of accounts and of rows without an account, in the accounts and ledger tables.
 */
export function dynamoAccountsReader(
  client: DynamoDBDocumentClient,
  tables: LedgerTables,
): AccountsReader {
  const { accountsTable, ledgerTable } = tables;
  const shards = dynamoShardsReader(client, tables);
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: accountsTable, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  return {
    async account(accountId) {
      const row = await read(accountKeys.account(accountId));
      return row === undefined ? undefined : accountLineOf(row);
    },
    async *everyRow() {
      for await (const row of scanRows(client, accountsTable, { attributes: ownerAttributes })) {
        const foundRow = foundIn(row);
        if (foundRow !== null) yield foundRow;
      }
    },
    async *ledgers() {
      let last: string | null = null;
      for await (const row of scanRows(client, ledgerTable, { attributes: ["pk", "sk"] })) {
        const { pk, sk } = keyOf(row);
        const isOfLedger =
          pk.startsWith("account#") && (sk.startsWith("entry#") || sk.startsWith("page#"));
        // A scan returns the rows of a partition one directly after another, so each partition is
        // yielded once.
        if (isOfLedger && pk !== last) yield placeOf(pk);
        if (isOfLedger) last = pk;
      }
    },
    async hasRows(accountId) {
      const { pk } = accountKeys.account(accountId);
      for (const table of [accountsTable, ledgerTable]) {
        const range = { ...rowsBelow(pk, ""), rowsAtOnce: 1 };
        for await (const _row of readRows(client, table, range)) return true;
      }
      return (await shards.beyond(accountId, 0)).length > 0;
    },
    shardsBeyond: ({ id, shards: count }) => shards.beyond(id, count),
    async isUnlisted({ hash, keyId, accountId }) {
      const listing = await read(accountKeys.key(accountId, keyId));
      if (listing?.["hash"] === hash) return false;
      // Read the lookup row last, because a revocation deletes the listing and the lookup row in
      // one transaction.
      const lookup = await read(accountKeys.keyHash(hash));
      return lookup !== undefined && lookup["revoked_at"] === undefined;
    },
  };
}

/**
 * The attributes that are read from every row: the attributes that name the row's account, and the
 * attributes of an `AccountLine`.
 */
const ownerAttributes = [...accountLineAttributes, "account_id", "key_id", "revoked_at"];

/** Returns the account and the shard of a partition; the shard is null for the account itself. */
function placeOf(pk: string): { readonly accountId: string; readonly shard: number | null } {
  const [, accountId = "", , shard] = pk.split("#");
  return { accountId, shard: shard === undefined ? null : Number(shard) };
}

function foundIn(row: Row): FoundRow | null {
  const key = keyOf(row);
  if (key.sk === accountKeys.account("").sk)
    return { kind: "account", account: accountLineOf(row) };
  if (key.pk.startsWith(accountKeys.account("").pk)) {
    return { kind: "below", ...placeOf(key.pk) };
  }
  const { pk, sk } = accountKeys.keyHash("");
  if (key.sk !== sk || row["revoked_at"] !== undefined) return null;
  const [keyId, accountId] = [String(row["key_id"]), String(row["account_id"])];
  return { kind: "key", key: { hash: key.pk.slice(pk.length), keyId, accountId } };
}
