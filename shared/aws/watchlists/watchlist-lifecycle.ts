import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../base/limits.ts";
import type { IdempotencyRecord } from "../../watchlists/idempotency.ts";
import type { Creation, WatchlistStore } from "../../watchlists/watchlist-store.ts";
import { dueAt } from "../table/due-partitions.ts";
import {
  type CancellationReason,
  codesOf,
  transact,
  type TransactItem,
  retryWhileContended,
  type TableOptions,
} from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";
import { watchlistRow } from "./watchlist-row.ts";

/**
 * States of a purge mark. `expected`: the watchlist is being created, and is purged if the creation
 * is never completed. `begun`: the watchlist is being purged.
 */
export const purgeState = { expected: "expected", begun: "begun" } as const;

/**
 * Positions of writes in the transactions of `createWatchlistRow` and `deleteWatchlistRow`. The
 * write of the idempotency key is last, because not every watchlist has a key.
 */
const [watchlistAt, countAt, keyAt] = [0, 1, 3];

/**
 * Creates a watchlist in one transaction: puts the watchlist's row, adds 1 to the account's number
 * of watchlists, deletes the watchlist's purge mark, and stores the response with the idempotency
 * key. Returns `created`, even if an earlier attempt of this write took effect. Otherwise writes
 * nothing: `limit_reached` if the account has the maximum number of watchlists; `superseded` if
 * another request completed the creation or the purge of the watchlist began.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function createWatchlistRow(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  creation: Creation,
): ReturnType<WatchlistStore["create"]> {
  const { table } = options;
  const items = creationWrites(table, creation);
  return retryWhileContended(options, async () => {
    const result = await transact(client, items);
    if (result.outcome === "done") return "created";
    const { reasons } = result;
    // The watchlist exists, so an earlier attempt of this write took effect. If the condition on
    // the idempotency key failed too, another call has taken over the request and stored its own
    // response.
    if (isRefused(reasons, watchlistAt))
      return isRefused(reasons, keyAt) ? "superseded" : "created";
    if (result.outcome === "contended") return "again";
    return isRefused(reasons, countAt) && reasons.filter(Boolean).length === 1
      ? "limit_reached"
      : "superseded";
  });
}

/** Builds the writes of a creation, in the order of the positions above. */
function creationWrites(table: string, { watchlist, record, answer }: Creation): TransactItem[] {
  const { accountId, id, nextRunAt } = watchlist;
  const watchlistKey = watchlistKeys.watchlist(accountId, id);
  return [
    {
      Put: {
        TableName: table,
        Item: {
          ...watchlistKey,
          ...watchlistRow(watchlist),
          ...(nextRunAt === null ? {} : dueAt("watchlist", watchlistKey, new Date(nextRunAt))),
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

/** Builds the write of the response. It fails if another request took over the creation. */
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

type RemovedWatchlist = Parameters<WatchlistStore["remove"]>[0];

/**
 * Deletes the row of a watchlist, and puts a purge mark in the same transaction, so that the
 * sweeper deletes the other rows of the watchlist later. Returns false if the watchlist does not
 * exist.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function deleteWatchlistRow(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  watchlist: RemovedWatchlist,
): Promise<boolean> {
  const { table } = options;
  return retryWhileContended<boolean>(options, async () => {
    const { Item } = await client.send(
      new GetCommand({
        TableName: table,
        Key: watchlistKeys.watchlist(watchlist.accountId, watchlist.watchlistId),
        ProjectionExpression: "pk, idempotency_key",
        ConsistentRead: true,
      }),
    );
    if (Item === undefined) return false;
    const writes = removalWrites(table, watchlist);
    const keyHash: unknown = Item["idempotency_key"];
    const withKey =
      typeof keyHash === "string" ? [...writes, keyRemoval(table, watchlist, keyHash)] : writes;
    const result = await transact(client, withKey);
    if (result.outcome === "done") return true;
    if (result.outcome === "contended") return "again";
    const { reasons } = result;
    if (isRefused(reasons, watchlistAt)) return false;
    // The idempotency key of the watchlist expired after a day, and a newer watchlist uses the key.
    // This watchlist is therefore deleted without the record of the key.
    if (isRefused(reasons, keyAt)) {
      const retried = await transact(client, writes);
      return retried.outcome === "done" ? true : "again";
    }
    throw new Error(
      `DynamoDB refused the transaction that deletes the watchlist ${watchlist.watchlistId}, with the reasons ${codesOf(reasons)}. Nothing was deleted. Check the rows of the watchlist with npm run admin -- reconcile.`,
    );
  });
}

/** Builds the writes of a deletion, without that of the idempotency key. */
function removalWrites(
  table: string,
  { accountId, watchlistId, purgeAt }: RemovedWatchlist,
): TransactItem[] {
  const purgeKey = watchlistKeys.purge(watchlistId);
  return [
    {
      Delete: {
        TableName: table,
        Key: watchlistKeys.watchlist(accountId, watchlistId),
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

const keyRemoval = (table: string, watchlist: RemovedWatchlist, keyHash: string): TransactItem => ({
  Delete: {
    TableName: table,
    Key: watchlistKeys.idempotency(watchlist.accountId, keyHash),
    ConditionExpression: "attribute_not_exists(pk) OR watchlist_id = :list",
    ExpressionAttributeValues: { ":list": watchlist.watchlistId },
  },
});

const isRefused = (reasons: readonly CancellationReason[], position: number): boolean =>
  reasons[position]?.code === "ConditionalCheckFailed";
