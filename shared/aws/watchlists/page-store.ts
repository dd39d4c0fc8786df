import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import { totalOf } from "../../watchlists/item-counts.ts";
import {
  secondRowOfPage,
  type EncodedPage,
  cutPages,
  fitsSecondRow,
  type PageBounds,
  pageBounds,
  pageOfColumns,
  type StoredPage,
} from "../../watchlists/page.ts";
import type { Item } from "../../watchlists/item.ts";
import { fromColumns, withChanged } from "../../watchlists/item-columns.ts";
import type { PageStore, Replacement, WatchlistRef } from "../../watchlists/page-store.ts";
import { retryWhileContended } from "../table/dynamo.ts";
import {
  itemPageKeys,
  itemPages,
  pageContaining,
  pagesQuery,
  pageBelow,
  readPages,
  type PageKind,
  type PageTable,
} from "./page-reader.ts";
import { detailsPages } from "./details-pages.ts";
import { itemPageRow } from "./page-row.ts";
import { putNewRow, type SecondRows, writePages, writeSecondRow } from "./page-writes.ts";
import { firstRows } from "../table/query-rows.ts";

const parallelPuts = 10;
/**
 * Number of rows that are deleted in one request. DynamoDB allows 25, but with an even number, a
 * request rarely deletes only one of the two rows of a page.
 */
const batchRowsMax = 24;

/** The table of the pages, and how the store writes them. */
export interface PageStoreOptions extends Omit<PageTable, "client"> {
  /** @default pageBounds */
  readonly bounds?: PageBounds;
  /**
   * True to store the changed items of a page in a second row while they fit into it, so that a few
   * changed items do not cause a write of their whole page. Stores without this option read such
   * pages, and replace both rows by one (ADR 0092).
   * @default false
   */
  readonly writesSecondRows?: boolean;
}

/**
 * Creates a store of pages of items and of details in the watchlists table. The store's methods
 * throw 503 UNAVAILABLE if rows stay contended or throttled, or if the retry budget is exhausted.
 * Only tests pass `bounds`.
 */
export function dynamoPageStore(client: PageTable["client"], options: PageStoreOptions): PageStore {
  const { bounds = pageBounds, writesSecondRows = false, ...rest } = options;
  const table = { client, ...rest };
  const kind = itemPages(writesSecondRows);
  return {
    ...detailsPages(table, bounds),
    ...replacements({ table, kind }, { bounds, writesSecondRows }),
    pages: (watchlistId, range = {}) => readPages(table, kind, { watchlistId, ...range }),
    create: (watchlistId, items) =>
      createPages(table, watchlistId, cutPages({ lowest: "", upper: null }, items, bounds)),
    async removeAll(watchlistId) {
      while ((await retryWhileContended(table, () => removeSome(table, watchlistId))) === "some");
    },
  };
}

/** How a store writes pages: the options of the store with their defaults. */
type WriteOptions = Required<Pick<PageStoreOptions, "bounds" | "writesSecondRows">>;

/** Creates the methods of a page store that replace pages. */
function replacements(
  stored: ItemPages,
  options: WriteOptions,
): Pick<PageStore, "replace" | "replaceItems"> {
  const { table } = stored;
  const { bounds, writesSecondRows } = options;
  const { watchlistItemsMax } = bounds;
  const writeItems = (
    watchlist: WatchlistRef,
    { before, items, keepsIds }: Change & { readonly keepsIds: boolean },
  ): Promise<Replacement> => {
    const [first, last] = [before[0], before.at(-1)];
    assert(
      first !== undefined && last !== undefined,
      "the replacement of a page must have at least one page",
    );
    const range = { lowest: first.lowest, upper: last.upper };
    const secondRows = writesSecondRows ? "always" : "never";
    const cut = cutPages(range, items, bounds);
    return writePages(table, watchlist, { before, cut, keepsIds, watchlistItemsMax, secondRows });
  };
  return {
    async replace(watchlist, before, items) {
      const change = await joinNeighbor(stored, watchlist.watchlistId, { before, items, bounds });
      return writeItems(watchlist, { ...change, keepsIds: false });
    },
    async replaceItems(watchlist, page, changed) {
      const columns = withChanged(page.columns, changed);
      const secondRow = writesSecondRows
        ? secondRowOfPage(page, { changed, columns }, bounds)
        : undefined;
      if (secondRow !== undefined) return writeSecondRow(table, watchlist, { page, secondRow });
      const before = [page];
      const after = pageOfColumns(page, columns, bounds);
      if (after === undefined) {
        return writeItems(watchlist, { before, items: fromColumns(columns), keepsIds: true });
      }
      const secondRows = secondRowsFor(page, changed, options);
      const write = { before, cut: [after], watchlistItemsMax, secondRows };
      return writePages(table, watchlist, { ...write, keepsIds: true });
    },
  };
}

/**
 * Returns when a page whose items change gets a second row. If the changed items alone do not fit
 * into a second row, it saves nothing, so it is not worth a transaction.
 */
function secondRowsFor(
  page: StoredPage,
  changed: readonly Item[],
  { bounds, writesSecondRows }: WriteOptions,
): SecondRows {
  if (!writesSecondRows) return "never";
  return fitsSecondRow(page, changed, bounds) ? "always" : "with_counters";
}

/** Writes the pages of a watchlist that is being created, up to ten at a time. */
async function createPages(
  table: PageTable,
  watchlistId: string,
  cut: EncodedPage[],
): Promise<void> {
  const put = async (): Promise<void> => {
    try {
      for (let page = cut.shift(); page !== undefined; page = cut.shift()) {
        await putNewRow(table, itemPageRow(watchlistId, page, { version: 1, hasSecondRow: false }));
      }
    } finally {
      // After a failure, no parallel loop starts another page, so that the caller gets the error
      // soon.
      cut.length = 0;
    }
  };
  // Waits until all parallel loops end before the error is thrown, so that the caller's cleanup
  // deletes every page.
  const results = await Promise.allSettled(Array.from({ length: parallelPuts }, put));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** The table of the pages of items, and how to read them. */
interface ItemPages {
  readonly table: PageTable;
  readonly kind: PageKind<StoredPage>;
}

interface Change {
  readonly before: readonly StoredPage[];
  readonly items: readonly Item[];
}

/**
 * Adds a neighboring page to a change that removes items, if the remaining items and those of the
 * neighbor fit into one page. Otherwise returns the change unchanged.
 */
async function joinNeighbor(
  pages: ItemPages,
  watchlistId: string,
  { before, items, bounds }: Change & { readonly bounds: PageBounds },
): Promise<Change> {
  const held = before.reduce((sum, page) => sum + totalOf(page.counts), 0);
  if (items.length >= held || items.length > bounds.mergeItemsMax) return { before, items };
  const fits = (page: StoredPage | undefined): page is StoredPage =>
    page !== undefined &&
    (items.length === 0 || totalOf(page.counts) + items.length <= bounds.mergeItemsMax);
  const left = await leftOf(pages, watchlistId, before[0]);
  if (fits(left)) return { before: [left, ...before], items: [...left.items, ...items] };
  const right = await rightOf(pages, watchlistId, before.at(-1));
  if (fits(right)) return { before: [...before, right], items: [...items, ...right.items] };
  return { before, items };
}

/**
 * Reads the page that ends where `page` starts. Returns undefined if `page` is undefined or the
 * first page, or if the ranges of the pages have changed since `page` was read.
 */
async function leftOf(
  { table, kind }: ItemPages,
  watchlistId: string,
  page: StoredPage | undefined,
): Promise<StoredPage | undefined> {
  if (page === undefined || page.lowest === "") return undefined;
  const left = await pageBelow(table, kind, { watchlistId, bound: page.lowest });
  return left?.upper === page.lowest ? left : undefined;
}

/**
 * Reads the page that starts where `page` ends. Returns undefined if `page` is undefined or the
 * last page, or if the ranges of the pages have changed since `page` was read.
 */
async function rightOf(
  { table, kind }: ItemPages,
  watchlistId: string,
  page: StoredPage | undefined,
): Promise<StoredPage | undefined> {
  if (page === undefined || page.upper === null) return undefined;
  const right = await pageContaining(table, kind, { watchlistId, id: page.upper });
  return right?.lowest === page.upper ? right : undefined;
}

/**
 * Deletes up to 24 rows of pages, those with the lowest keys first, so that a concurrent reader
 * finds an empty watchlist and not a gap. Returns `some` if all rows that it read were deleted,
 * `none` if there were no rows, and `again` if DynamoDB has not deleted all of them.
 */
async function removeSome(
  { client, table }: PageTable,
  watchlistId: string,
): Promise<"some" | "none" | "again"> {
  const query = pagesQuery({ table }, itemPageKeys, { watchlistId });
  const { ":pk": pk } = query.ExpressionAttributeValues;
  const keys = { ...query, ProjectionExpression: "sk" };
  const rows = await firstRows(client, keys, batchRowsMax);
  if (rows.length === 0) return "none";
  const deletes = rows.map(({ sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  const { UnprocessedItems } = await client.send(
    new BatchWriteCommand({ RequestItems: { [table]: deletes } }),
  );
  return UnprocessedItems?.[table] === undefined ? "some" : "again";
}
