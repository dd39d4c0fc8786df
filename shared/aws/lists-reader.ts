import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Run } from "../runs/run.ts";
import type { StoredRun } from "../runs/reconcile-runs.ts";
import type { StoredPage } from "../watchlists/page.ts";
import type { ItemCounts } from "../watchlists/watchlist.ts";
import type { StoredList } from "../watchlists/reconcile-list.ts";
import type { Row } from "./dynamo.ts";
import { pageOf } from "./page-row.ts";
import { readRows, rowsBelow } from "./row-reader.ts";
import { runOf } from "./run-row.ts";
import { type RowKey, watchlistKeys } from "./table.ts";
import { watchlistOf } from "./watchlist-row.ts";

/** Counters of a list that move with its pages. */
export interface StoredCounts {
  readonly counts: ItemCounts;
  readonly total: number;
}

/** A run as an operator looks at it: with the time at which the sweeper does. */
export interface RunLine extends StoredRun {
  /** ISO 8601 UTC; null for a run that is over. */
  readonly dueAt: string | null;
}

/** Reads watchlists, their pages and their runs, row by row; changes nothing. */
export interface ListsReader {
  /** What counts for the limit of lists. */
  listCount(accountId: string): Promise<number>;
  lists(accountId: string): AsyncIterable<StoredList>;
  list(accountId: string, watchlistId: string): Promise<StoredList | undefined>;
  counts(accountId: string, watchlistId: string): Promise<StoredCounts | undefined>;
  /** Pages as they stand, by their keys, whatever their ranges say. */
  pages(watchlistId: string): AsyncIterable<StoredPage>;
  /** The newest first. */
  runs(watchlistId: string): AsyncIterable<RunLine>;
  run(watchlistId: string, runNumber: number): Promise<RunLine | undefined>;
}

/** A run's row holds its pipeline and its stats: so many are read at once. */
const runsAtOnce = 100;
const pagesAtOnce = 10;

export function dynamoListsReader(client: DynamoDBDocumentClient, table: string): ListsReader {
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: table, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  return {
    async listCount(accountId) {
      const row = await read(watchlistKeys.count(accountId));
      return Number(row?.["watchlists"] ?? 0);
    },
    async *lists(accountId) {
      const { pk, sk } = watchlistKeys.list(accountId, "");
      for await (const row of readRows(client, table, rowsBelow(pk, sk))) yield listOf(row);
    },
    async list(accountId, watchlistId) {
      const row = await read(watchlistKeys.list(accountId, watchlistId));
      return row === undefined ? undefined : listOf(row);
    },
    async counts(accountId, watchlistId) {
      const row = await read(watchlistKeys.list(accountId, watchlistId));
      return row === undefined
        ? undefined
        : { counts: row["item_counts"] as ItemCounts, total: Number(row["item_total"]) };
    },
    async *pages(watchlistId) {
      const { pk, sk } = watchlistKeys.page(watchlistId, "");
      const range = { ...rowsBelow(pk, sk), rowsAtOnce: pagesAtOnce };
      for await (const row of readRows(client, table, range)) yield pageOf(row);
    },
    async *runs(watchlistId) {
      const { pk } = watchlistKeys.run(watchlistId, 0);
      const range = { ...rowsBelow(pk, "run#"), newestFirst: true, rowsAtOnce: runsAtOnce };
      for await (const row of readRows(client, table, range)) yield runLineOf(row);
    },
    async run(watchlistId, runNumber) {
      const row = await read(watchlistKeys.run(watchlistId, runNumber));
      return row === undefined ? undefined : runLineOf(row);
    },
  };
}

const listOf = (row: Row): StoredList => ({
  list: watchlistOf(row),
  itemTotal: Number(row["item_total"]),
  dueAt: row["due_kind"] === "watchlist" ? String(row["due_at"]) : null,
});

function runLineOf(row: Row): RunLine {
  const run: Run = runOf(row);
  const dueAt = row["due_kind"] === "run" ? String(row["due_at"]) : null;
  return { run, dueAt, isDue: dueAt !== null };
}
