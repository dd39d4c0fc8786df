import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountLine, accountLineOf, keyOf } from "./books-reader.ts";
import type { Row } from "./dynamo.ts";
import type { LedgerTables } from "./ledger/process.ts";
import { readRows, rowsBelow, scanRows } from "./row-reader.ts";
import { accountIdOf, accountKeys, ledgerKeys, type RowKey } from "./table.ts";

/** A key that lets calls in. */
export interface LiveKey {
  readonly hash: string;
  readonly keyId: string;
  readonly accountId: string;
}

/** What a row of the accounts table is; several of one account may be told as `below` it. */
export type FoundRow =
  | { readonly kind: "account"; readonly account: AccountLine }
  | { readonly kind: "below"; readonly accountId: string }
  | { readonly kind: "key"; readonly key: LiveKey };

/** Reads which accounts there are, and what there is of accounts that are not; changes nothing. */
export interface AccountsReader {
  account(accountId: string): Promise<AccountLine | undefined>;
  /** The whole accounts table, as far as it says whose it is. */
  everyRow(): AsyncIterable<FoundRow>;
  /** Accounts that have a ledger. */
  ledgers(): AsyncIterable<string>;
  /** Whether anything of an account is there besides its row: rows below it, or a ledger. */
  hasRows(accountId: string): Promise<boolean>;
  /** Whether a key lets calls in though no account lists it; looked up anew. */
  isUnlisted(key: LiveKey): Promise<boolean>;
}

export function dynamoAccountsReader(
  client: DynamoDBDocumentClient,
  { accountsTable, ledgerTable }: LedgerTables,
): AccountsReader {
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
      for await (const row of scanRows(client, accountsTable, { attributes: saysWhose })) {
        const found = foundIn(row);
        if (found !== null) yield found;
      }
    },
    async *ledgers() {
      const { sk } = ledgerKeys.entry("", 1);
      const first = { sk, attributes: ["pk", "sk"] };
      for await (const row of scanRows(client, ledgerTable, first)) yield accountIdOf(keyOf(row));
    },
    async hasRows(accountId) {
      const { pk } = accountKeys.account(accountId);
      for (const table of [accountsTable, ledgerTable]) {
        const range = { ...rowsBelow(pk, ""), rowsAtOnce: 1 };
        for await (const _row of readRows(client, table, range)) return true;
      }
      return false;
    },
    async isUnlisted({ hash, keyId, accountId }) {
      const listing = await read(accountKeys.key(accountId, keyId));
      if (listing?.["hash"] === hash) return false;
      // Read after its listing: whoever revokes a key takes both away at once.
      const lookup = await read(accountKeys.keyHash(hash));
      return lookup !== undefined && lookup["revoked_at"] === undefined;
    },
  };
}

/** What tells whose a row is, and what a list of accounts shows. */
const saysWhose = "pk sk account_id key_id revoked_at name email demo balance created_at".split(
  " ",
);

function foundIn(row: Row): FoundRow | null {
  const key = keyOf(row);
  if (key.sk === accountKeys.account("").sk)
    return { kind: "account", account: accountLineOf(row) };
  if (key.pk.startsWith(accountKeys.account("").pk)) {
    return { kind: "below", accountId: accountIdOf(key) };
  }
  const { pk, sk } = accountKeys.keyHash("");
  if (key.sk !== sk || row["revoked_at"] !== undefined) return null;
  const [keyId, accountId] = [String(row["key_id"]), String(row["account_id"])];
  return { kind: "key", key: { hash: key.pk.slice(pk.length), keyId, accountId } };
}
