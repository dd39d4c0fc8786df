import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { HistoryOwner } from "../../history/history-store.ts";
import { type Row, type TableOptions, type TransactItem, transactWrites } from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";

/**
 * Maximum number of rows of a transaction: DynamoDB's 100 writes, less the check of the watchlist.
 */
const rowsMax = 99;
/** Maximum size of the rows of a transaction, in bytes. DynamoDB's limit is 4 MB. */
const bytesMax = 3 * 1024 * 1024;

/**
 * Puts rows in order, in as few transactions as possible. Each transaction checks that the
 * watchlist exists, so that a process which continues after the watchlist was purged writes
 * nothing. Returns false if the watchlist does not exist; the rows of earlier transactions may be
 * written.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function putRows(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { list, rows }: { readonly list: HistoryOwner; readonly rows: readonly Row[] },
): Promise<boolean> {
  for (const group of groupsOf(rows)) {
    const puts = group.map((row) => ({ Put: { TableName: options.table, Item: { ...row } } }));
    if (!(await transactWrites(client, [exists(options.table, list), ...puts], options))) {
      return false;
    }
  }
  return true;
}

/** Builds the write of a transaction that checks that a watchlist exists. */
export const exists = (table: string, { accountId, watchlistId }: HistoryOwner): TransactItem => ({
  ConditionCheck: {
    TableName: table,
    Key: watchlistKeys.watchlist(accountId, watchlistId),
    ConditionExpression: "attribute_exists(pk)",
  },
});

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
 * Upper bound of the size of a row in bytes: its lines, and 1,024 bytes for its keys and other
 * attributes.
 */
const sizeOf = ({ lines }: Row): number => 1_024 + ((lines as Uint8Array | undefined)?.length ?? 0);
