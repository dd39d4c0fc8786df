import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import {
  type Conversion,
  type Stored,
  versionChange,
  versionName,
  versionOf,
} from "../../base/stored-versions.ts";

/** A stored row, and the conversion that changes the row to its other version. */
interface RowToConvert {
  readonly table: string;
  /** The row as it is stored, with its key. */
  readonly row: Stored;
  readonly conversion: Conversion;
}

/**
 * Converts a stored row to the other version of its kind, and returns true. Writes only the
 * attributes that the conversion changes. Returns false, without a change, in three cases:
 * - the version or one of these attributes has changed since the row was read;
 * - the row was deleted;
 * - a transaction is writing the row.
 * @param client a client that does not convert rows
 * @throws any other error of the request
 */
export async function convertRow(
  client: DynamoDBDocumentClient,
  row: RowToConvert,
): Promise<boolean> {
  try {
    await client.send(new UpdateCommand(conversionUpdate(row)));
    return true;
  } catch (error) {
    const isChanged = error instanceof ConditionalCheckFailedException;
    if (isChanged || error instanceof TransactionConflictException) return false;
    throw error;
  }
}

/** Builds the update that converts a row, on condition that the row is as it was read. */
function conversionUpdate({ table, row, conversion }: RowToConvert): UpdateCommandInput {
  const { from, to } = versionChange(conversion, row);
  const isOlder = versionOf(row) === conversion.older;
  const version = isOlder ? conversion.older + 1 : conversion.older;
  const before: Stored = { ...from, [versionName]: row[versionName] };
  const after: Stored = { ...to, [versionName]: version === 1 ? undefined : version };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const attributes = names.map((name, n) => ({ n, before: before[name], after: after[name] }));
  const expected = attributes.slice(0, Object.keys(before).length);
  const sets = attributes.filter((one) => one.after !== undefined);
  const removes = attributes.filter((one) => one.after === undefined && one.before !== undefined);
  const conditions = expected.map((one) =>
    one.before === undefined ? `attribute_not_exists(#n${one.n})` : `#n${one.n} = :before${one.n}`,
  );
  const actions = [
    clause(
      "SET",
      sets.map(({ n }) => `#n${n} = :after${n}`),
    ),
    clause(
      "REMOVE",
      removes.map(({ n }) => `#n${n}`),
    ),
  ];
  return {
    TableName: table,
    Key: { pk: row["pk"], sk: row["sk"] },
    UpdateExpression: actions.flat().join(" "),
    ConditionExpression: ["attribute_exists(pk)", ...conditions].join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
    ExpressionAttributeValues: valuesOf([
      ...expected.map((one) => [`:before${one.n}`, one.before] as const),
      ...sets.map((one) => [`:after${one.n}`, one.after] as const),
    ]),
  };
}

const clause = (word: string, actions: readonly string[]): readonly string[] =>
  actions.length === 0 ? [] : [word, actions.join(", ")];

/**
 * Builds the map of expression values, without undefined values. DynamoDB refuses an empty map.
 * This map is never empty, because one of the two versions is above 1, and the map contains this
 * version as the value of `stored_version`.
 */
const valuesOf = (values: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(values.filter(([, value]) => value !== undefined));
