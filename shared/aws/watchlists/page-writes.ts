import {
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { addCounts, type CutPage, type StoredPage, totalOf } from "../../watchlists/page.ts";
import type { WatchlistRef, Replacement } from "../../watchlists/page-store.ts";
import { type ItemCounts, noItems } from "../../watchlists/watchlist.ts";
import {
  cancellationReasons,
  type CancellationReason,
  isConditionFailure,
  isThrottle,
  retryWhileContended,
} from "../table/dynamo.ts";
import type { PageTable } from "./page-reader.ts";
import { itemPageRow } from "./page-row.ts";
import { watchlistKeys } from "../table/table.ts";

interface PageWrite {
  /** The pages to replace. They are adjacent, and in the order of their ranges. */
  readonly before: readonly StoredPage[];
  /** The new pages. They cover the same range of IDs as `before`. */
  readonly cut: readonly CutPage[];
  /** True if the change neither adds nor removes items. */
  readonly keepsIds: boolean;
  /** Maximum number of items of the watchlist after the write. */
  readonly watchlistItemsMax: number;
}

/**
 * Maximum pause between attempts, in milliseconds. It is long, because each transaction updates the
 * watchlist's row, for which the writes of many pages may contend.
 */
const waitMsMax = 1_000;

/**
 * Replaces the pages `before` of a watchlist with the pages `cut`, in one transaction. Returns
 * `replaced`, `stale` if a page has changed since it was read, `watchlist_deleted`, or `full` if
 * the watchlist would have more than `watchlistItemsMax` items. After `stale`, the write may have
 * taken effect (see `putPage`); the other outcomes are certain. The new pages have a higher version
 * than all replaced pages. The version of a page therefore never repeats, even if the page is
 * merged into another page and later created again.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function writePages(
  table: PageTable,
  watchlist: WatchlistRef,
  { before, cut, keepsIds, watchlistItemsMax }: PageWrite,
): Promise<Replacement> {
  const version = Math.max(...before.map((page) => page.version)) + 1;
  const growth = minus(sumOf(cut), sumOf(before));
  const [was, is] = [before[0], cut[0]];
  const { clock, random } = table;
  // A change of the counters needs a transaction. A change of IDs needs a transaction too: the
  // caller reports the number of added items, so the result must be certain.
  const isPlain = keepsIds && cut.length === 1 && isNothing(growth);
  return retryWhileContended({ clock, random, waitMsMax }, () =>
    isPlain && was && is
      ? putPage(table, watchlist, { seen: was.version, page: is, version })
      : transact(table, watchlist, { before, cut, version, growth, room: watchlistItemsMax }),
  );
}

const sumOf = (pages: readonly { readonly counts: ItemCounts }[]): ItemCounts =>
  pages.reduce((sum, page) => addCounts(sum, page.counts), noItems);

const minus = (a: ItemCounts, b: ItemCounts): ItemCounts => ({
  new: a.new - b.new,
  active: a.active - b.active,
  delisted: a.delisted - b.delisted,
});

const isNothing = (growth: ItemCounts): boolean =>
  growth.new === 0 && growth.active === 0 && growth.delisted === 0;

/**
 * Replaces one page without changing its IDs and counts, and without writing the watchlist's row.
 * Returns `stale` if the page was changed or deleted after it was read. Returns `again` if DynamoDB
 * throttled the write or a transaction had locked the row. After `stale`, the write may still have
 * taken effect, if its response was lost and another writer replaced the page before the SDK
 * repeated the write. Repeating the change must therefore be harmless.
 */
async function putPage(
  { client, table }: PageTable,
  { watchlistId }: WatchlistRef,
  { seen, page, version }: { seen: number; page: CutPage; version: number },
): Promise<Replacement | "again"> {
  try {
    await client.send(
      new PutCommand({
        TableName: table,
        Item: itemPageRow(watchlistId, page, version),
        ConditionExpression: "version = :seen",
        ExpressionAttributeValues: { ":seen": seen },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return "replaced";
  } catch (error) {
    if (isConditionFailure(error)) {
      // If the response of a write is lost, the SDK repeats the write, and its condition fails
      // because the first write took effect. The stored page is then the page of this write.
      const { version: there, items } = error.Item ?? {};
      const isOurs = Number(there?.N) === version && areEqual(items?.B, page.encoded);
      return isOurs ? "replaced" : "stale";
    }
    if (isThrottle(error) || isConflict(error)) return "again";
    throw error;
  }
}

const areEqual = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && Buffer.from(a).equals(b);

/** Returns true if the write failed because a transaction had locked the row. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && error.name === "TransactionConflictException";

interface Transaction {
  readonly before: readonly StoredPage[];
  readonly cut: readonly CutPage[];
  /** Version of the new pages. */
  readonly version: number;
  /** Number of added items by state; negative for removed items. */
  readonly growth: ItemCounts;
  /** Maximum number of items of the watchlist. */
  readonly room: number;
}

/** Attempts once to replace pages and to update the watchlist's counters, in one transaction. */
async function transact(
  { client, table, random }: PageTable,
  watchlist: WatchlistRef,
  wanted: Transaction,
): Promise<Replacement | "again"> {
  try {
    await client.send(
      new TransactWriteCommand({
        // Makes repeats by the SDK idempotent. Each attempt of `retryWhileContended` needs a new
        // token.
        ClientRequestToken: Buffer.from(random.bytes(16)).toString("hex"),
        TransactItems: [
          ...pageActions(table, watchlist.watchlistId, wanted),
          { Update: watchlistUpdate(table, watchlist, wanted) },
        ],
      }),
    );
    return "replaced";
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons !== undefined) return replacementOf(reasons);
    if (isThrottle(error)) return "again";
    throw error;
  }
}

type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Builds the writes of the pages. They fail if one of the replaced pages has changed. */
function pageActions(
  TableName: string,
  watchlistId: string,
  { before, cut, version }: Transaction,
): Action[] {
  const seen = new Map(before.map((page) => [page.lowest, page.version]));
  const asSeen = (lowest: string) => ({
    ConditionExpression: "version = :seen",
    ExpressionAttributeValues: { ":seen": seen.get(lowest) },
  });
  const puts = cut.map((page) => ({
    Put: {
      TableName,
      Item: itemPageRow(watchlistId, page, version),
      ...(seen.has(page.lowest)
        ? asSeen(page.lowest)
        : { ConditionExpression: "attribute_not_exists(pk)" }),
    },
  }));
  const keptBounds = new Set(cut.map((page) => page.lowest));
  const deletes = [...seen.keys()]
    .filter((lowest) => !keptBounds.has(lowest))
    .map((lowest) => ({
      Delete: { TableName, Key: watchlistKeys.page(watchlistId, lowest), ...asSeen(lowest) },
    }));
  return [...puts, ...deletes];
}

/**
 * Builds the update of the watchlist's counters. It fails if the watchlist does not exist, or if
 * the new items would exceed its maximum number of items.
 */
function watchlistUpdate(
  TableName: string,
  { accountId, watchlistId }: WatchlistRef,
  { growth, room }: Transaction,
): NonNullable<Action["Update"]> {
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
      ...(total > 0 ? { ":room": room - total } : {}),
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}

const hasFailed = (reason: CancellationReason | undefined): boolean =>
  reason?.code === "ConditionalCheckFailed";

/**
 * Returns the result of a canceled transaction, whose last write must be the write of the
 * watchlist's row.
 */
function replacementOf(reasons: readonly CancellationReason[]): Replacement | "again" {
  const last = reasons.at(-1);
  if (hasFailed(last) && last?.item === undefined) return "watchlist_deleted";
  if (reasons.slice(0, -1).some(hasFailed)) return "stale";
  return hasFailed(last) ? "full" : "again";
}
