import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { missing, present } from "../rules/difference.ts";
import { timeOfStamp } from "../../../shared/credits/journal.ts";
import type { LedgerEntry } from "../rules/ledger-fold.ts";
import type { StoredAccount, StoredSums, StoredHold, StoredUsage } from "../rules/account.ts";
import type { StoredBudget } from "../rules/budget.ts";
import { dueTimeOf } from "../../../shared/aws/table/due-partitions.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { transactionOf } from "../../../shared/aws/ledger/entry-row.ts";
import type { LedgerTables } from "../../../shared/aws/ledger/process.ts";
import { shardCountOf } from "../../../shared/aws/ledger/read-shards.ts";
import { budgetsOf } from "../../../shared/aws/ledger/hold-row.ts";
import { shardOf } from "../../../shared/aws/ledger/shard-row.ts";
import { readRows, rowsBelow, scanRows } from "./rows.ts";
import { dynamoShardsReader, type ShardsReader, usageRowOf } from "./shards.ts";
import {
  accountIdOf,
  accountKeys,
  ledgerKeys,
  type RowKey,
} from "../../../shared/aws/table/table.ts";

/** An account as it appears in a list of all accounts. */
export interface AccountLine {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** True for the account of a demo workspace. */
  readonly demo: boolean;
  /** The number of shards; 0 if the account's own row has the sums. */
  readonly shards: number;
  readonly createdAt: string;
}

/**
 * An account with the sum of its balances. The balances were read in sequence, while calls
 * continued.
 */
export interface AccountBalance extends AccountLine {
  readonly balance: number;
}

/** An open hold. Times are in ISO 8601 UTC. */
export interface HoldLine {
  readonly holdId: string;
  readonly credits: number;
  readonly createdAt: string;
  /** The time at which the sweeper releases the hold. */
  readonly expiresAt: string;
}

/** The rows of an account's API keys. */
export interface StoredKeys {
  /**
   * The counter that limits the number of keys; null if keys were created or revoked during the
   * read.
   */
  readonly count: number | null;
  /**
   * The state of the lookup row of each listed key, by key ID. `present` means a valid key. Other
   * values are `missing`, `revoked`, and a string with the ID of another account.
   */
  readonly lookups: ReadonlyMap<string, string>;
}

/** Reads the rows of accounts and their ledgers. Read-only. */
export interface LedgerReader {
  /** Returns all accounts with their balances, in any order. */
  accounts(): Promise<readonly AccountBalance[]>;
  /** Returns the sums in an account's row; undefined if the row does not exist. */
  account(accountId: string): Promise<StoredAccount | undefined>;
  /**
   * Returns the sums of an account that has no shards yet; undefined if it has shards or does not
   * exist.
   */
  oldSums(accountId: string): Promise<StoredSums | undefined>;
  readonly shards: ShardsReader;
  /**
   * Yields the entries that are stored for the account itself, not in the journals of its shards,
   * by ascending sequence number. `from` and `to` are sequence numbers, inclusive. Without `to`,
   * yields all entries from `from` on.
   */
  entries(accountId: string, from: number, to?: number): AsyncIterable<LedgerEntry>;
  /**
   * Yields holds that have separate rows: open holds, and holds that were resolved in the last 30
   * days.
   */
  holds(accountId: string): AsyncIterable<StoredHold>;
  /** Yields the stored use of each daily budget, of the account and of its watchlists. */
  dailyBudgets(accountId: string): AsyncIterable<StoredBudget>;
  /** Yields all open holds: holds with separate rows, and holds in shards. */
  openHolds(account: { readonly id: string; readonly shards: number }): AsyncIterable<HoldLine>;
  /**
   * Yields the daily usage that was stored before the ledger of the account was split into shards.
   */
  usage(accountId: string): AsyncIterable<StoredUsage>;
  /** Returns the rows of an account's API keys. */
  keys(accountId: string): Promise<StoredKeys>;
}

/** Creates the reader of ledgers in DynamoDB. Its reads are strongly consistent. */
export function dynamoLedgerReader(
  client: DynamoDBDocumentClient,
  tables: LedgerTables,
): LedgerReader {
  const { accountsTable, ledgerTable } = tables;
  const shards = dynamoShardsReader(client, tables);
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: accountsTable, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  const below = (key: RowKey) => readRows(client, accountsTable, rowsBelow(key.pk, key.sk));
  return {
    accounts: () => accountBalances(client, accountsTable),
    async account(accountId) {
      const row = await read(accountKeys.account(accountId));
      return row && storedAccountOf(accountId, row);
    },
    async oldSums(accountId) {
      const row = await read(accountKeys.account(accountId));
      return row === undefined || shardCountOf(row) > 0 ? undefined : oldSumsOf(accountId, row);
    },
    shards,
    async *entries(accountId, from, to = ledgerKeys.sequenceMax) {
      const range = {
        pk: ledgerKeys.entry(accountId, from).pk,
        from: ledgerKeys.entry(accountId, from).sk,
        to: ledgerKeys.entry(accountId, to).sk,
      };
      if (from > to) return;
      for await (const row of readRows(client, ledgerTable, range)) {
        const holdId = (row["hold_id"] as string | undefined) ?? null;
        const isOpening = Number(row["sequence"]) === 1;
        yield { ...transactionOf(row), id: String(row["id"]), holdId, isOpening };
      }
    },
    async *holds(accountId) {
      for await (const row of below(accountKeys.hold(accountId, ""))) yield storedHoldOf(row);
    },
    async *dailyBudgets(accountId) {
      const first = accountKeys.dailyBudget(accountId, "", "");
      const prefix = { ...first, sk: first.sk.slice(0, first.sk.indexOf("#") + 1) };
      for await (const row of below(prefix)) {
        const [, owner = "", day = ""] = String(row["sk"]).split("#");
        yield { owner, day, used: Number(row["used"]) - Number(row["base"] ?? 0) };
      }
    },
    async *openHolds({ id: accountId, shards: count }) {
      for (let number = 0; number < count; number += 1) {
        const shard = await read(accountKeys.shard(accountId, number));
        if (shard !== undefined) yield* shardHoldLines(shard);
      }
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
      for await (const row of below(first)) yield usageRowOf(row, first.sk);
    },
    keys: (accountId) => storedKeys(accountId, { read, below }),
  };
}

/** Returns all accounts, each with the sum of its shards' balances. Needs one scan. */
async function accountBalances(
  client: DynamoDBDocumentClient,
  table: string,
): Promise<readonly AccountBalance[]> {
  const [accountKey, shardKey] = [accountKeys.account(""), accountKeys.shard("", 0)];
  const rows: Row[] = [];
  const balances = new Map<string, number>();
  for await (const row of scanRows(client, table, { attributes: lineAttributes })) {
    const key = keyOf(row);
    if (key.sk !== accountKey.sk && key.sk !== shardKey.sk) continue;
    if (key.sk === accountKey.sk) rows.push(row);
    const accountId = accountIdOf(key);
    balances.set(accountId, (balances.get(accountId) ?? 0) + Number(row["balance"] ?? 0));
  }
  return rows.map((row) => {
    const line = accountLineOf(row);
    return Object.assign(line, { balance: balances.get(line.id) ?? 0 });
  });
}

/** Returns the key of a row. */
export const keyOf = (row: Row): RowKey => ({ pk: String(row["pk"]), sk: String(row["sk"]) });

interface Rows {
  readonly read: (key: RowKey) => Promise<Row | undefined>;
  readonly below: (key: RowKey) => AsyncIterable<Row>;
}

const readsMax = 8;

/**
 * Returns an account's keys. A key can be created or revoked between the read of the counter and
 * the read of the list. Both are therefore read until two successive reads agree, at most 8 times.
 */
async function storedKeys(accountId: string, { read, below }: Rows): Promise<StoredKeys> {
  const readBoth = async () => {
    const counter = await read(accountKeys.keyCount(accountId));
    const listed = await Array.fromAsync(below(accountKeys.key(accountId, "")));
    const ids = listed.map((row) => row["key_id"]).join(" ");
    return { count: Number(counter?.["key_count"] ?? 0), listed, ids };
  };
  let before = await readBoth();
  let isSteady = false;
  for (let looks = 1; looks < readsMax && !isSteady; looks += 1) {
    const now = await readBoth();
    isSteady = now.count === before.count && now.ids === before.ids;
    before = now;
  }
  const lookups = new Map<string, string>();
  // One read at a time is fast enough, because an account has few keys.
  for (const row of before.listed) {
    const lookup = await read(accountKeys.keyHash(String(row["hash"])));
    lookups.set(String(row["key_id"]), lookupOf(row, lookup));
  }
  return { count: isSteady ? before.count : null, lookups };
}

/** Returns the state of a listed key's lookup row, as `StoredKeys.lookups` defines it. */
function lookupOf(listed: Row, lookup: Row | undefined): string {
  if (lookup === undefined || lookup["key_id"] !== listed["key_id"]) return missing;
  if (lookup["revoked_at"] !== undefined) return "revoked";
  const owner = accountIdOf(keyOf(listed));
  return lookup["account_id"] === owner ? present : `that of ${String(lookup["account_id"])}`;
}

/**
 * Returns the account of a row. Its ID comes from the key, so the ID is valid even if other
 * attributes of the row are missing.
 */
export const accountLineOf = (row: Row): AccountLine => ({
  id: accountIdOf(keyOf(row)),
  name: String(row["name"]),
  email: String(row["email"]),
  demo: row["demo"] === true,
  shards: shardCountOf(row),
  createdAt: String(row["created_at"]),
});

/** The attributes of an account's row from which `accountLineOf` makes an `AccountLine`. */
export const accountLineAttributes = ["pk", "sk", "name", "email", "demo", "shards", "created_at"];

const lineAttributes = [...accountLineAttributes, "balance"];

const storedAccountOf = (accountId: string, row: Row): StoredAccount => ({
  accountId,
  id: typeof row["id"] === "string" ? row["id"] : null,
  lifetime: Number(row["lifetime"]),
  shards: shardCountOf(row),
  received: Number(row["received"]),
});

const oldSumsOf = (accountId: string, row: Row): StoredSums => ({
  accountId,
  id: typeof row["id"] === "string" ? row["id"] : null,
  lifetime: Number(row["lifetime"]),
  sequence: Number(row["sequence"]),
  balance: Number(row["balance"]),
  held: Number(row["held"]),
  spent: Number(row["spent"]),
  inFlight: Number(row["in_flight"]),
});

const storedHoldOf = (row: Row): StoredHold => ({
  holdId: String(row["hold_id"]),
  shard: Number(row["shard"] ?? 0),
  isOpen: row["state"] === "open",
  credits: Number(row["credits"]),
  charged: row["charged"] === undefined ? null : Number(row["charged"]),
  budgets: budgetsOf(row).map(({ owner, day }) => ({ owner, day })),
  dueAt: dueTimeOf("hold", row),
});

const holdLineOf = (row: Row): HoldLine => ({
  holdId: String(row["hold_id"]),
  credits: Number(row["credits"]),
  createdAt: String(row["created_at"]),
  expiresAt: String(row["due_at"]),
});

function shardHoldLines(row: Row): readonly HoldLine[] {
  return [...shardOf(row).holds].map(([holdId, { credits, at, expiresAt }]) => ({
    holdId,
    credits,
    createdAt: timeOfStamp(at).toISOString(),
    expiresAt: expiresAt.toISOString(),
  }));
}
