import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { type DueKind, tableSchema } from "../base/table-schema.ts";
import type { Row } from "./dynamo.ts";
import type { RowKey } from "./table.ts";

export interface DueKey extends RowKey {
  readonly dueAt: string;
}

const { name, partitionKey, sortKey } = tableSchema.dueIndex;

/**
 * Keys of the rows of one kind that were due by a time, longest due first. The index lags behind
 * its table: whoever acts on a row checks the row.
 */
export async function dueKeys(
  client: DynamoDBDocumentClient,
  table: string,
  query: { readonly kind: DueKind; readonly by: Date; readonly limit: number },
): Promise<readonly DueKey[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({ ...whatIsDue(table, query), Limit: query.limit }),
  );
  return Items.map(dueKeyOf);
}

/** The same among the rows of one partition: all of them. */
export async function dueKeysOf(
  client: DynamoDBDocumentClient,
  table: string,
  query: { readonly kind: DueKind; readonly by: Date; readonly pk: string },
): Promise<readonly DueKey[]> {
  const due = whatIsDue(table, query);
  const found: DueKey[] = [];
  let from: QueryCommandInput["ExclusiveStartKey"];
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        ...due,
        FilterExpression: "pk = :pk",
        ExpressionAttributeValues: { ...due.ExpressionAttributeValues, ":pk": query.pk },
        ExclusiveStartKey: from,
      }),
    );
    found.push(...Items.map(dueKeyOf));
    from = LastEvaluatedKey;
  } while (from !== undefined);
  return found;
}

const whatIsDue = (table: string, { kind, by }: { kind: DueKind; by: Date }) => ({
  TableName: table,
  IndexName: name,
  KeyConditionExpression: "#kind = :kind AND #at <= :by",
  ExpressionAttributeNames: { "#kind": partitionKey, "#at": sortKey },
  ExpressionAttributeValues: { ":kind": kind, ":by": by.toISOString() },
});

const dueKeyOf = (row: Row): DueKey => ({
  pk: String(row["pk"]),
  sk: String(row["sk"]),
  dueAt: String(row[sortKey]),
});
