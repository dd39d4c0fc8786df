import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../base/chunks-of.ts";
import { inParallel } from "../../base/in-parallel.ts";
import type { HistoryOwner } from "../../history/history-store.ts";
import {
  conditionalWrite,
  retryOnConflict,
  type Row,
  type TableOptions,
  type TransactItem,
  transactWrites,
} from "../table/dynamo.ts";
import { historyBounds } from "./history-bounds.ts";
import { watchlistKeys } from "../table/table.ts";

/**
 * Maximum number of rows of a transaction: DynamoDB's 100 writes, less the check of the watchlist.
 */
const rowsMax = 99;
/** Maximum size of the rows of a transaction, in bytes. DynamoDB's limit is 4 MB. */
const bytesMax = 3 * 1024 * 1024;

/**
 * Number of claimed rows (rows that were first created without content) that are written at the
 * same time.
 */
const parallelPuts = 4;

/**
 * Puts rows of a watchlist's history, the last row at the end. Readers ignore the rows until the
 * last one is written. Returns false if the watchlist does not exist. If it was deleted during the
 * call, some rows may have been written; the purge of the watchlist deletes them.
 * - A large row is first created without content, in a transaction that checks that the watchlist
 *   exists. The content is then put only if the row still exists, so that no row remains after a
 *   purge.
 * - The other rows are put in order, in as few transactions as possible. Each transaction checks
 *   that the watchlist exists.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function putRows(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { watchlist, rows }: WatchlistRows,
): Promise<boolean> {
  const large = rows.filter(isLarge);
  const last = rows.at(-1);
  const isLastLarge = last !== undefined && isLarge(last);
  const early = isLastLarge ? large.slice(0, -1) : large;
  const small = rows.filter((row) => !isLarge(row));
  return (
    (await claim(client, options, { watchlist, rows: large })) &&
    (await putClaimed(client, options, early)) &&
    (await putInTransactions(client, options, { watchlist, rows: small })) &&
    (!isLastLarge || putClaimed(client, options, [last]))
  );
}

/** Rows of the history of one watchlist. */
interface WatchlistRows {
  readonly watchlist: HistoryOwner;
  readonly rows: readonly Row[];
}

const isLarge = (row: Row): boolean => sizeOf(row) > historyBounds.claimedAbove;

/** Puts rows in transactions, in their order. Returns false if the watchlist does not exist. */
async function putInTransactions(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { watchlist, rows }: WatchlistRows,
): Promise<boolean> {
  const { table } = options;
  for (const group of groupsOf(rows)) {
    const puts = group.map((row) => ({ Put: { TableName: table, Item: { ...row } } }));
    if (!(await transactWrites(client, [exists(table, watchlist), ...puts], options))) return false;
  }
  return true;
}

/** Creates rows without content. Returns false if the watchlist does not exist. */
async function claim(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { watchlist, rows }: WatchlistRows,
): Promise<boolean> {
  const { table } = options;
  for (const some of chunksOf(rows, rowsMax)) {
    const claims = some.map((row) => claimOf(table, row));
    if (!(await transactWrites(client, [exists(table, watchlist), ...claims], options)))
      return false;
  }
  return true;
}

/**
 * Writes the content of claimed rows, several at the same time. Returns false if a purge has
 * deleted one of the rows.
 */
async function putClaimed(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  rows: readonly Row[],
): Promise<boolean> {
  const put = await inParallel(rows, parallelPuts, (row) => putIfClaimed(client, options, row));
  return put.every(Boolean);
}

/** Builds the write that creates a row without content. Keeps the content of an existing row. */
const claimOf = (TableName: string, { pk, sk, ttl }: Row): TransactItem => ({
  Update: {
    TableName,
    Key: { pk, sk },
    UpdateExpression: "SET #ttl = :ttl",
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: { ":ttl": ttl },
  },
});

/**
 * Writes the content of a claimed row. Returns false, without a change, if a purge has deleted the
 * row.
 */
const putIfClaimed = (
  client: DynamoDBDocumentClient,
  options: TableOptions,
  row: Row,
): Promise<boolean> =>
  retryOnConflict(options, () =>
    conditionalWrite(() =>
      client.send(
        new PutCommand({
          TableName: options.table,
          Item: { ...row },
          ConditionExpression: "attribute_exists(pk)",
        }),
      ),
    ),
  );

/** Builds the part of a transaction that checks that a watchlist exists. */
export const exists = (table: string, { accountId, watchlistId }: HistoryOwner): TransactItem => ({
  ConditionCheck: {
    TableName: table,
    Key: watchlistKeys.watchlist(accountId, watchlistId),
    ConditionExpression: "attribute_exists(pk)",
  },
});

/** Splits rows, in their order, into groups that each fit into one transaction. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    const group = groups.at(-1);
    if (group === undefined || group.length === rowsMax || bytes + size > bytesMax) {
      groups.push([row]);
      bytes = size;
    } else {
      group.push(row);
      bytes += size;
    }
  }
  return groups;
}

/**
 * Returns an upper bound of the size of a row in bytes: its lines, and 1,024 bytes for its keys
 * and other attributes.
 */
const sizeOf = ({ lines }: Row): number => 1_024 + ((lines as Uint8Array | undefined)?.length ?? 0);
