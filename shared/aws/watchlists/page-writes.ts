import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import {
  haveSameCounts,
  type ItemCounts,
  noItems,
  subtractCounts,
  sumCounts,
  totalOf,
} from "../../watchlists/item-counts.ts";
import { encodeItems } from "../../watchlists/page-codec.ts";
import type { EncodedSecondRow, EncodedPage, StoredPage } from "../../watchlists/page.ts";
import type { WatchlistRef, Replacement } from "../../watchlists/page-store.ts";
import {
  attemptUnlessThrottled,
  cancellationReasons,
  type CancellationReason,
  conditionalWrite,
  isConditionFailure,
  isLocked,
  isThrottle,
  retryWhileContended,
  type Row,
  type TransactItem,
} from "../table/dynamo.ts";
import type { PageTable } from "./page-reader.ts";
import { itemPageRow, itemPageSecondRow } from "./page-row.ts";
import { watchlistKeys } from "../table/table.ts";

/**
 * When the new pages get second rows. `with_counters`: if the write changes the watchlist's
 * counters, and therefore is a transaction anyway.
 */
export type SecondRows = "always" | "with_counters" | "never";

/** A replacement of pages. */
export interface PageWrite {
  /** The pages to replace: at least one, adjacent, and in the order of their ranges. */
  readonly before: readonly StoredPage[];
  /** The new pages. They cover the same range of IDs as `before`. */
  readonly cut: readonly EncodedPage[];
  /** True if the change neither adds nor removes items. It then replaces only one page. */
  readonly keepsIds: boolean;
  /** Maximum number of items of the watchlist after the write. */
  readonly watchlistItemsMax: number;
  readonly secondRows: SecondRows;
}

/** The requests of a replacement: one put of one row, or one transaction of several rows. */
export type WritePlan =
  | {
      readonly kind: "put";
      readonly page: EncodedPage;
      /** Version of the new page. */
      readonly version: number;
      /** Version of the page to replace. */
      readonly seen: number;
    }
  | ({ readonly kind: "transaction" } & Transaction);

interface Transaction {
  readonly before: readonly StoredPage[];
  readonly cut: readonly EncodedPage[];
  /** Version of the new pages. */
  readonly version: number;
  /** True to give each new page a second row. */
  readonly addsSecondRows: boolean;
  /** The update of the watchlist's counters; null if the IDs and the counts stay the same. */
  readonly counters: CountersUpdate | null;
}

interface CountersUpdate {
  /** Number of added items by state; negative for removed items. */
  readonly growth: ItemCounts;
  /** Maximum number of items of the watchlist after the update. */
  readonly watchlistItemsMax: number;
}

/** DynamoDB's maximum number of writes in one transaction. */
const transactionWritesMax = 100;

/**
 * Maximum pause between attempts, in milliseconds. It is long, because many transactions update the
 * watchlist's row, for which the writes of many pages contend.
 */
const waitMsMax = 1_000;

/**
 * Replaces the pages `before` of a watchlist with the pages `cut`, with the requests that
 * `planWrite` returns. Returns `replaced`, `stale` if a page has changed since it was read,
 * `watchlist_deleted`, or `full` if the watchlist would have more than `watchlistItemsMax` items.
 * After `stale`, the write may have taken effect (see `putVersion`); the other outcomes are
 * certain.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function writePages(
  table: PageTable,
  watchlist: WatchlistRef,
  write: PageWrite,
): Promise<Replacement> {
  const plan = planWrite(write);
  const { clock, random } = table;
  return retryWhileContended({ clock, random, waitMsMax }, () => {
    if (plan.kind === "transaction") return transact(table, watchlist, plan);
    const { page, version, seen } = plan;
    const row = itemPageRow(watchlist.watchlistId, page, { version, hasSecondRow: false });
    return putVersion(table, row, seen);
  });
}

/**
 * Returns the requests that replace pages. One put suffices if only one row changes: if one page
 * without a second row keeps its range, its IDs and its counts, and gets no second row. The new
 * pages have a higher version than all replaced pages. The version of a page therefore never
 * repeats, even if the page is merged into another page and later created again.
 */
export function planWrite({
  before,
  cut,
  keepsIds,
  watchlistItemsMax,
  secondRows,
}: PageWrite): WritePlan {
  const version = Math.max(...before.map((page) => page.version)) + 1;
  const growth = subtractCounts(sumCounts(cut), sumCounts(before));
  // A change of IDs is made with the counters even if no count changes: the caller reports the
  // number of added items, so the result must be certain.
  const counters =
    keepsIds && haveSameCounts(growth, noItems) ? null : { growth, watchlistItemsMax };
  // 50,000 IDs can be added to one page. With a second row for each new page, the transaction would
  // have too many writes. The pages then get their second rows later.
  const addsSecondRows =
    (secondRows === "always" || (secondRows === "with_counters" && counters !== null)) &&
    2 * (before.length + cut.length) < transactionWritesMax;
  const [oldPage] = before;
  const [newPage, ...more] = cut;
  const keepsOtherRows = counters === null && !addsSecondRows && more.length === 0;
  if (keepsOtherRows && oldPage?.secondRow === null && newPage !== undefined) {
    return { kind: "put", page: newPage, version, seen: oldPage.version };
  }
  return { kind: "transaction", before, cut, version, addsSecondRows, counters };
}

/**
 * Replaces the second row of a page. `putVersion` describes the outcomes.
 * @throws 503 UNAVAILABLE if the row stays contended or the retry budget is exhausted
 */
export function writeSecondRow(
  table: PageTable,
  { watchlistId }: WatchlistRef,
  { page, secondRow }: SecondRowReplacement,
): Promise<Replacement> {
  const { lowest, version: seen } = page;
  const row = itemPageSecondRow(watchlistId, { lowest, ...secondRow }, seen + 1);
  const { clock, random } = table;
  return retryWhileContended({ clock, random, waitMsMax }, () => putVersion(table, row, seen));
}

interface SecondRowReplacement {
  readonly page: StoredPage;
  readonly secondRow: EncodedSecondRow;
}

/**
 * Attempts once to replace a row of a page that has the version `seen`, without changing the IDs
 * and counts of the page, and without writing the watchlist's row. Returns `stale` if the page was
 * changed or deleted after it was read. Returns `again` if DynamoDB throttled the write or a
 * transaction had locked the row. After `stale`, the write may still have taken effect, if its
 * response was lost and another writer replaced the row before the SDK repeated the write.
 * Repeating the change must therefore be harmless.
 */
async function putVersion(
  { client, table }: PageTable,
  row: Row,
  seen: number,
): Promise<Replacement | "again"> {
  try {
    await client.send(
      new PutCommand({
        TableName: table,
        Item: row,
        ConditionExpression: "version = :seen",
        ExpressionAttributeValues: { ":seen": seen },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return "replaced";
  } catch (error) {
    if (isConditionFailure(error)) {
      // If the response of a write is lost, the SDK repeats the write, and its condition fails
      // because the first write took effect. The stored row is then the row of this write.
      const { version: storedVersion, items } = error.Item ?? {};
      const isOurs =
        Number(storedVersion?.N) === row["version"] &&
        areEqual(items?.B, row["items"] as Uint8Array);
      return isOurs ? "replaced" : "stale";
    }
    if (isThrottle(error) || isLocked(error)) return "again";
    throw error;
  }
}

const areEqual = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && Buffer.from(a).equals(b);

/**
 * Attempts once to replace pages, in one transaction. The transaction also updates the watchlist's
 * counters, unless they stay the same.
 */
async function transact(
  { client, table, random }: PageTable,
  watchlist: WatchlistRef,
  wanted: Transaction,
): Promise<Replacement | "again"> {
  const pages = pageActions(table, watchlist.watchlistId, wanted);
  const counters =
    wanted.counters === null
      ? []
      : [{ Update: watchlistUpdate(table, watchlist, wanted.counters) }];
  try {
    await client.send(
      new TransactWriteCommand({
        // Makes repeats by the SDK idempotent. Each attempt of `retryWhileContended` needs a new
        // token.
        ClientRequestToken: Buffer.from(random.bytes(16)).toString("hex"),
        TransactItems: [...pages, ...counters],
      }),
    );
    return "replaced";
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons !== undefined) {
      return replacementOf(reasons.slice(0, pages.length), reasons[pages.length]);
    }
    if (isThrottle(error)) return "again";
    throw error;
  }
}

/** Builds the writes of the pages. They fail if one of the replaced pages has changed. */
export function pageActions(
  table: string,
  watchlistId: string,
  {
    before,
    cut,
    version,
    addsSecondRows,
  }: Pick<Transaction, "before" | "cut" | "version" | "addsSecondRows">,
): TransactItem[] {
  const seen = new Map(before.map((page) => [page.lowest, page]));
  const kept = new Set(cut.map((page) => page.lowest));
  const removed = before.filter(({ lowest }) => !kept.has(lowest));
  return [
    ...cut.map((page) => ({
      Put: {
        TableName: table,
        Item: itemPageRow(watchlistId, page, { version, hasSecondRow: addsSecondRows }),
        ...asSeen(pageVersionOf(seen.get(page.lowest))),
      },
    })),
    ...cut.flatMap((page) =>
      secondRowActions(table, watchlistId, {
        lowest: page.lowest,
        seen: seen.get(page.lowest),
        row: addsSecondRows ? emptySecondRow(watchlistId, page, version) : undefined,
      }),
    ),
    ...removed.map((page) => ({
      Delete: {
        TableName: table,
        Key: watchlistKeys.page(watchlistId, page.lowest),
        ...asSeen(pageVersionOf(page)),
      },
    })),
    ...removed.flatMap((page) =>
      secondRowActions(table, watchlistId, { lowest: page.lowest, seen: page, row: undefined }),
    ),
  ];
}

/** Returns the version in the row of a page; undefined if there is no page. */
const pageVersionOf = (page: StoredPage | undefined): number | undefined =>
  page?.secondRow?.pageVersion ?? page?.version;

/** Returns the condition that a row has this version, or does not exist if it is undefined. */
export const asSeen = (version: number | undefined) =>
  version === undefined
    ? { ConditionExpression: "attribute_not_exists(pk)" }
    : {
        ConditionExpression: "version = :seen",
        ExpressionAttributeValues: { ":seen": version },
      };

/** Returns the second row of a new page, without items. */
const emptySecondRow = (watchlistId: string, page: EncodedPage, version: number): Row =>
  itemPageSecondRow(
    watchlistId,
    {
      lowest: page.lowest,
      maxChangedAt: page.maxChangedAt,
      encoded: encodeItems([]),
      pageVersion: version,
    },
    version,
  );

interface SecondRowWrite {
  readonly lowest: string;
  /** The page that is replaced; undefined if there is none. */
  readonly seen: StoredPage | undefined;
  /** The new second row; undefined to delete that of the replaced page, if it has one. */
  readonly row: Row | undefined;
}

/** Builds the write of the second row of a page, if one is necessary. */
function secondRowActions(
  table: string,
  watchlistId: string,
  { lowest, seen, row }: SecondRowWrite,
): TransactItem[] {
  const exists = seen !== undefined && seen.secondRow !== null;
  const condition = asSeen(exists ? seen.version : undefined);
  if (row !== undefined) return [{ Put: { TableName: table, Item: row, ...condition } }];
  if (!exists) return [];
  const Key = watchlistKeys.pageSecondRow(watchlistId, lowest);
  return [{ Delete: { TableName: table, Key, ...condition } }];
}

/**
 * Builds the update of the watchlist's counters. It fails if the watchlist does not exist, or if
 * the new items would exceed its maximum number of items.
 */
function watchlistUpdate(
  TableName: string,
  { accountId, watchlistId }: WatchlistRef,
  { growth, watchlistItemsMax }: CountersUpdate,
): NonNullable<TransactItem["Update"]> {
  const total = totalOf(growth);
  const counters = ["new", "active", "delisted"].map(
    (s) => `item_counts.#${s} = item_counts.#${s} + :${s}`,
  );
  return {
    TableName,
    Key: watchlistKeys.watchlist(accountId, watchlistId),
    UpdateExpression: `SET ${counters.join(", ")}, item_total = item_total + :total`,
    ConditionExpression:
      total > 0 ? "attribute_exists(pk) AND item_total <= :room" : "attribute_exists(pk)",
    ExpressionAttributeNames: { "#new": "new", "#active": "active", "#delisted": "delisted" },
    ExpressionAttributeValues: {
      ":new": growth.new,
      ":active": growth.active,
      ":delisted": growth.delisted,
      ":total": total,
      ...(total > 0 ? { ":room": watchlistItemsMax - total } : {}),
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}

const hasFailed = (reason: CancellationReason | undefined): boolean =>
  reason?.code === "ConditionalCheckFailed";

/**
 * Returns the result of a canceled transaction.
 * @param counters the reason of the write of the watchlist's row; absent if there was no such write
 */
function replacementOf(
  pages: readonly CancellationReason[],
  counters: CancellationReason | undefined,
): Replacement | "again" {
  if (hasFailed(counters) && counters?.item === undefined) return "watchlist_deleted";
  if (pages.some(hasFailed)) return "stale";
  return hasFailed(counters) ? "full" : "again";
}

/**
 * Writes a row of a watchlist that is being created. Does not change an existing row: an earlier
 * attempt of the same creation wrote it.
 * @throws 503 UNAVAILABLE if the write stays throttled or the retry budget is exhausted
 */
export async function putNewRow(
  { client, table: TableName, ...retryOptions }: PageTable,
  Item: Row,
): Promise<void> {
  await retryWhileContended<boolean>(retryOptions, (note) =>
    attemptUnlessThrottled(note, () =>
      conditionalWrite(() =>
        client.send(new PutCommand({ TableName, Item, ...asSeen(undefined) })),
      ),
    ),
  );
}
