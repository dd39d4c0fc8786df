import type { RandomSource, Clock } from "../base/clock.ts";
import { unavailable } from "../base/errors.ts";
import { repeats } from "../base/retry-budget.ts";
import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";
import type { WatchlistRef, PageStore } from "./page-store.ts";

/** The items of one page after a change, and a note that is returned once they are stored. */
export interface PageChange<Note> {
  /** Sorted by ID; the same array if nothing changes. */
  readonly items: readonly Item[];
  readonly note: Note;
}

export interface Rewrite<Note> {
  readonly list: WatchlistRef;
  /** Sorted and unique. */
  readonly ids: readonly string[];
  /** Must be pure: called again with the current page after a conflict. */
  readonly change: (items: readonly Item[], ids: readonly string[]) => PageChange<Note>;
}

export interface Rewritten<Note> {
  /** For all results but `done`, earlier pages are written. */
  readonly outcome: "done" | "watchlist_deleted" | "full";
  /** The note of each page that was written or needed no write. */
  readonly notes: readonly Note[];
}

export interface RewriteDependencies {
  readonly pages: Pick<PageStore, "pages" | "replace">;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Retry limits for one page. Each failed try means that another writer succeeded. */
const retryLimits = { triesMax: 40, pauseMs: 2, pauseMsMax: 400 };

/**
 * Applies `change` to each page that contains one of the IDs in its range, one after the other.
 * @throws 503 UNAVAILABLE after too many conflicts on a page.
 */
export async function rewriteItems<Note>(
  { list, ids, change }: Rewrite<Note>,
  { pages, clock, random }: RewriteDependencies,
): Promise<Rewritten<Note>> {
  const notes: Note[] = [];
  let mayRepeat = repeats({ clock, random }, retryLimits);
  for (let done = 0; done < ids.length;) {
    const page = await ownerOf(ids[done] ?? "", list, pages);
    if (page === undefined) return { outcome: "watchlist_deleted", notes };
    const owned = ids.slice(done, endOfRange(page, ids, done));
    const { items, note } = change(page.items, owned);
    const outcome = items === page.items ? "replaced" : await pages.replace(list, [page], items);
    if (outcome === "watchlist_deleted" || outcome === "full") return { outcome, notes };
    if (outcome === "replaced") {
      notes.push(note);
      done += owned.length;
      mayRepeat = repeats({ clock, random }, retryLimits);
    } else if (!(await mayRepeat())) throw unavailable();
  }
  return { outcome: "done", notes };
}

async function ownerOf(
  id: string,
  { watchlistId }: WatchlistRef,
  pages: Pick<PageStore, "pages">,
): Promise<StoredPage | undefined> {
  for await (const page of pages.pages(watchlistId, { from: id, to: id })) return page;
  return undefined;
}

/** Index after the last ID, from `start` on, that is in the page's range. */
export function endOfRange({ upper }: StoredPage, ids: readonly string[], start: number): number {
  if (upper === null) return ids.length;
  let end = start;
  while (end < ids.length && (ids[end] ?? "") < upper) end += 1;
  return end;
}
