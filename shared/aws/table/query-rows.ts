import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { Row } from "./dynamo.ts";

/** `Limit` is how many rows are looked at by one request, not how many there will be. */
type RowQuery = Omit<QueryCommandInput, "ExclusiveStartKey">;

/**
 * The rows of a query as DynamoDB answers them, until it says that there are no more: an answer
 * may end early, after 1 MB or for no reason, and with a filter may hold no row at all.
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

/** Every row of a query; nothing is asked for before it is needed. */
export async function* queryRows(
  client: DynamoDBDocumentClient,
  query: RowQuery,
): AsyncGenerator<Row> {
  for await (const rows of queryPages(client, query)) yield* rows;
}

/** The first so many rows of a query, fewer only when there are no more. */
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
