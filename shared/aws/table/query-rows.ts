import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { Row } from "./dynamo.ts";

/**
 * A query of which all pages are read. `Limit` is the number of rows in one request, not in the
 * result.
 */
type RowQuery = Omit<QueryCommandInput, "ExclusiveStartKey">;

/**
 * Yields the pages of a query until DynamoDB returns no `LastEvaluatedKey`. DynamoDB may end a page
 * early, at 1 MB or for an internal reason. With a filter, a page may be empty.
 */
export async function* queryPages(
  client: DynamoDBDocumentClient,
  query: RowQuery,
): AsyncGenerator<readonly Row[]> {
  let start: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({ ...query, ExclusiveStartKey: start }),
    );
    yield Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

/** Factor by which each further request of `growingRows` reads more rows. */
const growth = 4;
/** Number of rows from which `growingRows` leaves the size of a page to DynamoDB. */
const growingRowsMax = 1_000;

/**
 * Yields all rows of a query, for a caller that often needs only the first few. The first request
 * reads `Limit` rows, and each further request reads more rows than the previous one.
 */
export async function* growingRows(
  client: DynamoDBDocumentClient,
  { Limit, ...query }: RowQuery & { readonly Limit: number },
): AsyncGenerator<Row> {
  let start: Row | undefined;
  let rowsMax = Limit;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        ...query,
        ExclusiveStartKey: start,
        ...(rowsMax < growingRowsMax && { Limit: rowsMax }),
      }),
    );
    yield* Items;
    start = LastEvaluatedKey;
    rowsMax *= growth;
  } while (start !== undefined);
}

/** Yields all rows of a query. Requests the next page only when the caller needs it. */
export async function* queryRows(
  client: DynamoDBDocumentClient,
  query: RowQuery,
): AsyncGenerator<Row> {
  for await (const rows of queryPages(client, query)) yield* rows;
}

/** Returns the first `count` rows of a query, or all rows if the query has fewer. */
export async function firstRows(
  client: DynamoDBDocumentClient,
  query: Omit<RowQuery, "Limit">,
  count: number,
): Promise<readonly Row[]> {
  const foundRows: Row[] = [];
  for await (const row of queryRows(client, { ...query, Limit: count })) {
    foundRows.push(row);
    if (foundRows.length === count) break;
  }
  return foundRows;
}
