import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../base/clock.ts";
import type { StoredPage } from "../../watchlists/page.ts";
import type { IdRange } from "../../watchlists/page-store.ts";
import { retryContended } from "../table/dynamo.ts";
import { itemPageOf } from "./page-row.ts";
import { firstRows } from "../table/query-rows.ts";
import { watchlistKeys } from "../table/table.ts";

/** The table of pages, with the dependencies of retries. */
export interface PageTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Pages per request. The number doubles with each request, so that a consumer that stops early
 * causes few unnecessary reads, and a long read needs few requests.
 */
const firstBatch = 2;
const batchMax = 32;

/**
 * Yields the pages that overlap a range, in order. Each request starts where the last page ended,
 * so the read stays complete while other requests merge or split pages. After a merge, it continues
 * in the page that now contains the next ID. After a split, it continues in the parts of the page.
 * @throws 503 UNAVAILABLE if no page contains the next ID after all retries
 */
export async function* readItemPages(
  table: PageTable,
  watchlistId: string,
  { from = "", to }: IdRange,
): AsyncGenerator<StoredPage> {
  let bound = from;
  let size = firstBatch;
  let batch = await pagesHolding(table, watchlistId, bound);
  while (batch.length > 0) {
    for (const page of batch) {
      if (page.lowest > bound) break;
      if (!reaches(page, bound)) continue;
      yield page;
      if (page.upper === null || (to !== undefined && page.upper > to)) return;
      bound = page.upper;
    }
    batch = await pagesFrom(table, watchlistId, { bound, to, size });
    if (batch[0]?.lowest !== bound) batch = await pagesHolding(table, watchlistId, bound);
    size = Math.min(size * 2, batchMax);
  }
}

const reaches = ({ upper }: StoredPage, id: string): boolean => upper === null || upper > id;

/**
 * Reads the page whose range contains an ID, as an array; empty if the watchlist has no pages. A
 * Query may return only a part of a transaction, so the read is repeated while no page seems to
 * contain the ID.
 * @throws 503 UNAVAILABLE if no page contains the ID after all retries
 */
export function pagesHolding(
  { client, table, clock, random }: PageTable,
  watchlistId: string,
  id: string,
): Promise<StoredPage[]> {
  const query = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :id",
    ExpressionAttributeValues: {
      ":pk": watchlistKeys.page(watchlistId, "").pk,
      ":first": watchlistKeys.page(watchlistId, "").sk,
      ":id": watchlistKeys.page(watchlistId, id).sk,
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return retryContended({ clock, random }, async () => {
    const found = (await firstRows(client, query, 1)).map(itemPageOf);
    return found.every((page) => reaches(page, id)) ? found : "again";
  });
}

/**
 * Reads the last page that starts before `bound`; undefined if there is none. `bound` must not be
 * empty.
 */
export async function pageBelow(
  { client, table }: PageTable,
  watchlistId: string,
  bound: string,
): Promise<StoredPage | undefined> {
  const query = {
    TableName: table,
    // No other rows sort between pages, and the first page sorts before every bound.
    KeyConditionExpression: "pk = :pk AND sk < :bound",
    ExpressionAttributeValues: {
      ":pk": watchlistKeys.page(watchlistId, "").pk,
      ":bound": watchlistKeys.page(watchlistId, bound).sk,
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return (await firstRows(client, query, 1)).map(itemPageOf)[0];
}

/**
 * Reads the pages of one request, which may be few or none. The caller continues where the last
 * page ends. Collecting all pages here would need many megabytes of memory.
 */
async function pagesFrom(
  { client, table }: PageTable,
  watchlistId: string,
  { bound, to, size }: { readonly bound: string; readonly to?: string | undefined; size: number },
): Promise<StoredPage[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :bound AND :to",
      ExpressionAttributeValues: {
        ":pk": watchlistKeys.page(watchlistId, "").pk,
        ":bound": watchlistKeys.page(watchlistId, bound).sk,
        ":to": watchlistKeys.page(watchlistId, to ?? afterEveryId).sk,
      },
      ConsistentRead: true,
      Limit: size,
    }),
  );
  return Items.map(itemPageOf);
}

/** Sorts after every item ID, because item IDs contain only letters and digits. */
export const afterEveryId = "~";
