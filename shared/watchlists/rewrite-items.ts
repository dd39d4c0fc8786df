import type { Changed } from "../base/after-change.ts";
import type { RandomSource, Clock } from "../base/clock.ts";
import { unavailable } from "../base/errors.ts";
import { repeats } from "../base/retry-budget.ts";
import type { Item } from "./item.ts";
import type { PageRange, StoredPage } from "./page.ts";
import type { PageStore, Replacement, WatchlistRef } from "./page-store.ts";

/**
 * A change of one page, with data (`note`) that the caller gets back:
 * - `unchanged`: the page is not written.
 * - `changed`: the page keeps its IDs. `items` are only the changed items, sorted by ID.
 * - `replaced`: the page gets other IDs. `items` are all items after the change, sorted by ID.
 */
export type PageChange<Note> = (
  | { readonly kind: "unchanged" }
  | { readonly kind: "changed" | "replaced"; readonly items: readonly Item[] }
) & { readonly note: Note };

/** A change of some items of a watchlist, page by page. */
export interface Rewrite<Note> {
  readonly watchlist: WatchlistRef;
  /** Sorted and unique IDs of the items to change. */
  readonly ids: readonly string[];
  /**
   * Returns the change of a page. Receives all items of the page, and those IDs of `ids` that
   * belong to the page. The function must be pure, because it is called again after each conflict.
   */
  readonly change: (items: readonly Item[], ids: readonly string[]) => PageChange<Note>;
}

/** The result of a rewrite. */
export interface Rewritten<Note> {
  /**
   * `done`: all pages are written. Any other outcome ended the rewrite early, with some or none of
   * the pages written.
   */
  readonly outcome: "done" | "watchlist_deleted" | "full";
  /** The notes that `change` returned for the pages that were written or did not change. */
  readonly notes: readonly Note[];
}

export interface RewriteDependencies {
  readonly pages: Pick<PageStore, "pages" | "replace" | "replaceItems">;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Retry limits for one page. A failed attempt means that another writer changed the page. */
const retryLimits = { triesMax: 40, pauseMs: 2, pauseMsMax: 400 };

/**
 * Applies `change` to each page whose range contains at least one of the IDs, one page after the
 * other. Stops at a page that cannot be written. The outcome is then `watchlist_deleted`, or `full`
 * if the watchlist would have too many items, and the pages before this page keep their change.
 * @throws 503 UNAVAILABLE after `triesMax` conflicts on a page, or if the retry budget is exhausted
 */
export async function rewriteItems<Note>(
  { watchlist, ids, change }: Rewrite<Note>,
  { pages, clock, random }: RewriteDependencies,
): Promise<Rewritten<Note>> {
  const notes: Note[] = [];
  let mayRepeat = repeats({ clock, random }, retryLimits);
  for (let done = 0; done < ids.length;) {
    const page = await ownerOf(ids[done] ?? "", watchlist, pages);
    if (page === undefined) return { outcome: "watchlist_deleted", notes };
    const owned = ids.slice(done, endOfRange(page, ids, done));
    const pageChange = change(page.items, owned);
    const outcome = await applyChange(pageChange, { watchlist, page }, pages);
    if (outcome === "watchlist_deleted" || outcome === "full") return { outcome, notes };
    if (outcome === "replaced") {
      notes.push(pageChange.note);
      done += owned.length;
      mayRepeat = repeats({ clock, random }, retryLimits);
    } else if (!(await mayRepeat())) throw unavailable();
  }
  return { outcome: "done", notes };
}

/** Writes a changed page. An unchanged page counts as replaced. */
async function applyChange(
  change: PageChange<unknown>,
  { watchlist, page }: { readonly watchlist: WatchlistRef; readonly page: StoredPage },
  pages: RewriteDependencies["pages"],
): Promise<Replacement> {
  if (change.kind === "unchanged") return "replaced";
  return change.kind === "changed"
    ? pages.replaceItems(watchlist, page, change.items)
    : pages.replace(watchlist, [page], change.items);
}

/**
 * Applies `change` to every item of the pages whose ranges contain at least one of the IDs, even to
 * items with other IDs. `change` must keep the ID of an item. Writes the pages as `rewriteItems`
 * does, and throws the same errors. If the watchlist was deleted, returns without an error.
 */
export async function rewriteEachItem(
  {
    change,
    ...which
  }: Omit<Rewrite<undefined>, "change"> & { readonly change: (item: Item) => Changed<Item> },
  dependencies: RewriteDependencies,
): Promise<void> {
  await rewriteItems({ ...which, change: (items) => changeEach(items, change) }, dependencies);
}

/** Applies `change` to each item. Returns the items that change. */
function changeEach(
  items: readonly Item[],
  change: (item: Item) => Changed<Item>,
): PageChange<undefined> {
  const changed = items.map(change).filter((after) => after !== "unchanged");
  return changed.length === 0
    ? { kind: "unchanged", note: undefined }
    : { kind: "changed", items: changed, note: undefined };
}

/** Reads the page whose range contains the ID; undefined if the watchlist has no pages. */
async function ownerOf(
  id: string,
  { watchlistId }: WatchlistRef,
  pages: Pick<PageStore, "pages">,
): Promise<StoredPage | undefined> {
  for await (const page of pages.pages(watchlistId, { from: id, to: id })) return page;
  return undefined;
}

/**
 * Returns the index of the first ID, at or after index `start` of `ids`, that is above the range of
 * the page; `ids.length` if there is none. `ids` must be sorted.
 */
export function endOfRange({ upper }: PageRange, ids: readonly string[], start: number): number {
  if (upper === null) return ids.length;
  let end = start;
  while (end < ids.length && (ids[end] ?? "") < upper) end += 1;
  return end;
}
