import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../base/limits.ts";
import type { Watchlist } from "../../watchlists/watchlist.ts";
import type { WatchlistStore } from "../../watchlists/watchlist-store.ts";
import { dueKeys } from "../table/due-keys.ts";
import { dueAt } from "../table/due-partitions.ts";
import {
  isConditionFailure,
  retryOnConflict,
  conditionalWrite,
  type TableOptions,
} from "../table/dynamo.ts";
import { firstRows } from "../table/query-rows.ts";
import { accountIdOf, watchlistKeys } from "../table/table.ts";
import { settingsRow, watchlistOf } from "./watchlist-row.ts";
import { createWatchlistRow, deleteWatchlistRow } from "./watchlist-lifecycle.ts";

/**
 * Creates a store of watchlists in DynamoDB. Methods that write throw 503 UNAVAILABLE if their rows
 * stay contended or the retry budget is exhausted.
 */
export function dynamoWatchlistStore(
  client: DynamoDBDocumentClient,
  options: TableOptions,
): WatchlistStore {
  const { table } = options;
  return {
    isFull: (accountId) => isFull(client, table, accountId),
    create: (creation) => createWatchlistRow(client, options, creation),
    async get(accountId, watchlistId) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: watchlistKeys.watchlist(accountId, watchlistId),
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? undefined : watchlistOf(Item);
    },
    list: (accountId, limit) => listWatchlists(client, table, { accountId, limit }),
    update: (change) => retryOnConflict(options, () => updateWatchlist(client, table, change)),
    remove: (watchlist) => deleteWatchlistRow(client, options, watchlist),
    async due(by, limit) {
      const keys = await dueKeys(client, table, { kind: "watchlist", by, limit });
      return keys.map((key) => ({
        accountId: accountIdOf(key),
        watchlistId: key.sk.slice("watchlist#".length),
        dueAt: key.dueAt,
      }));
    },
    skipOverlap: (watchlist, nextRunAt) =>
      retryOnConflict(options, () =>
        skipRun(client, table, { watchlist, nextRunAt, why: "overlap" }),
      ),
    skipEmpty: (watchlist, nextRunAt) =>
      retryOnConflict(options, () =>
        skipRun(client, table, { watchlist, nextRunAt, why: "empty" }),
      ),
  };
}

async function isFull(
  client: DynamoDBDocumentClient,
  table: string,
  accountId: string,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({
      TableName: table,
      Key: watchlistKeys.count(accountId),
      ConsistentRead: true,
    }),
  );
  return Number(Item?.["watchlists"] ?? 0) >= limits.watchlistsMax;
}

/** Lists watchlists as `WatchlistStore.list` describes. */
async function listWatchlists(
  client: DynamoDBDocumentClient,
  table: string,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): ReturnType<WatchlistStore["list"]> {
  const query = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :list)",
    ExpressionAttributeValues: {
      ":pk": watchlistKeys.watchlist(accountId, "").pk,
      ":list": watchlistKeys.watchlist(accountId, "").sk,
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  const rows = await firstRows(client, query, limit + 1);
  return { watchlists: rows.slice(0, limit).map(watchlistOf), hasMore: rows.length > limit };
}

/**
 * Replaces all settings of a watchlist, and returns the changed watchlist. The new settings were
 * derived from `before`. Returns undefined and writes nothing if the watchlist was deleted, or if
 * its settings, status, due time or last run have changed since `before` was read.
 * @throws any error of the request other than a failed condition
 */
async function updateWatchlist(
  client: DynamoDBDocumentClient,
  table: string,
  { before, after }: Parameters<WatchlistStore["update"]>[0],
): Promise<Watchlist | undefined> {
  const { nextRunAt } = after;
  const Key = watchlistKeys.watchlist(after.accountId, after.id);
  const set = {
    ...settingsRow(after),
    // The counter is written only if its value changes. Otherwise the update could undo the change
    // of a run, because no condition of the update checks the counter.
    ...(after.consecutiveSkips === before.consecutiveSkips
      ? {}
      : { consecutive_skips: after.consecutiveSkips }),
    ...(nextRunAt === null ? {} : dueAt("watchlist", Key, new Date(nextRunAt))),
  };
  const names = Object.keys(set);
  const seen = ["revision", "status", "next_run_at", "last_run_at"];
  try {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName: table,
        Key,
        UpdateExpression:
          `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}` +
          (nextRunAt === null ? " REMOVE due_kind, due_at" : ""),
        ConditionExpression: seen.map((name) => `#${name} = :seen_${name}`).join(" AND "),
        ExpressionAttributeNames: Object.fromEntries(
          [...names, ...seen].map((name) => [`#${name}`, name]),
        ),
        ExpressionAttributeValues: {
          ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
          ":seen_revision": before.revision,
          ":seen_status": before.status,
          ":seen_next_run_at": before.nextRunAt,
          ":seen_last_run_at": before.lastRunAt,
        },
        ReturnValues: "ALL_NEW",
      }),
    );
    return watchlistOf(Attributes ?? {});
  } catch (error) {
    if (isConditionFailure(error)) return undefined;
    throw error;
  }
}

/**
 * Advances the due time of a watchlist without starting a run. Has no effect if another message of
 * the same tick has advanced the due time. With `empty`, also has no effect if items were added
 * since the watchlist was read, because a watchlist with items is due.
 */
async function skipRun(
  client: DynamoDBDocumentClient,
  table: string,
  {
    watchlist,
    nextRunAt,
    why,
  }: {
    readonly watchlist: Watchlist;
    readonly nextRunAt: string;
    readonly why: "overlap" | "empty";
  },
): Promise<void> {
  const isOverlap = why === "overlap";
  await conditionalWrite(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.watchlist(watchlist.accountId, watchlist.id),
        UpdateExpression:
          "SET next_run_at = :next, due_at = :next" + (isOverlap ? " ADD #overlaps :n" : ""),
        ConditionExpression: "next_run_at = :seen" + (isOverlap ? "" : " AND item_total = :n"),
        ...(isOverlap && { ExpressionAttributeNames: { "#overlaps": "overlaps" } }),
        ExpressionAttributeValues: {
          ":next": nextRunAt,
          ":seen": watchlist.nextRunAt,
          ":n": isOverlap ? 1 : 0,
        },
      }),
    ),
  );
}
