import { invalidParam } from "../base/errors.ts";
import { idPattern } from "../base/ids.ts";
import { inParallel } from "../base/in-parallel.ts";
import { formatValue } from "../base/shown-value.ts";
import { afterEveryId } from "./id-order.ts";
import { totalOf } from "./item-counts.ts";
import type { PageStore } from "./page-store.ts";
import type { FoundItem } from "./search-items.ts";
import type { Watchlist } from "./watchlist.ts";

interface AllItemsQuery {
  readonly watchlists: readonly Watchlist[];
  readonly limit: number;
  /** The cursor `next` of the previous page; undefined for the first page. */
  readonly startingAfter: string | undefined;
}

/** A page of the items of several watchlists. */
export interface AllItemsPage {
  readonly items: readonly FoundItem[];
  /** The cursor to send as `startingAfter` for the next page; null on the last page. */
  readonly next: string | null;
}

/** Number of watchlists that are read at the same time. */
const watchlistsAtOnce = 8;

type Pages = Pick<PageStore, "details" | "pages">;

/**
 * Lists one page of the items of several watchlists, with their details, sorted by watchlist ID and
 * then by item ID. A page may have fewer items than `limit` although more items follow.
 * @throws 400 INVALID_PARAM if `startingAfter` is malformed
 */
export async function listAllItems(
  { watchlists, limit, startingAfter }: AllItemsQuery,
  pages: Pages,
): Promise<AllItemsPage> {
  const start = startingAfter === undefined ? firstPlace : itemPlaceIn(startingAfter);
  const left = watchlists
    .filter(({ id }) => id >= start.watchlistId)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const read = firstWithMoreThan(limit, left);
  const found = await inParallel(read, watchlistsAtOnce, (watchlist) =>
    itemsOf(
      watchlist,
      { after: watchlist.id === start.watchlistId ? start.itemId : "", limit },
      pages,
    ),
  );
  const all = found.flat();
  const items = all.slice(0, limit);
  const last = items.at(-1);
  if (all.length > limit && last !== undefined) {
    return { items, next: placeText({ watchlistId: last.watchlist.id, itemId: last.id }) };
  }
  const end = read.at(-1);
  const isLast = end === undefined || read.length === left.length;
  return { items, next: isLast ? null : placeText({ watchlistId: end.id, itemId: afterEveryId }) };
}

/**
 * Returns the first watchlists that together have more than `limit` items; all watchlists if they
 * have no more than `limit` items together.
 */
function firstWithMoreThan(limit: number, watchlists: readonly Watchlist[]): readonly Watchlist[] {
  let items = 0;
  const enough = watchlists.findIndex(({ itemCounts }) => {
    items += totalOf(itemCounts);
    return items > limit;
  });
  return enough < 0 ? watchlists : watchlists.slice(0, enough + 1);
}

/**
 * Reads the first `limit` items of a watchlist with a higher ID than `after`, and the item after
 * them, if there is one. This additional item shows that the listing continues.
 */
async function itemsOf(
  watchlist: Watchlist,
  { after, limit }: { readonly after: string; readonly limit: number },
  pages: Pages,
): Promise<readonly FoundItem[]> {
  const ids: string[] = [];
  for await (const { heads } of pages.pages(watchlist.id, { from: after })) {
    for (const { id } of heads) if (id > (ids.at(-1) ?? after)) ids.push(id);
    if (ids.length > limit) break;
  }
  const wanted = ids.slice(0, limit + 1);
  const [from, to] = [wanted.at(0), wanted.at(-1)];
  if (from === undefined || to === undefined) return [];
  const details = await pages.details(watchlist.id, { from, to });
  return wanted.map((id) => ({ watchlist, id, details: details.get(id) }));
}

/** A position in a listing of the items of several watchlists: after this item. */
export interface ItemPlace {
  readonly watchlistId: string;
  readonly itemId: string;
}

const firstPlace: ItemPlace = { watchlistId: "", itemId: "" };
/** Separates the two IDs in a cursor. A URL need not encode this character. */
const separator = ".";

/** Converts a place to the cursor of the page that starts after this place. */
export const placeText = ({ watchlistId, itemId }: ItemPlace): string =>
  watchlistId + separator + itemId;

/**
 * Returns the place in a cursor that `placeText` built.
 * @throws 400 INVALID_PARAM, for `starting_after`, if the text is malformed
 */
export function itemPlaceIn(text: string): ItemPlace {
  const [watchlistId = "", itemId = "", ...more] = text.split(separator);
  if (!idPattern("watchlist").test(watchlistId) || itemId === "" || more.length > 0) {
    throw invalidParam(
      "starting_after",
      `'starting_after' must be the 'next_starting_after' of the previous page (got ${formatValue(text)}).`,
    );
  }
  return { watchlistId, itemId };
}
