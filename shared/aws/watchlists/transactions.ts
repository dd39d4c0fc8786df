import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Chance, Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import type { IdempotencyRecord } from "../../watchlists/idempotency.ts";
import type { Creation, WatchlistStore } from "../../watchlists/watchlist-store.ts";
import { dueAt } from "../table/due-partitions.ts";
import {
  type CancellationReason,
  isContention,
  transact,
  type TransactItem,
  untilSettled,
} from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";
import { listRow } from "./watchlist-row.ts";

interface Options {
  readonly table: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Whether a mark waits for a creation to be completed, or its list is being purged. */
export const purgeState = { expected: "expected", begun: "begun" } as const;

/** Positions of the writes in either transaction; the key's is the last, as not every list has one. */
const [listAt, countAt, keyAt] = [0, 1, 3];

/** The one write that makes a list: its row, its place in the count, its answer, no mark. */
export function createList(
  client: DynamoDBDocumentClient,
  options: Options,
  creation: Creation,
): ReturnType<WatchlistStore["create"]> {
  const { table } = options;
  const items = creationWrites(table, creation);
  return untilSettled(options, async () => {
    const reasons = await transact(client, items);
    if (reasons === undefined) return "created";
    // A list with this id is this one: an earlier try of this very write has committed, unless the
    // request is somebody else's by now, who has finished it with an answer of their own.
    if (isRefused(reasons, listAt)) return isRefused(reasons, keyAt) ? "superseded" : "created";
    if (isContention(reasons)) return "again";
    return isRefused(reasons, countAt) && reasons.filter(Boolean).length === 1
      ? "limit_reached"
      : "superseded";
  });
}

function creationWrites(table: string, { watchlist, record, answer }: Creation): TransactItem[] {
  const { accountId, id, nextRunAt } = watchlist;
  const listKey = watchlistKeys.list(accountId, id);
  return [
    {
      Put: {
        TableName: table,
        Item: {
          ...listKey,
          ...listRow(watchlist),
          ...(nextRunAt === null ? {} : dueAt("watchlist", listKey, new Date(nextRunAt))),
          ...(record === null ? {} : { idempotency_key: record.keyHash }),
        },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Update: {
        TableName: table,
        Key: watchlistKeys.count(accountId),
        UpdateExpression: "ADD watchlists :one",
        ConditionExpression: "attribute_not_exists(watchlists) OR watchlists < :max",
        ExpressionAttributeValues: { ":one": 1, ":max": limits.watchlistsMax },
      },
    },
    {
      Delete: {
        TableName: table,
        Key: watchlistKeys.purge(id),
        ConditionExpression: "#state = :expected",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: { ":expected": purgeState.expected },
      },
    },
    ...(record === null ? [] : [answerWrite(table, record, answer)]),
  ];
}

const answerWrite = (table: string, record: IdempotencyRecord, answer: string): TransactItem => ({
  Update: {
    TableName: table,
    Key: watchlistKeys.idempotency(record.accountId, record.keyHash),
    UpdateExpression: "SET answer = :answer",
    ConditionExpression: "#owner = :owner",
    ExpressionAttributeNames: { "#owner": "owner" },
    ExpressionAttributeValues: { ":answer": answer, ":owner": record.owner },
  },
});

type RemovedList = Parameters<WatchlistStore["remove"]>[0];

/** The one write that deletes a list; what it leaves is found by its mark. */
export function removeList(
  client: DynamoDBDocumentClient,
  options: Options,
  list: RemovedList,
): Promise<boolean> {
  const { table } = options;
  return untilSettled<boolean>(options, async () => {
    const { Item } = await client.send(
      new GetCommand({
        TableName: table,
        Key: watchlistKeys.list(list.accountId, list.watchlistId),
        ProjectionExpression: "pk, idempotency_key",
        ConsistentRead: true,
      }),
    );
    if (Item === undefined) return false;
    const writes = removalWrites(table, list);
    const keyHash: unknown = Item["idempotency_key"];
    const withKey =
      typeof keyHash === "string" ? [...writes, keyRemoval(table, list, keyHash)] : writes;
    const reasons = await transact(client, withKey);
    if (reasons === undefined) return true;
    if (isContention(reasons)) return "again";
    if (isRefused(reasons, listAt)) return false;
    // The key was forgotten after a day and has been used for another list since.
    if (isRefused(reasons, keyAt)) {
      const retried = await transact(client, writes);
      return retried === undefined ? true : "again";
    }
    throw new Error("A list could not be removed");
  });
}

function removalWrites(
  table: string,
  { accountId, watchlistId, purgeAt }: RemovedList,
): TransactItem[] {
  const purgeKey = watchlistKeys.purge(watchlistId);
  return [
    {
      Delete: {
        TableName: table,
        Key: watchlistKeys.list(accountId, watchlistId),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
    {
      Update: {
        TableName: table,
        Key: watchlistKeys.count(accountId),
        UpdateExpression: "ADD watchlists :less",
        ExpressionAttributeValues: { ":less": -1 },
      },
    },
    {
      Put: {
        TableName: table,
        Item: {
          ...purgeKey,
          state: purgeState.begun,
          ...dueAt("purge", purgeKey, purgeAt),
        },
      },
    },
  ];
}

const keyRemoval = (table: string, list: RemovedList, keyHash: string): TransactItem => ({
  Delete: {
    TableName: table,
    Key: watchlistKeys.idempotency(list.accountId, keyHash),
    ConditionExpression: "attribute_not_exists(pk) OR watchlist_id = :list",
    ExpressionAttributeValues: { ":list": list.watchlistId },
  },
});

const isRefused = (reasons: readonly CancellationReason[], position: number): boolean =>
  reasons[position]?.code === "ConditionalCheckFailed";
