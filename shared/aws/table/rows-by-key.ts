import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { againIfThrottled, type Row, retryContended } from "./dynamo.ts";
import type { RowKey } from "./table.ts";

interface Options {
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Names of the attributes to read. @default all */
  readonly attributes?: readonly string[];
}

/**
 * Reads up to 100 rows by their keys with strongly consistent reads. Returns them in any order, and
 * omits rows that do not exist. Repeats the request for keys that an overloaded table did not
 * process.
 * @throws 503 UNAVAILABLE if keys stay unprocessed
 */
export async function rowsByKey(
  client: DynamoDBDocumentClient,
  { table, attributes, ...patience }: Options,
  keys: readonly RowKey[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let left: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
  if (left.length === 0) return rows;
  const projection = attributes !== undefined && {
    ProjectionExpression: attributes.map((_, n) => `#a${n}`).join(", "),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name, n) => [`#a${n}`, name])),
  };
  const read = async (): Promise<"read" | "again"> => {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({
        RequestItems: { [table]: { Keys: left, ConsistentRead: true, ...projection } },
      }),
    );
    rows.push(...(Responses?.[table] ?? []));
    left = UnprocessedKeys?.[table]?.Keys ?? [];
    return left.length === 0 ? "read" : "again";
  };
  await retryContended(patience, (note) => againIfThrottled(note, read));
  return rows;
}
