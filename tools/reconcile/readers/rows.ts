import {
  type DynamoDBDocumentClient,
  type QueryCommandInput,
  ScanCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { queryRows } from "../../../shared/aws/table/query-rows.ts";

/** The rows of a partition whose sort keys are between `from` and `to`, both inclusive. */
export interface RowRange {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
}

interface Reading {
  /** True to yield rows in descending order of their sort keys. */
  readonly newestFirst?: boolean;
  /** The number of rows in one request. Set it if only a known number of rows is needed. */
  readonly rowsAtOnce?: number;
  readonly filter?: Pick<
    QueryCommandInput,
    "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
  >;
}

/**
 * Returns the range of all sort keys that begin with a prefix. For an empty prefix, the range
 * starts at `!`, because DynamoDB accepts no empty key. It still contains all rows of the
 * partition, because sort keys contain only characters from `!` to `~`.
 */
export const rowsBelow = (pk: string, prefix: string): RowRange => ({
  pk,
  from: prefix === "" ? "!" : prefix,
  to: `${prefix}~`,
});

/**
 * Yields the rows of a range with strongly consistent reads. Sends one request at a time, so that a
 * large partition does not have to fit into memory.
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

/**
 * The filter of a scan: the sort key of the rows, and the attributes to return. If one is absent,
 * returns all rows or all attributes.
 */
interface Scanning {
  readonly sk?: string;
  readonly attributes?: readonly string[];
}

/**
 * Yields the rows of a whole table, or only the rows with the sort key `sk`, with strongly
 * consistent reads. The rows of a partition follow each other, but the order of the partitions is
 * undefined.
 */
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
