import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { IdempotencyRecord, IdempotencyStore } from "../../watchlists/idempotency.ts";
import {
  isConditionFailure,
  retryOnConflict,
  type Row,
  conditionalWrite,
  type TableOptions,
} from "../table/dynamo.ts";
import { epochSeconds, watchlistKeys } from "../table/table.ts";

/**
 * Creates a store of idempotency keys in the watchlists table, so that one transaction can change a
 * watchlist and its idempotency key. The store's methods throw 503 UNAVAILABLE if a row stays
 * locked or the retry budget is exhausted.
 */
export function dynamoIdempotencyStore(
  client: DynamoDBDocumentClient,
  options: TableOptions,
): IdempotencyStore {
  const { table } = options;
  /**
   * Puts a record under a condition. Returns the stored record as `refusedBy` if the condition
   * failed.
   */
  const put = (record: IdempotencyRecord, condition: Condition): Promise<PutOutcome> =>
    retryOnConflict(options, () => putRecord(client, { table, record, condition }));
  return {
    async open(record, now) {
      const { refusedBy } = await put(record, {
        // DynamoDB may delete a record days after its TTL, so an expired record counts as absent.
        ConditionExpression: "attribute_not_exists(pk) OR expires_at <= :now",
        ExpressionAttributeValues: { ":now": now.toISOString() },
      });
      return refusedBy ?? record;
    },
    async takeOver(record, seen) {
      const { isPut, refusedBy } = await put(record, {
        ConditionExpression: "#owner = :seen AND attribute_not_exists(answer)",
        ExpressionAttributeNames: { "#owner": "owner" },
        ExpressionAttributeValues: { ":seen": seen },
      });
      // If the response of a write is lost, the SDK repeats the write, and its condition fails
      // because the first write took effect. The stored record then has the owner of this record.
      return isPut || refusedBy?.owner === record.owner;
    },
    release: ({ accountId, keyHash, owner }) =>
      retryOnConflict(options, () =>
        conditionalWrite(() =>
          client.send(
            new DeleteCommand({
              TableName: table,
              Key: watchlistKeys.idempotency(accountId, keyHash),
              ConditionExpression:
                "attribute_not_exists(pk) OR (#owner = :owner AND attribute_not_exists(answer))",
              ExpressionAttributeNames: { "#owner": "owner" },
              ExpressionAttributeValues: { ":owner": owner },
            }),
          ),
        ),
      ),
  };
}

type Condition = Pick<
  PutCommandInput,
  "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
>;

interface PutOutcome {
  readonly isPut: boolean;
  /** The stored record, if the condition failed. */
  readonly refusedBy?: IdempotencyRecord;
}

/** Attempts once to put a record under a condition. */
async function putRecord(
  client: DynamoDBDocumentClient,
  write: { readonly table: string; readonly record: IdempotencyRecord; condition: Condition },
): Promise<PutOutcome> {
  try {
    await client.send(
      new PutCommand({
        TableName: write.table,
        Item: recordRow(write.record),
        ...write.condition,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return { isPut: true };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    const row = error.Item;
    return { isPut: false, ...(row && { refusedBy: recordOf(unmarshall(row)) }) };
  }
}

function recordRow(record: IdempotencyRecord): Row {
  return {
    ...watchlistKeys.idempotency(record.accountId, record.keyHash),
    account_id: record.accountId,
    key_hash: record.keyHash,
    body_hash: record.bodyHash,
    owner: record.owner,
    lease_until: record.leaseUntil.toISOString(),
    watchlist_id: record.watchlistId,
    claimed_at: record.claimedAt.toISOString(),
    expires_at: record.expiresAt.toISOString(),
    answer: record.answer ?? undefined,
    ttl: epochSeconds(record.expiresAt),
  };
}

/**
 * Converts the row of an idempotency key. Does not validate the row, because only `recordRow`
 * writes such rows.
 */
const recordOf = (row: Row): IdempotencyRecord => ({
  accountId: String(row["account_id"]),
  keyHash: String(row["key_hash"]),
  bodyHash: String(row["body_hash"]),
  owner: String(row["owner"]),
  leaseUntil: new Date(String(row["lease_until"])),
  watchlistId: String(row["watchlist_id"]),
  claimedAt: new Date(String(row["claimed_at"])),
  expiresAt: new Date(String(row["expires_at"])),
  answer: typeof row["answer"] === "string" ? row["answer"] : null,
});
