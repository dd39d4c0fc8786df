import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { itemsLockedBy } from "../../../tools/dynamodb/conflicts.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import type { RowKey } from "../../../shared/aws/table/table.ts";
import type { Attempt } from "../attempt.ts";
import type { Stage } from "../stage.ts";

type Reader = Pick<Stage, "client" | "table">;

/** Reads all rows of the table. */
export async function allRows({ client, table }: Reader): Promise<readonly (Row & RowKey)[]> {
  const rows: (Row & RowKey)[] = [];
  let ExclusiveStartKey: Row | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: table, ExclusiveStartKey }));
    rows.push(...((page.Items ?? []) as (Row & RowKey)[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return rows;
}

/** Reads a row with a consistent read; undefined if it does not exist. */
export async function rowAt({ client, table }: Reader, Key: RowKey): Promise<Row | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: table, Key, ConsistentRead: true }),
  );
  return Item;
}

/**
 * Returns the keys of the rows that a request writes or only checks in a transaction; empty for any
 * other request.
 */
export const keysWritten = ({ service, operation, input }: Attempt): readonly RowKey[] =>
  service === "dynamo" ? itemsLockedBy(operation, input) : [];
