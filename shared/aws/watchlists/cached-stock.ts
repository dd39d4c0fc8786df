import type { DetailedItem } from "../../watchlists/arrange-items.ts";
import { isOutOfStock, type Item } from "../../watchlists/item.ts";
import type { PageStore, StockStore } from "../../watchlists/page-store.ts";
import { readItems } from "../../watchlists/read-items.ts";
import { queryRows } from "../table/query-rows.ts";
import { detailsPageKeys, itemPageKeys, pagesQuery, type PageTable } from "./page-reader.ts";

/** The items of a watchlist that are out of stock. */
interface CachedItems {
  /** The versions of the watchlist's pages of items and of details before they were read. */
  readonly versions: string;
  readonly items: readonly DetailedItem[];
}

/**
 * Maximum number of entries in the cache: items and watchlists together. A watchlist counts too,
 * because its versions are cached even if none of its items is out of stock. An item takes about 1
 * KB.
 */
const entriesMax = 50_000;

/**
 * Creates the store that lists the items of a watchlist that are out of stock. It caches the items
 * of the watchlists that were read most recently. While no page of a watchlist changes, a later
 * call reads only the versions of the pages, and decodes no item. This saves transfer and decoding,
 * but no read units: DynamoDB charges for the whole pages.
 */
export function cachedStockStore(
  table: PageTable,
  pages: Pick<PageStore, "detailsOf" | "pages">,
): StockStore {
  const cache = new Map<string, CachedItems>();
  return {
    async outOfStock(watchlistId) {
      const both = [itemPageKeys, detailsPageKeys];
      const queries = both.map((keys) => pagesQuery(table, keys, { watchlistId }));
      const versions = (
        await Promise.all(queries.map((query) => versionsOf(table.client, query)))
      ).join();
      const known = cache.get(watchlistId);
      const items =
        known?.versions === versions ? known.items : await readOutOfStock(watchlistId, pages);
      cacheItems(cache, watchlistId, { versions, items });
      return items;
    },
  };
}

/**
 * Adds an entry to the cache. While the cache has more than `entriesMax` entries, drops the
 * watchlist that was read longest ago.
 */
function cacheItems(
  cache: Map<string, CachedItems>,
  watchlistId: string,
  entry: CachedItems,
): void {
  cache.delete(watchlistId);
  cache.set(watchlistId, entry);
  let count = [...cache.values()].reduce((sum, { items }) => sum + items.length + 1, 0);
  for (const [id, { items }] of cache) {
    if (count <= entriesMax) return;
    cache.delete(id);
    count -= items.length + 1;
  }
}

/**
 * Returns a text with the sort key and the version of each row that a query of pages returns. Two
 * texts are equal only if no page was written between their reads.
 */
async function versionsOf(
  client: PageTable["client"],
  query: ReturnType<typeof pagesQuery>,
): Promise<string> {
  const versions: string[] = [];
  const rows = queryRows(client, { ...query, ProjectionExpression: "sk, version" });
  for await (const row of rows) {
    versions.push(`${String(row["sk"])}:${String(row["version"])}`);
  }
  return versions.join();
}

async function readOutOfStock(
  watchlistId: string,
  pages: Pick<PageStore, "detailsOf" | "pages">,
): Promise<readonly DetailedItem[]> {
  const items: Item[] = [];
  for await (const item of readItems(pages, watchlistId)) if (isOutOfStock(item)) items.push(item);
  const ids = items.map(({ id }) => id);
  const details = new Map((await pages.detailsOf(watchlistId, ids)).map((one) => [one.id, one]));
  return items.map((item) => ({ item, details: details.get(item.id) }));
}
