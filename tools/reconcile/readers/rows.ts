import {
  type DynamoDBDocumentClient,
  type QueryCommandInput,
  ScanCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { queryRows } from "../../../shared/aws/table/query-rows.ts";

/** Rows of one partition whose sort keys are in a range, both ends inclusive. */
export interface RowRange {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
}

interface Reading {
  /** True to yield the highest sort key first. */
  readonly newestFirst?: boolean;
  /** Rows in one request. Set it if the number of needed rows is known. */
  readonly rowsAtOnce?: number;
  readonly filter?: Pick<
    QueryCommandInput,
    "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
  >;
}

/**
 * Returns the range of all sort keys with a prefix; all rows for an empty prefix. Characters of
 * keys sort between `!` and `~`, and DynamoDB accepts no empty key.
 */
export const rowsBelow = (pk: string, prefix: string): RowRange => ({
  pk,
  from: prefix === "" ? "!" : prefix,
  to: `${prefix}~`,
});

/**
 * Yields rows of a range, strongly consistent, one request at a time, so that a partition does not
 * need to fit into memory.
 */
export function readRows(
  client: DynamoDBDocumentClient,
  TableName: string,
  { pk, from, to, newestFirst = false, rowsAtOnce, filter }: RowRange & Reading,
): AsyncGenerator<Row> {
  return queryRows(client, {
    ...filter,
    TableName,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ...filter?.ExpressionAttributeValues,
      ":pk": pk,
      ":from": from,
      ":to": to,
    },
    ScanIndexForward: !newestFirst,
    ConsistentRead: true,
    Limit: rowsAtOnce,
  });
}

/** Limits a scan to one sort key, and to the named attributes. */
interface Scanning {
  readonly sk?: string;
  readonly attributes?: readonly string[];
}

/** Yields rows of a table in its own order, partition by partition. */
export async function* scanRows(
  client: DynamoDBDocumentClient,
  TableName: string,
  { sk, attributes }: Scanning,
): AsyncGenerator<Row> {
  const names = attributes?.map((name, n) => [`#a${n}`, name] as const);
  let start: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        ...(sk !== undefined && {
          FilterExpression: "sk = :sk",
          ExpressionAttributeValues: { ":sk": sk },
        }),
        ...(names !== undefined && {
          ProjectionExpression: names.map(([name]) => name).join(", "),
          ExpressionAttributeNames: Object.fromEntries(names),
        }),
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    yield* Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
