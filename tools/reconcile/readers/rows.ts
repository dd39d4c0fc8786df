import {
  type DynamoDBDocumentClient,
  type QueryCommandInput,
  ScanCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { queryRows } from "../../../shared/aws/table/query-rows.ts";

/** Rows of one partition whose sort keys lie in a range, both ends inclusive. */
export interface RowRange {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
}

interface Reading {
  /** The highest sort key first. */
  readonly newestFirst?: boolean;
  /** Rows asked for at once: as many as are wanted, when that is known. */
  readonly rowsAtOnce?: number;
  readonly filter?: Pick<
    QueryCommandInput,
    "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
  >;
}

/**
 * Every row that begins with a sort key; of an empty one every row. Keys are made of what sorts
 * between `!` and `~`, and DynamoDB takes no empty key.
 */
export const rowsBelow = (pk: string, prefix: string): RowRange => ({
  pk,
  from: prefix === "" ? "!" : prefix,
  to: `${prefix}~`,
});

/** Strongly consistent, one request at a time, so that no partition has to fit into memory. */
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

/** Rows of a whole table: those with one sort key, and of each only what is named. */
interface Scanning {
  readonly sk?: string;
  readonly attributes?: readonly string[];
}

/** Every row of a table, or some of them, in the table's own order: partition by partition. */
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
