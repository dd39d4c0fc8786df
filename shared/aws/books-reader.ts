import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { LedgerEntry } from "../credits/ledger-fold.ts";
import type { StoredBooks, StoredHold, StoredUsage } from "../credits/reconcile-account.ts";
import type { Row } from "./dynamo.ts";
import { transactionOf } from "./ledger-entry.ts";
import type { LedgerTables } from "./ledger-transactions.ts";
import { readRows, rowsBelow, scanRows } from "./row-reader.ts";
import { accountKeys, ledgerKeys, type RowKey } from "./table.ts";

/** An account as a list of all accounts shows it. */
export interface AccountLine {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly demo: boolean;
  readonly balance: number;
  readonly createdAt: string;
}

/** An open hold; times are ISO 8601 UTC. */
export interface HoldLine {
  readonly holdId: string;
  readonly credits: number;
  readonly createdAt: string;
  /** From when the sweeper gives it back. */
  readonly expiresAt: string;
}

/** The API keys of an account as its rows have them. */
export interface StoredKeys {
  /** What counts for the limit of keys. */
  readonly count: number;
  /** Of each key that is listed, whether its lookup row lets calls in. */
  readonly works: ReadonlyMap<string, boolean>;
}

/** Reads what accounts and their ledgers consist of, row by row; changes nothing. */
export interface BooksReader {
  accounts(): AsyncIterable<AccountLine>;
  books(accountId: string): Promise<StoredBooks | undefined>;
  /** Entries by their numbers, both inclusive. */
  entries(accountId: string, from: number, to: number): AsyncIterable<LedgerEntry>;
  /** Open ones, and those that were resolved in the last weeks. */
  holds(accountId: string): AsyncIterable<StoredHold>;
  openHolds(accountId: string): AsyncIterable<HoldLine>;
  usage(accountId: string): AsyncIterable<StoredUsage>;
  keys(accountId: string): Promise<StoredKeys>;
}

export function dynamoBooksReader(
  client: DynamoDBDocumentClient,
  { accountsTable, ledgerTable }: LedgerTables,
): BooksReader {
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: accountsTable, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  const below = (key: RowKey) => readRows(client, accountsTable, rowsBelow(key.pk, key.sk));
  return {
    async *accounts() {
      const { sk } = accountKeys.account("");
      for await (const row of scanRows(client, accountsTable, sk)) yield accountLineOf(row);
    },
    async books(accountId) {
      const row = await read(accountKeys.account(accountId));
      return row === undefined ? undefined : booksOf(accountId, row);
    },
    async *entries(accountId, from, to) {
      const range = {
        pk: ledgerKeys.entry(accountId, from).pk,
        from: ledgerKeys.entry(accountId, from).sk,
        to: ledgerKeys.entry(accountId, to).sk,
      };
      if (from > to) return;
      for await (const row of readRows(client, ledgerTable, range)) {
        yield { ...transactionOf(row), holdId: (row["hold_id"] as string | undefined) ?? null };
      }
    },
    async *holds(accountId) {
      for await (const row of below(accountKeys.hold(accountId, ""))) yield storedHoldOf(row);
    },
    async *openHolds(accountId) {
      const { pk, sk } = accountKeys.hold(accountId, "");
      const filter = {
        FilterExpression: "#state = :open",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: { ":open": "open" },
      };
      const range = { ...rowsBelow(pk, sk), filter };
      for await (const row of readRows(client, accountsTable, range)) yield holdLineOf(row);
    },
    async *usage(accountId) {
      const first = accountKeys.usage(accountId, "");
      for await (const row of below(first)) yield usageOf(row, first.sk);
    },
    async keys(accountId) {
      const counter = await read(accountKeys.keyCount(accountId));
      const listed = await Array.fromAsync(below(accountKeys.key(accountId, "")));
      const works = await workingKeys(client, accountsTable, listed);
      return { count: Number(counter?.["key_count"] ?? 0), works };
    },
  };
}

const accountLineOf = (row: Row): AccountLine => ({
  id: String(row["id"]),
  name: String(row["name"]),
  email: String(row["email"]),
  demo: row["demo"] === true,
  balance: Number(row["balance"]),
  createdAt: String(row["created_at"]),
});

const booksOf = (accountId: string, row: Row): StoredBooks => ({
  accountId,
  sequence: Number(row["sequence"]),
  balance: Number(row["balance"]),
  held: Number(row["held"]),
  spent: Number(row["spent"]),
  lifetime: Number(row["lifetime"]),
  inFlight: Number(row["in_flight"]),
});

const storedHoldOf = (row: Row): StoredHold => ({
  holdId: String(row["hold_id"]),
  isOpen: row["state"] === "open",
  credits: Number(row["credits"]),
  charged: row["charged"] === undefined ? null : Number(row["charged"]),
  isDue: row["due_kind"] === "hold" && typeof row["due_at"] === "string",
});

const holdLineOf = (row: Row): HoldLine => ({
  holdId: String(row["hold_id"]),
  credits: Number(row["credits"]),
  createdAt: String(row["created_at"]),
  expiresAt: String(row["due_at"]),
});

const usageOf = (row: Row, prefix: string): StoredUsage => ({
  date: String(row["sk"]).slice(prefix.length),
  requests: Number(row["requests"]),
  successful: Number(row["successful"]),
  failed: Number(row["failed"]),
  credits: Number(row["credits"]),
});

/** An account has few keys: one request looks all of them up. */
async function workingKeys(
  client: DynamoDBDocumentClient,
  table: string,
  listed: readonly Row[],
): Promise<ReadonlyMap<string, boolean>> {
  if (listed.length === 0) return new Map();
  const Keys = listed.map((row) => ({ ...accountKeys.keyHash(String(row["hash"])) }));
  const { Responses } = await client.send(
    new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
  );
  const working = new Set(
    (Responses?.[table] ?? [])
      .filter((row) => row["revoked_at"] === undefined)
      .map((row) => row["key_id"]),
  );
  return new Map(listed.map((row) => [String(row["key_id"]), working.has(row["key_id"])]));
}
