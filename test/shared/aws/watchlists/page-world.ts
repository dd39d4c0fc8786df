import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from "@aws-sdk/lib-dynamodb";
import {
  dynamoPageStore,
  type PageStoreOptions,
} from "../../../../shared/aws/watchlists/page-store.ts";
import { itemPagesOf } from "../../../../shared/aws/watchlists/page-row.ts";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import type { Clock } from "../../../../shared/base/clock.ts";
import { systemRandom } from "../../../../shared/base/system.ts";
import { type Item, newItem } from "../../../../shared/watchlists/item.ts";
import { compareIds } from "../../../../shared/watchlists/id-order.ts";
import { countByState, type ItemCounts } from "../../../../shared/watchlists/item-counts.ts";
import { type PageBounds, pageBounds } from "../../../../shared/watchlists/page.ts";
import type { WatchlistRef, PageStore } from "../../../../shared/watchlists/page-store.ts";
import type { Watchlist } from "../../../../shared/watchlists/watchlist.ts";
import { openTables } from "../../../support/tables.ts";

/** A clock that stands still, with sleeps that end immediately. */
export const clock: Clock = { now: () => new Date("2026-03-01T00:00:00Z"), sleep: async () => {} };
export const random = systemRandom;

/** A page with its changed items, as it is stored. */
export interface StoredRow {
  readonly lowest: string;
  readonly upper: string | null;
  readonly version: number;
  readonly counts: ItemCounts;
  readonly changedAt: string | null;
  /** Size of the encoded items in the page's own row. */
  readonly bytes: number;
  readonly items: readonly Item[];
}

/** How a store writes pages. */
export type StoreOptions = Partial<PageBounds> & Pick<PageStoreOptions, "writesSecondRows">;

export interface PageWorld {
  readonly client: DynamoDBDocumentClient;
  /** The name of the watchlists table. */
  readonly table: string;
  /** Creates a store. The options can also set some of the bounds. */
  store(client?: DynamoDBDocumentClient, options?: StoreOptions): PageStore;
  /** Stores a watchlist with these items; returns its key. */
  open(items: readonly Item[], options?: StoreOptions): Promise<WatchlistRef>;
  /** Returns the pages with their changed items, as they are stored. */
  rows(list: WatchlistRef): Promise<StoredRow[]>;
  /** Returns the item counts in the watchlist's row; undefined if the row does not exist. */
  counters(list: WatchlistRef): Promise<{ counts: ItemCounts; total: number } | undefined>;
  /** Deletes only the watchlist's row: the first write of a deletion. The pages remain. */
  removeList(list: WatchlistRef): Promise<void>;
  /**
   * Returns the watchlist with only the fields that changes of items use; undefined if its row does
   * not exist.
   */
  watchlist(list: WatchlistRef): Promise<Watchlist | undefined>;
}

/** Creates a table for the pages of watchlists, with functions that read and write it. */
export async function startPageWorld(): Promise<PageWorld> {
  const tables = openTables();
  const { client } = tables;
  const table = await tables.create();
  let opened = 0;
  const listRow = async ({ accountId, watchlistId }: WatchlistRef) => {
    const Key = watchlistKeys.watchlist(accountId, watchlistId);
    const got = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    return got.Item;
  };
  const world: PageWorld = {
    client,
    table,
    store: (through = client, { writesSecondRows = false, ...bounds } = {}) =>
      dynamoPageStore(through, {
        table,
        clock,
        random,
        bounds: { ...pageBounds, ...bounds },
        writesSecondRows,
      }),
    async open(items, options) {
      opened += 1;
      const list = { accountId: "acct_1", watchlistId: `wl_${opened}` };
      await world.store(client, options).create(list.watchlistId, items);
      const row = {
        ...watchlistKeys.watchlist(list.accountId, list.watchlistId),
        id: list.watchlistId,
        item_counts: countByState(items),
        item_total: items.length,
      };
      await client.send(new PutCommand({ TableName: table, Item: row }));
      return list;
    },
    async rows({ watchlistId }) {
      const found = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": watchlistKeys.page(watchlistId, "").pk },
          ConsistentRead: true,
        }),
      );
      return itemPagesOf(found.Items ?? []).map((page) => ({
        lowest: page.lowest,
        upper: page.upper,
        version: page.version,
        counts: page.counts,
        changedAt: page.maxChangedAt,
        bytes: page.bytes,
        items: page.items,
      }));
    },
    async counters(list) {
      const row = await listRow(list);
      return row && { counts: row["item_counts"], total: row["item_total"] };
    },
    async watchlist(list) {
      const row = await listRow(list);
      if (row === undefined) return undefined;
      const { accountId, watchlistId: id } = list;
      return { id, accountId, platform: "retailer_d", itemCounts: row["item_counts"] } as Watchlist;
    },
    async removeList({ accountId, watchlistId }) {
      const Key = watchlistKeys.watchlist(accountId, watchlistId);
      await client.send(new DeleteCommand({ TableName: table, Key }));
    },
  };
  return world;
}

export const addedAt = "2026-02-01T00:00:00.000Z";

/** Returns new items with these IDs, sorted as in a page. */
export const itemsOf = (ids: readonly string[]): Item[] =>
  ids.toSorted(compareIds).map((id) => newItem(id, addedAt));
/** Returns `count` successive item IDs, starting with `from`. */
export const numbered = (count: number, from = 1_000_000): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));
