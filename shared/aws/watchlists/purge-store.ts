import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../base/chunks-of.ts";
import type { PurgeStore } from "../../watchlists/purge-store.ts";
import { dueKeys } from "../table/due-keys.ts";
import { dueAt } from "../table/due-partitions.ts";
import {
  deleteRows,
  retryOnConflict,
  type Row,
  type TransactItem,
  transactWrites,
  conditionalWrite,
  type TableOptions,
} from "../table/dynamo.ts";
import { firstRows, queryPages, queryRows } from "../table/query-rows.ts";
import { historyKeys, type RowKey, watchlistKeys } from "../table/table.ts";
import { purgeState } from "./watchlist-lifecycle.ts";

/** Maximum number of rows that one request reads. */
const rowsMax = 500;
/** Number of runs whose rows are deleted at the same time. */
const runsAtOnce = 10;

/**
 * Creates a store of purge marks in the watchlists table. The store also deletes the rows of the
 * watchlists that have a purge mark.
 */
export function dynamoPurgeStore(
  client: DynamoDBDocumentClient,
  options: TableOptions,
): PurgeStore {
  const { table } = options;
  return {
    expectCreation: (watchlist, purgeAt) =>
      transactWrites(client, expectationWrites(table, watchlist, purgeAt), options),
    async due(by, limit) {
      const keys = await dueKeys(client, table, { kind: "purge", by, limit });
      return keys.map(({ pk }) => pk.slice("watchlist#".length));
    },
    begin: (watchlistId, check) =>
      retryOnConflict(options, () => begin(client, table, { watchlistId, ...check })),
    isRunning: (watchlistId) => isRunning(client, table, watchlistId),
    removeRows: (watchlistId, isOver) => removeRows(client, options, { watchlistId, isOver }),
    async end(watchlistId) {
      await client.send(
        new DeleteCommand({ TableName: table, Key: watchlistKeys.purge(watchlistId) }),
      );
    },
  };
}

/**
 * Builds the transaction that marks a creation in progress. It fails if the watchlist exists.
 * Another call may have completed the creation after this call lost its lease, and a purge must not
 * delete that watchlist.
 */
function expectationWrites(
  table: string,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  purgeAt: Date,
): readonly TransactItem[] {
  const mark = watchlistKeys.purge(id);
  return [
    {
      Put: {
        TableName: table,
        Item: { ...mark, state: purgeState.expected, ...dueAt("purge", mark, purgeAt) },
        ConditionExpression: "attribute_not_exists(pk) OR #state = :expected",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: { ":expected": purgeState.expected },
      },
    },
    {
      ConditionCheck: {
        TableName: table,
        Key: watchlistKeys.watchlist(accountId, id),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
  ];
}

type Check = { readonly watchlistId: string } & Parameters<PurgeStore["begin"]>[1];

/** Starts or resumes a purge as `PurgeStore.begin` describes. */
function begin(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, now, nextCheck, abandoned }: Check,
): Promise<boolean> {
  return conditionalWrite(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.purge(watchlistId),
        UpdateExpression: "SET #state = :begun, due_at = :next",
        ConditionExpression: abandoned
          ? "attribute_exists(pk)"
          : "#state = :begun OR due_at <= :now",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":begun": purgeState.begun,
          ":next": nextCheck.toISOString(),
          ...(abandoned ? {} : { ":now": now.toISOString() }),
        },
      }),
    ),
  );
}

async function isRunning(
  client: DynamoDBDocumentClient,
  table: string,
  watchlistId: string,
): Promise<boolean> {
  const query = runsOf(table, watchlistId);
  const running = queryRows(client, {
    ...query,
    // A held run of a deleted watchlist stays held, because a decision about it can no longer be
    // stored.
    FilterExpression: "phase <> :done AND phase <> :held",
    ExpressionAttributeValues: {
      ...query.ExpressionAttributeValues,
      ":done": "done",
      ":held": "held",
    },
    ProjectionExpression: "sk",
  });
  return (await running.next()).done !== true;
}

const runsOf = (table: string, watchlistId: string) => ({
  TableName: table,
  KeyConditionExpression: "pk = :pk AND begins_with(sk, :run)",
  ExpressionAttributeValues: { ":pk": watchlistKeys.run(watchlistId, 0).pk, ":run": "run#" },
  ConsistentRead: true,
});

interface Removal {
  readonly watchlistId: string;
  readonly isOver: () => boolean;
}

/**
 * Deletes the rows of a watchlist, except its purge mark. Returns false if `isOver` returned true
 * before all rows were deleted. The row of a run is deleted after the rows of its steps, because
 * those can be found only by the run's ID. A purge can therefore stop at any point and continue
 * later.
 */
async function removeRows(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { watchlistId, isOver }: Removal,
): Promise<boolean> {
  const { table } = options;
  for (;;) {
    const query = { ...runsOf(table, watchlistId), ProjectionExpression: "pk, sk, id" };
    const runs = await firstRows(client, query, rowsMax);
    if (runs.length === 0) break;
    for (const some of chunksOf(runs, runsAtOnce)) {
      const removed = await Promise.all(
        some.map((run) => {
          const { pk } = watchlistKeys.step(String(run["id"]), "");
          return removePartition(client, options, { pk, isOver });
        }),
      );
      if (removed.includes(false)) return false;
      await deleteRows(client, options, some.map(keyOf));
    }
  }
  // The history is deleted after the runs, because a run that has not ended may still write it.
  const history = historyKeys.head(watchlistId).pk;
  if (!(await removePartition(client, options, { pk: history, isOver }))) return false;
  const { pk, sk: mark } = watchlistKeys.purge(watchlistId);
  return removePartition(client, options, { pk, isOver, keep: mark });
}

interface Partition {
  readonly pk: string;
  readonly isOver: () => boolean;
  /** Sort key of a row to keep. */
  readonly keep?: string;
}

/**
 * Deletes the rows of a partition, except the row `keep`. Returns false if `isOver` returned true
 * before all rows were deleted.
 */
async function removePartition(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { pk, isOver, keep }: Partition,
): Promise<boolean> {
  const pages = queryPages(client, {
    TableName: options.table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ProjectionExpression: "pk, sk",
    ConsistentRead: true,
    Limit: rowsMax,
  });
  for await (const rows of pages) {
    if (isOver()) return false;
    const keys = rows.map(keyOf).filter(({ sk }) => sk !== keep);
    await deleteRows(client, options, keys);
  }
  return true;
}

const keyOf = (row: Row): RowKey => ({ pk: String(row["pk"]), sk: String(row["sk"]) });
