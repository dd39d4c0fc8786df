import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { afterEveryId } from "../../watchlists/id-order.ts";
import type { PageRange, StoredPage } from "../../watchlists/page.ts";
import { retryWhileContended, type Row } from "../table/dynamo.ts";
import { itemPagesOf, lastItemPageOf } from "./page-row.ts";
import { firstRows } from "../table/query-rows.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";

/** The table of pages, with the clock and the random source for pauses before retries. */
export interface PageTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** The keys of the rows of a kind of pages. */
export interface PageKeys {
  /** Returns the key of the page whose range begins with `lowest`. */
  readonly keyOf: (watchlistId: string, lowest: string) => RowKey;
  /** Returns the key of the last row that such a page can have. */
  readonly lastKeyOf: (watchlistId: string, lowest: string) => RowKey;
}

/** The keys of the pages of items. */
export const itemPageKeys: PageKeys = {
  keyOf: watchlistKeys.page,
  lastKeyOf: watchlistKeys.pageSecondRow,
};

/** The keys of the pages of item details. */
export const detailsPageKeys: PageKeys = {
  keyOf: watchlistKeys.detailsPage,
  lastKeyOf: watchlistKeys.detailsPage,
};

/** A kind of pages whose ranges are adjacent and do not overlap. */
export interface PageKind<Page extends PageRange> extends PageKeys {
  /** The number of rows that a page usually has. */
  readonly rowsPerPage: number;
  /**
   * Converts successive rows. Returns the pages before the first incomplete page. The caller must
   * read the other pages again.
   */
  readonly pagesOf: (rows: readonly Row[]) => Page[];
  /**
   * Converts the last rows before a bound, in descending order of their keys, to the page that they
   * belong to. Returns undefined if the first row is not a row of a page, and `incomplete` if the
   * page must be read again.
   */
  readonly lastPageOf: (rows: readonly Row[]) => Page | "incomplete" | undefined;
}

/** The maximum number of rows of a page of any kind. */
const rowsPerPageMax = 2;

/**
 * Pages of items.
 * @param writesSecondRows true if this process writes second rows of pages. It then reads two rows
 * for each page; a page without a second row is read together with the page before it. Otherwise,
 * it needs more requests to read pages with second rows.
 */
export const itemPages = (writesSecondRows: boolean): PageKind<StoredPage> => ({
  ...itemPageKeys,
  rowsPerPage: writesSecondRows ? rowsPerPageMax : 1,
  pagesOf: itemPagesOf,
  lastPageOf: lastItemPageOf,
});

/**
 * Number of pages in the second request. The number doubles with each further request, up to
 * `batchMax`. A consumer that stops early causes few unnecessary reads, and a long read needs few
 * requests.
 */
const secondRequestPages = 2;
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
  let size = secondRequestPages;
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
  if (bound !== "" || atOnce <= 1) return pagesFound(table, kind, { watchlistId, bound });
  const query = pagesQuery(table, kind, { watchlistId, bound, to });
  const rows = await firstRows(table.client, query, atOnce * kind.rowsPerPage);
  if (rows.length === 0) return [];
  return startingAt(table, kind, { watchlistId, bound, pages: kind.pagesOf(rows) });
}

/**
 * Returns `pages` if the first of them begins with the ID `bound`. Otherwise, another request has
 * merged pages, or the first page was read incompletely. This function then reads and returns only
 * the page that now contains the ID.
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
  return pages[0]?.lowest === bound ? pages : pagesFound(table, kind, { watchlistId, bound });
}

/** Reads the page that contains the ID `bound`. Returns no page if the watchlist has no pages. */
async function pagesFound<Page extends PageRange>(
  table: PageTable,
  kind: PageKind<Page>,
  { watchlistId, bound }: { readonly watchlistId: string; readonly bound: string },
): Promise<Page[]> {
  const page = await pageContaining(table, kind, { watchlistId, id: bound });
  return page === undefined ? [] : [page];
}

/** Returns true if the range of the page ends after the ID. */
const reaches = ({ upper }: PageRange, id: string): boolean => upper === null || upper > id;

/**
 * Reads the page whose range contains an item ID. Returns undefined if the watchlist has no pages.
 * A query can observe only some of the writes of a transaction, so the read is repeated while no
 * complete page seems to contain the ID.
 * @throws 503 UNAVAILABLE if no page contains the ID after all retries
 */
export function pageContaining<Page extends PageRange>(
  { client, table, clock, random }: PageTable,
  kind: PageKind<Page>,
  { watchlistId, id }: { readonly watchlistId: string; readonly id: string },
): Promise<Page | undefined> {
  const query = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :id",
    ExpressionAttributeValues: {
      ":pk": kind.keyOf(watchlistId, "").pk,
      ":first": kind.keyOf(watchlistId, "").sk,
      ":id": kind.lastKeyOf(watchlistId, id).sk,
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return retryWhileContended<Page | undefined>({ clock, random }, async () => {
    const page = await lastPage(client, kind, query);
    if (page === undefined) return undefined;
    return page !== "incomplete" && reaches(page, id) ? page : "again";
  });
}

/** Reads the last page in the range of a query. The query must read in descending order. */
async function lastPage<Page extends PageRange>(
  client: PageTable["client"],
  { rowsPerPage, lastPageOf }: PageKind<Page>,
  query: Parameters<typeof firstRows>[1],
): Promise<Page | "incomplete" | undefined> {
  const page = lastPageOf(await firstRows(client, query, rowsPerPage));
  if (page !== "incomplete" || rowsPerPage === rowsPerPageMax) return page;
  return lastPageOf(await firstRows(client, query, rowsPerPageMax));
}

/**
 * Reads the last page of items whose range starts before the item ID `bound`, which must not be an
 * empty string. Returns undefined if there is no such page, or if it cannot be read completely.
 */
export async function pageBelow(
  { client, table }: PageTable,
  kind: PageKind<StoredPage>,
  { watchlistId, bound }: { readonly watchlistId: string; readonly bound: string },
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
  const page = await lastPage(client, kind, query);
  return page === "incomplete" ? undefined : page;
}

interface Bounds {
  readonly watchlistId: string;
  /**
   * Inclusive lower bound of the IDs.
   * @default ""
   */
  readonly bound?: string;
  /** Inclusive upper bound of the IDs; no bound if undefined. */
  readonly to?: string | undefined;
}

/**
 * Returns the query for all rows of the pages that begin in a range of IDs, in the order of their
 * keys. Strongly consistent.
 */
export const pagesQuery = (
  { table }: Pick<PageTable, "table">,
  { keyOf, lastKeyOf }: PageKeys,
  { watchlistId, bound = "", to = afterEveryId }: Bounds,
) => ({
  TableName: table,
  KeyConditionExpression: "pk = :pk AND sk BETWEEN :bound AND :to",
  ExpressionAttributeValues: {
    ":pk": keyOf(watchlistId, "").pk,
    ":bound": keyOf(watchlistId, bound).sk,
    ":to": lastKeyOf(watchlistId, to).sk,
  },
  ConsistentRead: true,
});

/**
 * Sends one request for about `size` pages, and returns them: fewer or none, or up to twice as many
 * if they have no second rows.
 * The caller continues after the last page, because all pages together would need many megabytes of
 * memory.
 */
async function pagesFrom<Page extends PageRange>(
  table: PageTable,
  kind: PageKind<Page>,
  { size, ...bounds }: Bounds & { readonly size: number },
): Promise<Page[]> {
  const query = { ...pagesQuery(table, kind, bounds), Limit: size * kind.rowsPerPage };
  const { Items = [] } = await table.client.send(new QueryCommand(query));
  return kind.pagesOf(Items);
}
