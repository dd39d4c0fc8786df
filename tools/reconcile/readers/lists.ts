import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { array, is, number, object, record, string, tuple, unknown } from "valibot";
import type { StoredRun } from "../rules/runs.ts";
import type { StoredPage } from "../../../shared/watchlists/page.ts";
import type { ItemCounts } from "../../../shared/watchlists/item-counts.ts";
import type { StoredList } from "../rules/list.ts";
import { dueTimeOf } from "../../../shared/aws/table/due-partitions.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { isSecondRow, isSecondRowOf, itemPageOf } from "../../../shared/aws/watchlists/page-row.ts";
import { readRows, rowsBelow } from "./rows.ts";
import { runOf } from "../../../shared/aws/runs/run-row.ts";
import { type RowKey, watchlistKeys } from "../../../shared/aws/table/table.ts";
import { watchlistOf } from "../../../shared/aws/watchlists/watchlist-row.ts";

/** The item counters of a watchlist. Every change of the watchlist's pages updates them. */
export interface StoredCounts {
  readonly counts: ItemCounts;
  /** The number of items in all states. */
  readonly total: number;
}

/** A run, with the time at which the sweeper next checks it. */
export type RunLine = StoredRun;

/** Reads the rows of watchlists, their pages and their runs. Only reads. */
export interface ListsReader {
  /** Returns the counter that limits the number of an account's watchlists. */
  listCount(accountId: string): Promise<number>;
  /**
   * Yields the watchlists of an account.
   * @param unreadable receives the ID of each watchlist with a damaged row, which is then skipped;
   * without this function, a damaged row throws
   */
  lists(accountId: string, unreadable?: (watchlistId: string) => void): AsyncIterable<StoredList>;
  /** Returns a watchlist; undefined if it does not exist. */
  list(accountId: string, watchlistId: string): Promise<StoredList | undefined>;
  /** Returns the item counters of a watchlist; undefined if it does not exist. */
  counts(accountId: string, watchlistId: string): Promise<StoredCounts | undefined>;
  /**
   * Yields a watchlist's pages in the order of their keys, even if their ranges overlap. Leaves out
   * a page that is incomplete, because it was written during the read. The check that needs the
   * pages reads them again before it reports a difference.
   * @param orphan receives the sort key of each second row that does not follow its page
   */
  pages(watchlistId: string, orphan?: (sortKey: string) => void): AsyncIterable<StoredPage>;
  /**
   * Yields the runs of a watchlist, newest first.
   * @param unreadable receives the number of each run with a damaged row, which is then skipped;
   * without this function, a damaged row throws
   */
  runs(watchlistId: string, unreadable?: (runNumber: number) => void): AsyncIterable<RunLine>;
  /** Returns a run; undefined if its row does not exist. */
  run(watchlistId: string, runNumber: number): Promise<RunLine | undefined>;
}

/**
 * The number of runs in one request. It is low, because a row contains a pipeline and statistics.
 */
const runsAtOnce = 100;
const pagesAtOnce = 10;

/** Creates the reader of watchlists, their pages and their runs, in the watchlists table. */
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
    async *lists(accountId, unreadable) {
      const { pk, sk } = watchlistKeys.watchlist(accountId, "");
      for await (const row of readRows(client, table, rowsBelow(pk, sk))) {
        if (unreadable === undefined || is(neededOfList, row)) yield listOf(row);
        else unreadable(String(row["sk"]).slice(sk.length));
      }
    },
    async list(accountId, watchlistId) {
      const row = await read(watchlistKeys.watchlist(accountId, watchlistId));
      return row === undefined ? undefined : listOf(row);
    },
    async counts(accountId, watchlistId) {
      const row = await read(watchlistKeys.watchlist(accountId, watchlistId));
      return row === undefined
        ? undefined
        : { counts: row["item_counts"] as ItemCounts, total: Number(row["item_total"]) };
    },
    async *pages(watchlistId, orphan) {
      const { pk, sk } = watchlistKeys.page(watchlistId, "");
      const range = { ...rowsBelow(pk, sk), rowsAtOnce: pagesAtOnce };
      let rows: Row[] = [];
      for await (const row of readRows(client, table, range)) {
        if (isSecondRowOf(row, rows[0])) rows.push(row);
        else {
          yield* completePages(rows);
          rows = [row];
          if (isSecondRow(row)) orphan?.(String(row["sk"]));
        }
      }
      yield* completePages(rows);
    },
    async *runs(watchlistId, unreadable) {
      const { pk } = watchlistKeys.run(watchlistId, 0);
      const range = { ...rowsBelow(pk, "run#"), newestFirst: true, rowsAtOnce: runsAtOnce };
      for await (const row of readRows(client, table, range)) {
        if (unreadable === undefined || is(neededOfRun, row)) yield storedRunOf(row);
        else unreadable(Number(String(row["sk"]).slice("run#".length)));
      }
    },
    async run(watchlistId, runNumber) {
      const row = await read(watchlistKeys.run(watchlistId, runNumber));
      return row === undefined ? undefined : storedRunOf(row);
    },
  };
}

/** Returns the page with these rows; no page if it is incomplete. */
function completePages(rows: readonly Row[]): StoredPage[] {
  const page = itemPageOf(rows);
  return page === "incomplete" ? [] : [page];
}

const listOf = (row: Row): StoredList => ({
  watchlist: watchlistOf(row),
  itemTotal: Number(row["item_total"]),
  dueAt: dueTimeOf("watchlist", row),
});

const storedRunOf = (row: Row): RunLine => ({ run: runOf(row), dueAt: dueTimeOf("run", row) });

/** The attributes that a comparison needs from a watchlist's row. */
const neededOfList = object({
  id: string(),
  item_counts: object({ new: number(), active: number(), delisted: number() }),
  run_count: number(),
  schedule: object({ type: string() }),
});
const neededOfRun = object({
  id: string(),
  phase: string(),
  started_at: string(),
  pipeline: object({ steps: array(unknown()) }),
  stats: object({ steps: array(tuple([string(), record(string(), unknown())])) }),
});
