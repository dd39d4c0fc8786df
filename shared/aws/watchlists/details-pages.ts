import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { repeats } from "../../base/retry-budget.ts";
import {
  changeDetails,
  type CutDetailsPage,
  cutDetailsPages,
  decodeDetails,
  mayContain,
  type StoredDetailsPage,
} from "../../watchlists/details-page.ts";
import type { ItemDetails } from "../../watchlists/item-details.ts";
import { type PageBounds, pageBounds, type PageRange } from "../../watchlists/page.ts";
import type {
  DetailsChange,
  DetailsChanged,
  PageStore,
  WatchlistRef,
} from "../../watchlists/page-store.ts";
import { endOfRange } from "../../watchlists/rewrite-items.ts";
import {
  attemptUnlessThrottled,
  conditionalWrite,
  isLocked,
  isRefused,
  isThrottle,
  retryWhileContended,
  type Row,
  transact,
  type TransactItem,
} from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { watchlistKeys } from "../table/table.ts";
import {
  detailsPageKeys,
  itemPageKeys,
  type PageKind,
  pageContaining,
  pagesQuery,
  type PageTable,
  readPages,
} from "./page-reader.ts";
import { isSecondRow, lowestOf } from "./page-row.ts";
import { asSeen, putNewRow } from "./page-writes.ts";

const detailsKind: PageKind<StoredDetailsPage> = {
  ...detailsPageKeys,
  rowsPerPage: 1,
  pagesOf: (rows) => rows.map(detailsPageOf),
  lastPageOf: ([row]) => row && detailsPageOf(row),
};

/** Number of details pages in the first request for a whole watchlist. */
const pagesAtOnce = 8;

/**
 * Retry limits for one page (pauses in milliseconds). A failed attempt means that another writer
 * changed the page.
 */
const retryLimits = { triesMax: 40, pauseMs: 2, pauseMsMax: 400 };

/**
 * Creates the methods of a page store that read and write item details (label, metadata and facts).
 * A watchlist has either no details pages, or pages that together cover all IDs. Pages are split
 * but never merged: details seldom change, and a page whose items were removed takes less than 1
 * KB.
 */
export const detailsPages = (
  table: PageTable,
  bounds: PageBounds,
): Pick<PageStore, "details" | "detailsOf" | "changeDetails" | "createDetails"> => ({
  async details(watchlistId, { from = "", to, words } = {}) {
    const isWanted = (id: string): boolean => id >= from && (to === undefined || id <= to);
    const detailsById = new Map<string, ItemDetails>();
    const read = { watchlistId, from, to, atOnce: pagesAtOnce };
    for await (const page of readPages(table, detailsKind, read)) {
      if (words !== undefined && !page.mayContain(words)) continue;
      for (const one of page.select(isWanted)) detailsById.set(one.id, one);
    }
    return detailsById;
  },
  async detailsOf(watchlistId, ids) {
    const foundDetails: ItemDetails[] = [];
    for (let done = 0; done < ids.length;) {
      const id = ids[done] ?? "";
      const page = await pageContaining(table, detailsKind, { watchlistId, id });
      if (page === undefined) break;
      const end = endOfRange(page, ids, done);
      const owned = new Set(ids.slice(done, end));
      foundDetails.push(...page.select((one) => owned.has(one)));
      done = end;
    }
    return foundDetails;
  },
  changeDetails: (watchlist, change) => changeDetailsPages(table, bounds, { watchlist, ...change }),
  async createDetails(watchlistId, details) {
    if (details.length === 0) return;
    for (const range of await firstRanges(table, watchlistId)) {
      const { lowest, upper } = range;
      const own = details.filter(({ id }) => id >= lowest && (upper === null || id < upper));
      for (const page of cutDetailsPages(range, own, bounds)) {
        await putNewRow(table, detailsPageRow(watchlistId, page, 1));
      }
    }
  },
});

/**
 * Maximum number of details pages that a watchlist has at first. One transaction creates them, and
 * DynamoDB limits it to 100 writes, one of which is a check.
 */
const firstPagesMax = 99;

/**
 * Returns the ranges of a watchlist's first details pages: the ranges of its pages of items, joined
 * if there are more than `firstPagesMax`. Parallel batches of the first run therefore write
 * different pages.
 */
async function firstRanges(
  { client, table }: PageTable,
  watchlistId: string,
): Promise<readonly PageRange[]> {
  const query = pagesQuery({ table }, itemPageKeys, { watchlistId });
  const rows = queryRows(client, { ...query, ProjectionExpression: "sk" });
  const all: string[] = [];
  for await (const row of rows) if (!isSecondRow(row)) all.push(lowestOf(row));
  const every = Math.ceil(all.length / firstPagesMax);
  const lowest = ["", ...all.filter((one, n) => one !== "" && n % every === 0)];
  return lowest.map((one, n) => ({ lowest: one, upper: lowest[n + 1] ?? null }));
}

/**
 * Creates the first details pages of a watchlist, without any details. Returns `stale` if another
 * process has created them, and `watchlist_deleted` if the watchlist was deleted.
 */
async function createDetailsPages(table: PageTable, watchlist: WatchlistRef): Promise<Written> {
  const ranges = await firstRanges(table, watchlist.watchlistId);
  const cut = ranges.flatMap((range) => cutDetailsPages(range, [], pageBounds));
  return addDetailsPages(
    table,
    watchlist,
    cut.map((page) => putOf({ ...table, ...watchlist }, page)),
  );
}

/**
 * Changes the details of items, page by page. Reads the pages in advance. After a conflict,
 * continues with `changeEachDetailsPage`.
 */
async function changeDetailsPages(
  table: PageTable,
  bounds: PageBounds,
  { watchlist, ids, change }: DetailsChange & { readonly watchlist: WatchlistRef },
): Promise<DetailsChanged> {
  const { watchlistId } = watchlist;
  const range = { watchlistId, from: ids[0] ?? "", to: ids.at(-1) ?? "" };
  let done = 0;
  let isPaged = false;
  for await (const page of readPages(table, detailsKind, range)) {
    isPaged = true;
    const end = endOfRange(page, ids, done);
    const owned = ids.slice(done, end);
    const outcome = await changeDetailsPage(table, watchlist, { page, bounds, change, ids: owned });
    // Another process has changed the page, so the pages that were read with it may be outdated
    // too.
    if (outcome === "stale") break;
    if (outcome === "watchlist_deleted") return outcome;
    done = end;
  }
  // The watchlist had no details pages, and this change would store no details. Whether another
  // process has created pages by now makes no difference, so no further read is needed.
  if (!isPaged && changeDetails(undefined, ids, change) === "unchanged") return "done";
  return changeEachDetailsPage(table, bounds, { watchlist, ids: ids.slice(done), change });
}

/** Changes details as `changeDetailsPages` does, but reads each page just before writing it. */
async function changeEachDetailsPage(
  table: PageTable,
  bounds: PageBounds,
  { watchlist, ids, change }: DetailsChange & { readonly watchlist: WatchlistRef },
): Promise<DetailsChanged> {
  const { clock, random } = table;
  const { watchlistId } = watchlist;
  let mayRepeat = repeats({ clock, random }, retryLimits);
  for (let done = 0; done < ids.length;) {
    const page = await pageContaining(table, detailsKind, { watchlistId, id: ids[done] ?? "" });
    const end = page === undefined ? ids.length : endOfRange(page, ids, done);
    const owned = ids.slice(done, end);
    const outcome = await changeDetailsPage(table, watchlist, { page, bounds, change, ids: owned });
    if (outcome === "watchlist_deleted") return outcome;
    if (outcome === "written") {
      done = end;
      mayRepeat = repeats({ clock, random }, retryLimits);
    } else if (!(await mayRepeat())) return "contended";
  }
  return "done";
}

interface DetailsPageChange extends DetailsChange {
  /** The page to change; undefined if the watchlist has no details pages. */
  readonly page: StoredDetailsPage | undefined;
  readonly bounds: PageBounds;
}

/** Changes the details of items on one page. Also returns `written` if nothing changes. */
async function changeDetailsPage(
  table: PageTable,
  watchlist: WatchlistRef,
  { page, bounds, ids, change }: DetailsPageChange,
): Promise<Written> {
  const after = changeDetails(page, ids, change);
  return after === "unchanged"
    ? "written"
    : writeDetailsPages(table, watchlist, { page, after, bounds });
}

interface DetailsReplacement {
  /** The page to change; undefined if the watchlist has no details pages. */
  readonly page: StoredDetailsPage | undefined;
  readonly after: readonly ItemDetails[];
  readonly bounds: PageBounds;
}

type Written = "written" | "stale" | "watchlist_deleted";

/**
 * Replaces a page. If the watchlist has no details pages, creates the first ones without `after`
 * and returns `stale`, so that the caller tries again. Also returns `stale` if another process has
 * changed the page. Returns `watchlist_deleted` if the watchlist was deleted.
 */
async function writeDetailsPages(
  table: PageTable,
  watchlist: WatchlistRef,
  { page, after, bounds }: DetailsReplacement,
): Promise<Written> {
  if (page === undefined) {
    const created = await createDetailsPages(table, watchlist);
    return created === "watchlist_deleted" ? created : "stale";
  }
  const cut = cutDetailsPages(page, after, bounds);
  const puts = cut.map((one) => putOf({ ...table, ...watchlist }, one, page));
  const [only] = puts;
  return only !== undefined && puts.length === 1
    ? replaceDetailsPage(table, only)
    : addDetailsPages(table, watchlist, puts);
}

type Put = NonNullable<TransactItem["Put"]>;

/**
 * Builds a conditional write of a page.
 * @param replaced the page whose range contains the range of `page`; undefined for a first page
 */
const putOf = (
  { table: TableName, watchlistId }: { readonly table: string; readonly watchlistId: string },
  page: CutDetailsPage,
  replaced?: StoredDetailsPage,
): Put => ({
  TableName,
  Item: detailsPageRow(watchlistId, page, (replaced?.version ?? 0) + 1),
  ...asSeen(page.lowest === replaced?.lowest ? replaced.version : undefined),
});

/**
 * Replaces a stored page with a page for the same range of IDs. Returns `stale` if another process
 * changed the page after it was read.
 */
const replaceDetailsPage = ({ client, ...retryOptions }: PageTable, put: Put): Promise<Written> =>
  retryWhileContended<Written>(retryOptions, async () => {
    try {
      return (await conditionalWrite(() => client.send(new PutCommand(put)))) ? "written" : "stale";
    } catch (error) {
      if (isThrottle(error) || isLocked(error)) return "again";
      throw error;
    }
  });

/**
 * Writes pages, some of which are new. The same transaction checks that the watchlist exists,
 * because a purge would miss rows that are added after it.
 */
function addDetailsPages(
  { client, table: TableName, ...retryOptions }: PageTable,
  { accountId, watchlistId }: WatchlistRef,
  puts: readonly Put[],
): Promise<Written> {
  const check: TransactItem = {
    ConditionCheck: {
      TableName,
      Key: watchlistKeys.watchlist(accountId, watchlistId),
      ConditionExpression: "attribute_exists(pk)",
    },
  };
  return retryWhileContended<Written>(retryOptions, (note) =>
    attemptUnlessThrottled<Written | "again">(note, async () => {
      const result = await transact(client, [...puts.map((put) => ({ Put: put })), check]);
      if (result.outcome === "done") return "written";
      if (result.outcome === "contended") return "again";
      return isRefused(result.reasons.at(-1)) ? "watchlist_deleted" : "stale";
    }),
  );
}

const detailsPageRow = (watchlistId: string, page: CutDetailsPage, version: number): Row => ({
  ...watchlistKeys.detailsPage(watchlistId, page.lowest),
  version,
  upper: page.upper ?? undefined,
  details: page.encoded,
});

/**
 * Converts the row of a page. Does not validate the row, because only `detailsPageRow` writes such
 * rows.
 */
function detailsPageOf(row: Row): StoredDetailsPage {
  const encoded = row["details"] as Uint8Array;
  let decoded: ReturnType<typeof decodeDetails> | undefined;
  const decode = (): ReturnType<typeof decodeDetails> => {
    decoded ??= decodeDetails(encoded);
    return decoded;
  };
  return {
    lowest: String(row["sk"]).slice("details#".length),
    upper: (row["upper"] as string | undefined) ?? null,
    version: row["version"] as number,
    get details() {
      return decode().details;
    },
    select: (isWanted) => decode().select(isWanted),
    mayContain: (words) => mayContain(encoded, words),
  };
}
