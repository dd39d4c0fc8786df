import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { type DueKind, tableSchema } from "../base/table-schema.ts";
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
    new QueryCommand({
      TableName: table,
      IndexName: name,
      KeyConditionExpression: "#kind = :kind AND #at <= :by",
      ExpressionAttributeNames: { "#kind": partitionKey, "#at": sortKey },
      ExpressionAttributeValues: { ":kind": query.kind, ":by": query.by.toISOString() },
      Limit: query.limit,
    }),
  );
  return Items.map((row) => ({
    pk: String(row["pk"]),
    sk: String(row["sk"]),
    dueAt: String(row[sortKey]),
  }));
}
