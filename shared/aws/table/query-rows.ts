import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { Row } from "./dynamo.ts";

/** `Limit` bounds the rows that one request reads, not the rows of the result. */
type RowQuery = Omit<QueryCommandInput, "ExclusiveStartKey">;

/**
 * The pages of a query, until DynamoDB returns no `LastEvaluatedKey`. A page may end early, at 1 MB or for
 * an internal reason, and may be empty under a filter.
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

/** All rows of a query. Requests a page when the consumer needs it. */
export async function* queryRows(
  client: DynamoDBDocumentClient,
  query: RowQuery,
): AsyncGenerator<Row> {
  for await (const rows of queryPages(client, query)) yield* rows;
}

/** The first `count` rows of a query; fewer only if the query has fewer. */
export async function firstRows(
  client: DynamoDBDocumentClient,
  query: Omit<RowQuery, "Limit">,
  count: number,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const row of queryRows(client, { ...query, Limit: count })) {
    found.push(row);
    if (found.length === count) break;
  }
  return found;
}
