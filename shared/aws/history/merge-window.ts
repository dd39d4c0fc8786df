import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { HistoryOwner, MergeOutcome, MergeRequest } from "../../history/history-store.ts";
import {
  retryWhileContended,
  type Row,
  type TableOptions,
  transact,
  type TransactItem,
} from "../table/dynamo.ts";
import { historyKeys } from "../table/table.ts";
import { exists, putRows } from "./guarded-writes.ts";
import { buckets } from "./item-buckets.ts";
import { chunkRow, chunksOf } from "./line-chunks.ts";
import { expiryOf } from "./segment-rows.ts";
import { type WindowLines, windowLines } from "./window-lines.ts";

/** Options of the history store, which `mergeWindow` uses. */
export interface MergeOptions extends TableOptions {
  /**
   * Maximum number of characters of merged lines that are in memory. Only tests set a lower value.
   */
  readonly mergeCharactersMax?: number;
}

/**
 * Default of `mergeCharactersMax`. It limits the memory of a merge. The largest possible window has
 * three times as many characters: every run changed every item of a watchlist of the maximum size.
 */
const charactersMax = 64 * 1024 * 1024;

/** How far the history of a watchlist is merged. */
interface Head {
  /** Number of windows that are completely merged. */
  readonly mergedWindows: number;
  /**
   * In the next window to merge, the first bucket (hash group of item IDs) that is not merged yet.
   */
  readonly nextBucket: number;
}

/**
 * Merges a window of runs: copies the points of the runs' segments to rows by bucket (hash group of
 * item IDs), and then marks the window as merged. Segments never change, so concurrent merges of a
 * window write the same bytes. Readers ignore the rows of a window that is not marked.
 * @param absent numbers of the runs of the window that have no segment and will never have one
 * @param isOver returns true when the time for the merge has ended
 * @returns the outcome, see `MergeOutcome`
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function mergeWindow(
  client: DynamoDBDocumentClient,
  options: MergeOptions,
  { watchlist, window, absent, isOver }: MergeRequest & { readonly watchlist: HistoryOwner },
): Promise<MergeOutcome> {
  const { table, mergeCharactersMax = charactersMax } = options;
  const { watchlistId } = watchlist;
  for (;;) {
    const head = await readHead(client, table, watchlistId);
    if (head.mergedWindows >= window) return { outcome: "merged" };
    if (isOver()) return { outcome: "unfinished" };
    const read = await windowLines(client, table, {
      watchlistId,
      window,
      firstBucket: head.nextBucket,
      charactersMax: mergeCharactersMax,
    });
    const missing = read.missing.filter((run) => !absent.has(run));
    if (missing.length > 0) return { outcome: "missing", runs: missing };
    const rows = mergedRows(watchlistId, window, read);
    const isStored =
      (await putRows(client, options, { watchlist, rows })) &&
      (await advance(client, options, { watchlist, window, endBucket: read.endBucket }));
    if (!isStored) return { outcome: "watchlist_deleted" };
  }
}

/** Builds the rows of the merged lines; none if no run of the window is recorded. */
function mergedRows(
  watchlistId: string,
  window: number,
  { lines, endedAt }: WindowLines,
): readonly Row[] {
  if (endedAt === null) return [];
  const ttl = expiryOf(endedAt);
  return [...lines].flatMap(([bucket, inBucket]) =>
    chunksOf(inBucket).map((lineChunk, chunk) =>
      chunkRow(historyKeys.items(watchlistId, { bucket, window, chunk }), lineChunk, ttl),
    ),
  );
}

/**
 * Reads the head of a watchlist's history: how many windows are merged, and the first bucket of the
 * next window that is not merged yet. Returns 0 for both before the first merge.
 */
export async function readHead(
  client: DynamoDBDocumentClient,
  table: string,
  watchlistId: string,
): Promise<Head> {
  const { Item } = await client.send(
    new GetCommand({ TableName: table, Key: historyKeys.head(watchlistId), ConsistentRead: true }),
  );
  const { merged_windows: mergedWindows = 0, next_bucket: nextBucket = 0 } = Item ?? {};
  return { mergedWindows, nextBucket };
}

interface Advance {
  readonly watchlist: HistoryOwner;
  readonly window: number;
  readonly endBucket: number;
}

/** Position, in the transaction of `advance`, of the check that the watchlist exists. */
const watchlistAt = 0;

/**
 * Records that the buckets of a window before `endBucket` are merged, unless another process has
 * recorded a later bucket. Returns false if the watchlist does not exist.
 */
function advance(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { watchlist, window, endBucket }: Advance,
): Promise<boolean> {
  const writes = [
    exists(options.table, watchlist),
    headWrite(options, { watchlist, window, endBucket }),
  ];
  return retryWhileContended<boolean>(options, async () => {
    const result = await transact(client, writes);
    if (result.outcome === "done") return true;
    if (result.outcome === "contended") return "again";
    return result.reasons[watchlistAt] === null;
  });
}

/**
 * Builds the write of the head. It fails if the head already records that these buckets of the
 * window are merged.
 */
function headWrite(
  { table, clock }: TableOptions,
  { watchlist, window, endBucket }: Advance,
): TransactItem {
  const isMerged = endBucket === buckets;
  const isNext =
    window === 1
      ? "(attribute_not_exists(merged_windows) OR merged_windows = :before)"
      : "merged_windows = :before";
  return {
    Update: {
      TableName: table,
      Key: historyKeys.head(watchlist.watchlistId),
      UpdateExpression: isMerged
        ? "SET merged_windows = :window, #ttl = :ttl REMOVE next_bucket"
        : "SET merged_windows = :before, next_bucket = :end, #ttl = :ttl",
      ConditionExpression: isMerged
        ? isNext
        : `${isNext} AND (attribute_not_exists(next_bucket) OR next_bucket < :end)`,
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ":before": window - 1,
        ":ttl": expiryOf(clock.now().toISOString()),
        ...(isMerged ? { ":window": window } : { ":end": endBucket }),
      },
    },
  };
}
