import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type HistorySpan, isWithin, type ItemPoint } from "../../history/history.ts";
import { lastRunOf } from "../../history/window.ts";
import type { Row } from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { historyKeys } from "../table/table.ts";
import { bucketOf } from "./item-buckets.ts";
import { linesOfItem } from "./line-chunks.ts";
import { readHead } from "./merge-window.ts";
import { mergedPointOf, pointOf } from "../../history/point-lines.ts";
import { runRows } from "./run-rows.ts";
import { joinedSegments } from "./segment-rows.ts";

interface ItemQuery extends HistorySpan {
  readonly watchlistId: string;
  readonly itemId: string;
}

/**
 * Reads the history points of an item in a span, oldest run first. First reads the head: the row
 * that records how far the history is merged. The points of merged runs are in the merged rows of
 * the item's bucket (hash group of item IDs). The points of other runs are in the segments of these
 * runs. A merge during the read does not change the result.
 */
export async function itemPoints(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, itemId, ...span }: ItemQuery,
): Promise<readonly ItemPoint[]> {
  const { mergedWindows } = await readHead(client, table, watchlistId);
  const item = { watchlistId, itemId, mergedWindows };
  const [merged, recent] = await Promise.all([
    mergedPoints(client, table, item),
    recentPoints(client, table, item),
  ]);
  return [...merged, ...recent].filter((point) => isWithin(span, point));
}

interface MergedItem {
  readonly watchlistId: string;
  readonly itemId: string;
  readonly mergedWindows: number;
}

/** Reads the points of an item in the merged windows. */
async function mergedPoints(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, itemId, mergedWindows }: MergedItem,
): Promise<readonly ItemPoint[]> {
  if (mergedWindows === 0) return [];
  const points: ItemPoint[] = [];
  for await (const row of bucketRows(client, table, { watchlistId, itemId, mergedWindows })) {
    for (const line of linesOfItem(row, itemId)) points.push(mergedPointOf(line));
  }
  return points;
}

const lastChunk = 9_999;

/**
 * Yields the rows of an item's bucket (hash group of item IDs) in all merged windows, oldest first.
 */
function bucketRows(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, itemId, mergedWindows }: MergedItem,
): AsyncGenerator<Row> {
  const bucket = bucketOf(itemId);
  return queryRows(client, {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: {
      ":pk": historyKeys.head(watchlistId).pk,
      ":first": historyKeys.items(watchlistId, { bucket, window: 1, chunk: 0 }).sk,
      ":last": historyKeys.items(watchlistId, { bucket, window: mergedWindows, chunk: lastChunk })
        .sk,
    },
    ConsistentRead: true,
  });
}

/** Reads the points of an item in the runs that are not merged yet. */
async function recentPoints(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, itemId, mergedWindows }: MergedItem,
): Promise<readonly ItemPoint[]> {
  const points: ItemPoint[] = [];
  const rows = runRows(client, table, { watchlistId, first: lastRunOf(mergedWindows) + 1 });
  for await (const { runNumber, rows: chunks } of joinedSegments(rows)) {
    for (const line of chunks.flatMap((row) => linesOfItem(row, itemId))) {
      const { at, step, status, values } = pointOf(line);
      points.push({ runNumber, at, step, status, values });
    }
  }
  return points;
}
