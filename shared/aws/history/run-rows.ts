import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../base/limits.ts";
import type { Row } from "../table/dynamo.ts";
import { growingRows, queryRows } from "../table/query-rows.ts";
import { historyKeys } from "../table/table.ts";

/** A range of runs of a watchlist, both ends inclusive. @default all runs, oldest first */
export interface RunRange {
  readonly watchlistId: string;
  readonly first?: number;
  readonly last?: number;
  readonly isNewestFirst?: boolean;
  /** With `isNewestFirst`: true if the first request should read more rows. @default false */
  readonly isWhole?: boolean;
}

const lastChunk = 9_999;

/**
 * Returns the DynamoDB query for the rows of the run segments in a range of run numbers.
 * @param table The name of the table.
 * @param range.first The first run number. The default is 1.
 * @param range.last The last run number, inclusive. The default is the highest possible number.
 * @param range.isNewestFirst True to return the newest runs first.
 */
export const runRowsQuery = (
  table: string,
  { watchlistId, first = 1, last = limits.runNumberMax, isNewestFirst = false }: RunRange,
) => ({
  TableName: table,
  KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
  ExpressionAttributeValues: {
    ":pk": historyKeys.head(watchlistId).pk,
    ":first": historyKeys.run(watchlistId, first, 0).sk,
    ":last": historyKeys.run(watchlistId, last, lastChunk).sk,
  },
  ScanIndexForward: !isNewestFirst,
  ConsistentRead: true,
});

/**
 * Number of rows in the first request of a newest-first read. `newestRows` is for a reader that
 * needs few runs, and `wholeRows` for a reader that needs many.
 */
const [newestRows, wholeRows] = [8, 32];

/**
 * Yields the rows of the segments of a range of runs, and requests them page by page. If
 * `isNewestFirst` is true and `isWhole` is not, the first page is small, because the caller often
 * needs only the newest runs.
 */
export const runRows = (
  client: DynamoDBDocumentClient,
  table: string,
  range: RunRange,
): AsyncGenerator<Row> =>
  range.isNewestFirst === true
    ? growingRows(client, {
        ...runRowsQuery(table, range),
        Limit: range.isWhole === true ? wholeRows : newestRows,
      })
    : queryRows(client, runRowsQuery(table, range));
