import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../base/chunks-of.ts";
import {
  attemptUnlessThrottled,
  type Row,
  retryWhileContended,
  type TableOptions,
} from "./dynamo.ts";
import type { RowKey } from "./table.ts";

interface Options extends TableOptions {
  /** Names of the attributes to read. @default all */
  readonly attributes?: readonly string[];
}

/** Maximum number of keys of a BatchGetItem request. */
const keysMax = 100;

/**
 * Reads rows by their keys with strongly consistent reads, 100 keys per request, one request at a
 * time. Returns the rows in any order, and omits rows that do not exist. If DynamoDB does not
 * process some keys of a request, because the table is overloaded, requests these keys again.
 * @throws 503 UNAVAILABLE if keys stay unprocessed
 */
export async function rowsByKey(
  client: DynamoDBDocumentClient,
  options: Options,
  keys: readonly RowKey[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const some of chunksOf(keys, keysMax)) rows.push(...(await readKeys(client, options, some)));
  return rows;
}

/** Reads the rows of at most `keysMax` keys. */
async function readKeys(
  client: DynamoDBDocumentClient,
  { table, attributes, ...patience }: Options,
  keys: readonly RowKey[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let left: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
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
  await retryWhileContended(patience, (note) => attemptUnlessThrottled(note, read));
  return rows;
}
