import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../base/clock.ts";
import type { PageRange, StoredPage } from "../../watchlists/page.ts";
import { retryWhileContended, type Row } from "../table/dynamo.ts";
import { itemPageOf } from "./page-row.ts";
import { firstRows } from "../table/query-rows.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";

/** The table of pages, with the clock and the random source for pauses before retries. */
export interface PageTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** A kind of pages whose ranges are adjacent and do not overlap. */
export interface PageKind<Page extends PageRange> {
  /** Returns the key of the page whose range begins with `lowest`. */
  readonly keyOf: (watchlistId: string, lowest: string) => RowKey;
  /** Converts the row of a page. */
  readonly parse: (row: Row) => Page;
}

/** Pages of items. */
export const itemPages: PageKind<StoredPage> = { keyOf: watchlistKeys.page, parse: itemPageOf };

/**
 * Number of pages in the second request. The number doubles with each further request, up to
 * `batchMax`. A consumer that stops early causes few unnecessary reads, and a long read needs few
 * requests.
 */
const firstBatch = 2;
const batchMax = 32;

interface PagesRead {
  readonly watchlistId: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /**
   * Number of pages in the first request if the range begins with the first page.
   * @default 1
   */
  readonly atOnce?: number;
}

/**
 * Yields the pages of a watchlist that overlap the range of item IDs from `from` to `to`, in order.
 * Each request starts where the last yielded page ends, so the read stays complete while other
 * requests merge or split pages.
 * @param atOnce number of pages in the first request
 * @throws 503 UNAVAILABLE if no page contains the next ID after all retries
 */
export async function* readPages<Page extends PageRange>(
  table: PageTable,
  kind: PageKind<Page>,
  { watchlistId, from = "", to, atOnce = 1 }: PagesRead,
): AsyncGenerator<Page> {
  let bound = from;
  let size = firstBatch;
  let batch = await firstPages(table, kind, { watchlistId, bound, to, atOnce });
  while (batch.length > 0) {
    for (const page of batch) {
      if (page.lowest > bound) break;
      if (!reaches(page, bound)) continue;
      yield page;
      if (page.upper === null || (to !== undefined && page.upper > to)) return;
      bound = page.upper;
    }
    batch = await startingAt(table, kind, {
      watchlistId,
      bound,
      pages: await pagesFrom(table, kind, { watchlistId, bound, to, size }),
    });
    size = Math.min(size * 2, batchMax);
  }
}

interface FirstPages extends Pick<PagesRead, "watchlistId" | "to"> {
  readonly bound: string;
  readonly atOnce: number;
}

/** Reads the first pages of a range; several in one request if the range begins at the first ID. */
async function firstPages<Page extends PageRange>(
  table: PageTable,
  kind: PageKind<Page>,
  { watchlistId, bound, to, atOnce }: FirstPages,
): Promise<Page[]> {
  if (bound !== "" || atOnce <= 1) return pagesHolding(table, kind, { watchlistId, id: bound });
  const query = pagesQuery(table, kind, { watchlistId, bound, to });
  const pages = (await firstRows(table.client, query, atOnce)).map(kind.parse);
  return pages.length === 0 ? [] : startingAt(table, kind, { watchlistId, bound, pages });
}

/**
 * Returns `pages` if the first of them begins with the ID `bound`. Otherwise, another request has
 * merged pages, so this function returns only the page that now contains the ID.
 */
async function startingAt<Page extends PageRange>(
  table: PageTable,
  kind: PageKind<Page>,
  {
    watchlistId,
    bound,
    pages,
  }: { readonly watchlistId: string; readonly bound: string; readonly pages: Page[] },
): Promise<Page[]> {
  return pages[0]?.lowest === bound ? pages : pagesHolding(table, kind, { watchlistId, id: bound });
}

/** Returns true if the range of the page ends after the ID. */
const reaches = ({ upper }: PageRange, id: string): boolean => upper === null || upper > id;

/**
 * Reads the page whose range contains an item ID. Returns an array with this page; an empty array
 * if the watchlist has no pages. A query can observe only some of the writes of a transaction, so
 * the read is repeated while no page seems to contain the ID.
 * @throws 503 UNAVAILABLE if no page contains the ID after all retries
 */
export function pagesHolding<Page extends PageRange>(
  { client, table, clock, random }: PageTable,
  { keyOf, parse }: PageKind<Page>,
  { watchlistId, id }: { readonly watchlistId: string; readonly id: string },
): Promise<Page[]> {
  const query = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :id",
    ExpressionAttributeValues: {
      ":pk": keyOf(watchlistId, "").pk,
      ":first": keyOf(watchlistId, "").sk,
      ":id": keyOf(watchlistId, id).sk,
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return retryWhileContended({ clock, random }, async () => {
    const matches = (await firstRows(client, query, 1)).map(parse);
    return matches.every((page) => reaches(page, id)) ? matches : "again";
  });
}

/**
 * Reads the last page of items whose range starts before the item ID `bound`, which must not be an
 * empty string. Returns undefined if there is no such page.
 */
export async function pageBelow(
  { client, table }: PageTable,
  watchlistId: string,
  bound: string,
): Promise<StoredPage | undefined> {
  const query = {
    TableName: table,
    // The first page sorts before every bound, and only pages sort between the first page and the
    // bound. The last row before the bound is therefore a page, and the query needs no lower bound.
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

interface Bounds {
  readonly watchlistId: string;
  readonly bound: string;
  readonly to?: string | undefined;
}

/** Returns the query for the pages that begin in a range. */
const pagesQuery = <Page extends PageRange>(
  { table }: PageTable,
  { keyOf }: PageKind<Page>,
  { watchlistId, bound, to }: Bounds,
) => ({
  TableName: table,
  KeyConditionExpression: "pk = :pk AND sk BETWEEN :bound AND :to",
  ExpressionAttributeValues: {
    ":pk": keyOf(watchlistId, "").pk,
    ":bound": keyOf(watchlistId, bound).sk,
    ":to": keyOf(watchlistId, to ?? afterEveryId).sk,
  },
  ConsistentRead: true,
});

/**
 * Sends one request for up to `size` pages, and returns them; the response may have fewer or none.
 * The caller continues after the last page, because all pages together would need many megabytes of
 * memory.
 */
async function pagesFrom<Page extends PageRange>(
  table: PageTable,
  kind: PageKind<Page>,
  { size, ...bounds }: Bounds & { readonly size: number },
): Promise<Page[]> {
  const query = { ...pagesQuery(table, kind, bounds), Limit: size };
  const { Items = [] } = await table.client.send(new QueryCommand(query));
  return Items.map(kind.parse);
}

/** Sorts after every item ID, because item IDs contain only letters and digits. */
export const afterEveryId = "~";
