import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Chance, Clock } from "../../base/clock.ts";
import type { StoredPage } from "../../watchlists/page.ts";
import type { IdRange } from "../../watchlists/page-store.ts";
import { untilSettled } from "../table/dynamo.ts";
import { pageOf } from "./page-row.ts";
import { firstRows } from "../table/query-rows.ts";
import { watchlistKeys } from "../table/table.ts";

/** Where the pages of a list are read from. */
export interface PageTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** A reader that stops early has read little too much; one that reads on needs few requests. */
const firstBatch = 2;
const batchMax = 32;

/**
 * The pages that overlap a range, in order. Each is read where the one before it ended: a page that
 * was merged away meanwhile is found in the one that took it in, one that was split in its parts.
 */
export async function* readPages(
  table: PageTable,
  watchlistId: string,
  { from = "", to }: IdRange,
): AsyncGenerator<StoredPage> {
  let bound = from;
  let size = firstBatch;
  let batch = await ownerOf(table, watchlistId, bound);
  while (batch.length > 0) {
    for (const page of batch) {
      if (page.lowest > bound) break;
      if (!reaches(page, bound)) continue;
      yield page;
      if (page.upper === null || (to !== undefined && page.upper > to)) return;
      bound = page.upper;
    }
    batch = await pagesFrom(table, watchlistId, { bound, to, size });
    if (batch[0]?.lowest !== bound) batch = await ownerOf(table, watchlistId, bound);
    size = Math.min(size * 2, batchMax);
  }
}

const reaches = ({ upper }: StoredPage, id: string): boolean => upper === null || upper > id;

/**
 * The page whose range holds an id; none when the list has no pages. A transaction shows its writes
 * one by one to a Query: while the id seems to be nobody's, a look again finds its owner.
 */
export function ownerOf(
  { client, table, clock, chance }: PageTable,
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
  return untilSettled({ clock, chance }, async () => {
    const found = (await firstRows(client, query, 1)).map(pageOf);
    return found.every((page) => reaches(page, id)) ? found : "again";
  });
}

/** The page below a bound that is not "". */
export async function pageBelow(
  { client, table }: PageTable,
  watchlistId: string,
  bound: string,
): Promise<StoredPage | undefined> {
  const query = {
    TableName: table,
    // Nothing sorts between two pages, and the first page is below every bound.
    KeyConditionExpression: "pk = :pk AND sk < :bound",
    ExpressionAttributeValues: {
      ":pk": watchlistKeys.page(watchlistId, "").pk,
      ":bound": watchlistKeys.page(watchlistId, bound).sk,
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return (await firstRows(client, query, 1)).map(pageOf)[0];
}

/**
 * What one request gives, which may be less than there is, or nothing: the reader goes on where the
 * last page ends. To ask for the rest here would hold many megabytes before the first page is out.
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
  return Items.map(pageOf);
}

/** Item ids are letters and digits: this sorts after all of them. */
export const afterEveryId = "~";
