import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Chance, Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import {
  addCounts,
  countItems,
  decodeItems,
  encodeItems,
  maxChangedAt,
  type StoredPage,
} from "../watchlists/page.ts";
import { type ItemCounts, noItems, type Watchlist } from "../watchlists/watchlist.ts";
import type { IdRange, WatchlistStore } from "../watchlists/watchlist-store.ts";
import {
  cancellationReasons,
  isConditionFailure,
  isContention,
  type Row,
  unlessRefused,
  untilSettled,
  writeRows,
} from "./dynamo.ts";
import { accountIdOf, dueAt, watchlistKeys } from "./table.ts";
import { dueKeys } from "./due-keys.ts";
import { listRow, watchlistOf } from "./watchlist-row.ts";

interface Options {
  readonly table: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

const listPosition = 0;
const countPosition = 1;

/** Lists and pages in DynamoDB. */
export function dynamoWatchlistStore(
  client: DynamoDBDocumentClient,
  options: Options,
): WatchlistStore {
  const { table } = options;
  return {
    async create(watchlist, pages) {
      if (await isFull(client, table, watchlist.accountId)) return "limit_reached";
      const rows = pages.map((page) => pageRow(watchlist.id, { ...page, version: 1 }));
      await writeRows(client, options, rows);
      return untilSettled(options, () => createList(client, table, watchlist));
    },
    async get(accountId, watchlistId) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: watchlistKeys.list(accountId, watchlistId),
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? undefined : watchlistOf(Item);
    },
    async list(accountId, limit) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :list)",
          ExpressionAttributeValues: {
            ":pk": watchlistKeys.list(accountId, "").pk,
            ":list": watchlistKeys.list(accountId, "").sk,
          },
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: limit + 1,
        }),
      );
      return {
        watchlists: Items.slice(0, limit).map(watchlistOf),
        hasMore: Items.length > limit,
      };
    },
    pages: (watchlistId, range = {}) => readPages(client, table, { watchlistId, range }),
    replacePage: (watchlistId, page) => replacePage(client, table, { watchlistId, page }),
    countItems: (watchlistId) => foldCounts(client, table, watchlistId),
    async due(by, limit) {
      const keys = await dueKeys(client, table, { kind: "watchlist", by, limit });
      return keys.map((key) => ({
        accountId: accountIdOf(key),
        watchlistId: key.sk.slice("watchlist#".length),
        dueAt: key.dueAt,
      }));
    },
    skipOverlap: (watchlist, nextRunAt) => skipOverlap(client, table, { watchlist, nextRunAt }),
  };
}

/** A look before any page is written; the transaction with the list's row is what counts. */
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

async function skipOverlap(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlist, nextRunAt }: { readonly watchlist: Watchlist; readonly nextRunAt: string },
): Promise<void> {
  // Refused when another delivery of the same tick has moved the due time already.
  await unlessRefused(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.list(watchlist.accountId, watchlist.id),
        UpdateExpression: "SET next_run_at = :next, due_at = :next ADD overlaps :one",
        ConditionExpression: "next_run_at = :seen",
        ExpressionAttributeValues: {
          ":next": nextRunAt,
          ":seen": watchlist.nextRunAt,
          ":one": 1,
        },
      }),
    ),
  );
}

async function createList(
  client: DynamoDBDocumentClient,
  table: string,
  watchlist: Watchlist,
): Promise<"created" | "limit_reached" | "again"> {
  const row = {
    ...watchlistKeys.list(watchlist.accountId, watchlist.id),
    ...listRow(watchlist),
    ...(watchlist.nextRunAt === null ? {} : dueAt("watchlist", new Date(watchlist.nextRunAt))),
  };
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName: table, Item: row, ConditionExpression: "attribute_not_exists(pk)" } },
          {
            Update: {
              TableName: table,
              Key: watchlistKeys.count(watchlist.accountId),
              UpdateExpression: "ADD watchlists :one",
              ConditionExpression: "attribute_not_exists(watchlists) OR watchlists < :max",
              ExpressionAttributeValues: { ":one": 1, ":max": limits.watchlistsMax },
            },
          },
        ],
      }),
    );
    return "created";
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons === undefined) throw error;
    // The row of a list with this id exists: an earlier try of this very create has committed.
    if (reasons[listPosition]?.code === "ConditionalCheckFailed") return "created";
    if (reasons[countPosition]?.code === "ConditionalCheckFailed") return "limit_reached";
    if (isContention(reasons)) return "again";
    throw error;
  }
}

function pageRow(watchlistId: string, page: StoredPage): Row {
  return {
    ...watchlistKeys.page(watchlistId, page.lowest),
    version: page.version,
    counts: countItems(page.items),
    max_changed_at: maxChangedAt(page.items) ?? undefined,
    items: encodeItems(page.items),
  };
}

async function replacePage(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, page }: { watchlistId: string; page: StoredPage },
): Promise<boolean> {
  try {
    await client.send(
      new PutCommand({
        TableName: table,
        Item: pageRow(watchlistId, { ...page, version: page.version + 1 }),
        ConditionExpression: "version = :seen",
        ExpressionAttributeValues: { ":seen": page.version },
      }),
    );
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

async function* readPages(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, range }: { watchlistId: string; range: IdRange },
): AsyncGenerator<StoredPage> {
  const from =
    range.from === undefined ? "" : await lowestOf(client, table, { watchlistId, id: range.from });
  let start: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":pk": watchlistKeys.page(watchlistId, "").pk,
          ":from": watchlistKeys.page(watchlistId, from).sk,
          ":to": watchlistKeys.page(watchlistId, range.to ?? "~").sk,
        },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    for (const row of Items) yield pageOf(row);
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

/** Lower bound of the page whose range holds an id. */
async function lowestOf(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, id }: { watchlistId: string; id: string },
): Promise<string> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :id",
      ProjectionExpression: "sk",
      ExpressionAttributeValues: {
        ":pk": watchlistKeys.page(watchlistId, "").pk,
        ":first": watchlistKeys.page(watchlistId, "").sk,
        ":id": watchlistKeys.page(watchlistId, id).sk,
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return String(Items[0]?.["sk"] ?? "").slice("page#".length);
}

const pageOf = (row: Row): StoredPage => ({
  lowest: String(row["sk"]).slice("page#".length),
  version: Number(row["version"]),
  items: decodeItems(row["items"] as Uint8Array),
});

async function foldCounts(
  client: DynamoDBDocumentClient,
  table: string,
  watchlistId: string,
): Promise<ItemCounts> {
  let counts = noItems;
  let start: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :page)",
        ProjectionExpression: "#counts",
        ExpressionAttributeNames: { "#counts": "counts" },
        ExpressionAttributeValues: {
          ":pk": watchlistKeys.page(watchlistId, "").pk,
          ":page": watchlistKeys.page(watchlistId, "").sk,
        },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    for (const row of Items) counts = addCounts(counts, row["counts"] as ItemCounts);
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return counts;
}
