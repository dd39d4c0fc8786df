import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../base/chunks-of.ts";
import { inParallel } from "../../base/in-parallel.ts";
import type { HistorySpan, RunSegment } from "../../history/history.ts";
import type { RunPlace } from "../../history/history-store.ts";
import type { TableOptions } from "../table/dynamo.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { historyKeys } from "../table/table.ts";
import { numbersOf, segmentOf } from "./segment-rows.ts";

/**
 * Number of rows in one request, and number of concurrent requests. The
 * rows of a request fit into one response: a row has at most 300 KB, and a response 16 MB.
 */
const [rowsAtOnce, requestsAtOnce] = [25, 4];

/**
 * Reads at most one run of each of several watchlists. `places` has the ID and run number of each
 * watchlist. Returns the runs by watchlist ID, each with its points in the span. Leaves out a run
 * that is not recorded, and a run whose segment has more than one row.
 */
export async function runsAt(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { places, ...span }: HistorySpan & { readonly places: readonly RunPlace[] },
): Promise<ReadonlyMap<string, RunSegment>> {
  const idOf = new Map<unknown, string>();
  const keys = places.map(({ watchlistId, runNumber }) => {
    const key = historyKeys.run(watchlistId, runNumber, 0);
    idOf.set(key.pk, watchlistId);
    return key;
  });
  const read = await inParallel(chunksOf(keys, rowsAtOnce), requestsAtOnce, (some) =>
    rowsByKey(client, options, some),
  );
  const found = new Map<string, RunSegment>();
  for (const row of read.flat()) {
    const watchlistId = idOf.get(row["pk"]);
    if (watchlistId === undefined || row["chunks"] !== 1) continue;
    const { runNumber } = numbersOf(row);
    const endedAt = String(row["ended_at"]);
    found.set(watchlistId, segmentOf({ runNumber, endedAt, rows: [row] }, span));
  }
  return found;
}
