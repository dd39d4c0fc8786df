import type { Chance, Clock } from "../base/clock.ts";
import { unavailable } from "../base/errors.ts";
import { repeats } from "../base/retry-budget.ts";
import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";
import type { ListRef, PageStore } from "./page-store.ts";

/** What becomes of the items of one page, and what is to be told of it once it is stored. */
export interface PageChange<Note> {
  /** In id order; the very array that was given when nothing is to be written. */
  readonly items: readonly Item[];
  readonly note: Note;
}

export interface Rewrite<Note> {
  readonly list: ListRef;
  /** Ascending and unique. */
  readonly ids: readonly string[];
  /** Pure: after a lost race it is asked again, about the page as it is then. */
  readonly change: (items: readonly Item[], ids: readonly string[]) => PageChange<Note>;
}

export interface Rewritten<Note> {
  /** For anything but `done`, pages before the one it fell on are written. */
  readonly outcome: "done" | "list_gone" | "full";
  /** One of each page that owns an id: of the change that took effect, no other. */
  readonly notes: readonly Note[];
}

export interface RewriteDependencies {
  readonly pages: Pick<PageStore, "pages" | "replace">;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Races in a row over one page; each one lost was won by another writer. */
const patience = { triesMax: 40, pauseMs: 2, pauseMsMax: 400 };

/**
 * Changes the pages that own the ids and no others, one after the other in id order, each with
 * `change` applied to it as it is at that time.
 * @throws 503 UNAVAILABLE when others keep writing a page first.
 */
export async function rewriteItems<Note>(
  { list, ids, change }: Rewrite<Note>,
  { pages, clock, chance }: RewriteDependencies,
): Promise<Rewritten<Note>> {
  const notes: Note[] = [];
  let mayRepeat = repeats({ clock, chance }, patience);
  for (let done = 0; done < ids.length;) {
    const page = await ownerOf(ids[done] ?? "", list, pages);
    if (page === undefined) return { outcome: "list_gone", notes };
    const owned = ids.slice(done, endOf(page, ids, done));
    const { items, note } = change(page.items, owned);
    const outcome = items === page.items ? "replaced" : await pages.replace(list, [page], items);
    if (outcome === "list_gone" || outcome === "full") return { outcome, notes };
    if (outcome === "replaced") {
      notes.push(note);
      done += owned.length;
      mayRepeat = repeats({ clock, chance }, patience);
    } else if (!(await mayRepeat())) throw unavailable();
  }
  return { outcome: "done", notes };
}

async function ownerOf(
  id: string,
  { watchlistId }: ListRef,
  pages: Pick<PageStore, "pages">,
): Promise<StoredPage | undefined> {
  for await (const page of pages.pages(watchlistId, { from: id, to: id })) return page;
  return undefined;
}

/** Where the ids end that the page owns, which owns the one at `start`. */
export function endOf({ upper }: StoredPage, ids: readonly string[], start: number): number {
  if (upper === null) return ids.length;
  let end = start;
  while (end < ids.length && (ids[end] ?? "") < upper) end += 1;
  return end;
}
