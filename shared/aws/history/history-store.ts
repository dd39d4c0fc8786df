import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { HistoryStore } from "../../history/history-store.ts";
import { withShownSpan } from "../../history/kept-history.ts";
import { historyKeys } from "../table/table.ts";
import { keptRuns } from "./kept-runs.ts";
import { runsAt } from "./runs-at.ts";
import { putRows } from "./guarded-writes.ts";
import { itemPoints } from "./item-points.ts";
import { listedRuns } from "./listed-runs.ts";
import { type MergeOptions, mergeWindow, readHead } from "./merge-window.ts";
import { segmentRows } from "./segment-rows.ts";

const dayMs = 86_400_000;

/**
 * Creates a store of the history of watchlist items in the watchlists table, in one partition for
 * each watchlist. `append` and `merge` throw 503 UNAVAILABLE if rows stay contended or the retry
 * budget is exhausted.
 */
export function dynamoHistoryStore(
  client: DynamoDBDocumentClient,
  options: MergeOptions,
): HistoryStore {
  const { table, clock } = options;
  const kept = keptRuns(client, table);
  return {
    async append(watchlist, segment) {
      const rows = await segmentRows(watchlist.watchlistId, segment);
      return (await putRows(client, options, { watchlist, rows }))
        ? "appended"
        : "watchlist_deleted";
    },
    async isRecorded(watchlistId, runNumber) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: historyKeys.run(watchlistId, runNumber, 0),
          ProjectionExpression: "chunks",
          ConsistentRead: true,
        }),
      );
      // A row that was created without content has no chunks yet.
      return Item?.["chunks"] !== undefined;
    },
    async mergedWindows(watchlistId) {
      return (await readHead(client, table, watchlistId)).mergedWindows;
    },
    merge: (watchlist, request) => mergeWindow(client, options, { watchlist, ...request }),
    item: (query) => itemPoints(client, table, withShownSpan(query, clock.now())),
    runs(query) {
      const now = clock.now();
      const shown = withShownSpan(query, now);
      const { newestRun, until } = shown;
      const isCurrent = until >= new Date(now.getTime() - dayMs).toISOString();
      // If the span ended more than a day ago, its runs are not cached, because later queries
      // seldom need them.
      return newestRun === undefined || !isCurrent
        ? listedRuns(client, table, shown)
        : kept({ ...shown, newestRun });
    },
    runsAt: (places, span) =>
      runsAt(client, options, { places, ...withShownSpan(span, clock.now()) }),
  };
}
