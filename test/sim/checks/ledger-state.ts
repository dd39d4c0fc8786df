import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";
import type { Stage } from "../stage.ts";
import { isEntry, movesOf } from "./journal-moves.ts";

/** The stored data of a shard: its row, and the pages and usage rows that were copied from it. */
export interface ShardState {
  readonly number: number;
  readonly row: Row;
  /** The pages, in the order of their stamps. */
  readonly pages: readonly Row[];
  /** The records of the pages, then of the row. They contain all changes of the shard in order. */
  readonly records: readonly Row[];
  readonly usage: readonly Row[];
}

/** A ledger entry of a shard, or of the account before it had shards. */
export interface Entry {
  readonly type: string;
  readonly credits: number;
  /** The credits by which the entry changes the balance; negative if the balance decreases. */
  readonly moves: number;
  readonly holdId: string | undefined;
  /** The call that is the source of the entry; undefined for a step of a run. */
  readonly requestId: string | undefined;
  /** The API key of that call; undefined if the entry does not name it. */
  readonly apiKeyId: string | undefined;
  readonly runId: string | undefined;
  readonly step: string | undefined;
  /** True for a refund that reverses an earlier charge. */
  readonly isTakenBack: boolean;
  /** The time of the entry in microseconds since 1970. */
  readonly at: number;
  readonly shard: number | null;
}

/** A hold of a call or of a step, open or resolved. */
export interface Hold {
  readonly id: string;
  readonly state: "open" | "settled" | "cancelled";
  readonly credits: number;
  /** The charged credits; 0 for an open hold. */
  readonly charged: number;
  /** True if the hold has a separate row, and false if it is in the row of its shard. */
  readonly hasRow: boolean;
}

/** The stored credit data of an account. */
export interface LedgerState {
  readonly account: Row;
  /** The shards; an empty list if the account has none. */
  readonly shards: readonly ShardState[];
  /** The rows of unsharded entries, in the order of their sequence. */
  readonly oldEntries: readonly Row[];
  /**
   * The rows of holds that are not stored in a shard: holds of steps, holds of unsharded calls, and
   * canceled holds.
   */
  readonly holdRows: readonly Row[];
  /** The rows of daily budgets. */
  readonly budgets: readonly Row[];
  /** The rows of the account's watchlists. */
  readonly watchlists: readonly Row[];
  /** All entries: the unsharded entries, then the entries of each shard in order. */
  readonly entries: readonly Entry[];
  readonly holds: readonly Hold[];
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  readonly inFlight: number;
}

type Reader = Pick<Stage, "client" | "table">;

/** Reads all rows of a partition, in the order of their sort keys, with consistent reads. */
export async function partitionRows({ client, table }: Reader, pk: string): Promise<Row[]> {
  const rows: Row[] = [];
  let from: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    rows.push(...Items);
    from = LastEvaluatedKey;
  } while (from !== undefined);
  return rows;
}

/** Returns the partition keys of an account's shards; an empty list if the account has none. */
export const shardPartitions = (accountId: string, account: Row | undefined): readonly string[] =>
  Array.from(
    { length: Number(account?.["shards"] ?? 0) },
    (_, shard) => accountKeys.shard(accountId, shard).pk,
  );

/**
 * Reads the credit data of an account with several queries. In a simulation, no write can happen
 * between them.
 */
export async function readLedgerState(reader: Reader, accountId: string): Promise<LedgerState> {
  const { pk } = accountKeys.account(accountId);
  const rows = await partitionRows(reader, pk);
  const account = rows.find(({ sk }) => sk === "account");
  const partitions = new Map([[pk, rows]]);
  for (const shard of shardPartitions(accountId, account)) {
    partitions.set(shard, await partitionRows(reader, shard));
  }
  return parseLedgerState(accountId, partitions);
}

/**
 * Parses the credit data of an account.
 * @param partitions the rows of the account and its shards, by partition key
 * @throws Error if a row is missing
 */
export function parseLedgerState(
  accountId: string,
  partitions: ReadonlyMap<string, readonly Row[]>,
): LedgerState {
  const rows = partitions.get(accountKeys.account(accountId).pk) ?? [];
  const account = rows.find(({ sk }) => sk === "account");
  if (account === undefined) throw new Error(`${accountId} has no row`);
  const shards = shardPartitions(accountId, account).map((pk, number) =>
    shardState(number, partitions.get(pk) ?? []),
  );
  const [oldEntries, holdRows] = [below(rows, "entry#"), below(rows, "hold#")];
  const sum = (name: string): number =>
    shards.length === 0
      ? Number(account[name])
      : shards.reduce((all, { row }) => all + Number(row[name]), 0);
  const entries = [...oldEntries.map(oldEntry), ...shards.flatMap(shardEntries)];
  return {
    account,
    shards,
    oldEntries,
    holdRows,
    budgets: below(rows, "budget#"),
    watchlists: below(rows, "watchlist#"),
    entries,
    holds: [...holdRows.filter(hasCredits).map(rowHold), ...shards.flatMap(shardHolds)],
    balance: sum("balance"),
    held: sum("held"),
    spent: sum("spent"),
    inFlight: sum("in_flight"),
  };
}

const below = (rows: readonly Row[], prefix: string): Row[] =>
  rows.filter(({ sk }) => String(sk).startsWith(prefix));

/** Returns the list in an attribute; an empty list if the row has no such attribute. */
export const rowsIn = (list: unknown): readonly Row[] => (list ?? []) as readonly Row[];

function shardState(number: number, rows: readonly Row[]): ShardState {
  const row = rows.find(({ sk }) => sk === "shard");
  if (row === undefined) throw new Error(`shard ${number} has no row`);
  const pages = below(rows, "page#");
  const records = [...pages.flatMap((page) => rowsIn(page["records"])), ...rowsIn(row["journal"])];
  return { number, row, pages, records, usage: below(rows, "usage#") };
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

function oldEntry(row: Row): Entry {
  return {
    type: String(row["type"]),
    credits: Number(row["credits"]),
    moves: Number(row["balance_after"]) - Number(row["balance_before"]),
    holdId: text(row["hold_id"]),
    requestId: text(row["request_id"]),
    apiKeyId: text(row["api_key_id"]),
    runId: text(row["run_id"]),
    step: text(row["step"]),
    isTakenBack: row["charged_at"] !== undefined,
    at: Date.parse(String(row["created_at"])) * 1_000,
    shard: null,
  };
}

function shardEntries({ number: shard, records }: ShardState): readonly Entry[] {
  return records.flatMap((record) => {
    const source = (record["f"] ?? {}) as Row;
    const runId = text(source["u"]);
    const holdId = text(record["h"]);
    const common = {
      holdId,
      requestId: runId === undefined ? holdId : undefined,
      apiKeyId: text(source["k"]),
      runId,
      step: text(source["p"]),
      isTakenBack: record["t"] === "b",
      at: Number(record["a"]),
      shard,
    };
    return movesOf(record)
      .filter(isEntry)
      .map(({ type, credits, moves }): Entry => Object.assign({ type, credits, moves }, common));
  });
}

/** Returns false for the mark of a cancellation, which is not a hold. */
const hasCredits = (row: Row): boolean =>
  !(row["state"] === "cancelled" && row["created_at"] === undefined);

const rowHold = (row: Row): Hold => ({
  id: String(row["hold_id"]),
  state: row["state"] === "open" || row["state"] === "cancelled" ? row["state"] : "settled",
  credits: Number(row["credits"]),
  charged: Number(row["charged"] ?? 0),
  hasRow: true,
});

/**
 * Returns the holds of calls in a shard: open holds of its row, and holds that a record resolved.
 * The holds of steps have separate rows.
 */
function shardHolds({ row, records }: ShardState): readonly Hold[] {
  const open = Object.entries((row["holds"] ?? {}) as Record<string, Row>).map(
    ([id, hold]): Hold => ({
      id,
      state: "open",
      credits: Number(hold["c"]),
      charged: 0,
      hasRow: false,
    }),
  );
  const isOfCall = ({ f }: Row): boolean => (f as Row | undefined)?.["u"] === undefined;
  const back = new Set(records.filter(({ t }) => t === "b").map(({ h }) => h));
  const reserved = new Set(records.filter(({ t }) => t === "r").map(({ h }) => h));
  const resolved = records
    // Excludes an unsharded hold: a shard resolves it, but its reservation is an unsharded entry.
    .filter((record) => record["t"] === "s" && isOfCall(record) && reserved.has(record["h"]))
    .map((record): Hold => {
      const isBack = back.has(record["h"]);
      return {
        id: String(record["h"]),
        state: isBack ? "cancelled" : "settled",
        credits: Number(record["c"]) + Number(record["r"]),
        charged: isBack ? 0 : Number(record["c"]),
        hasRow: false,
      };
    });
  return [...open, ...resolved];
}

/** Returns the sum of the credits of all entries of the given types. */
export const sumOf = (entries: readonly Entry[], ...types: readonly string[]): number =>
  entries.reduce((sum, { type, credits }) => sum + (types.includes(type) ? credits : 0), 0);

/** Returns the sum of the credits that refunds of earlier charges gave back. */
export const takenBack = (entries: readonly Entry[]): number =>
  sumOf(
    entries.filter((entry) => entry.isTakenBack),
    "refund",
  );
