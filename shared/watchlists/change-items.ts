import { conflict, invalidParam, notFound } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { quantity } from "../base/quantity.ts";
import { type Item, newItem } from "./item.ts";
import type { ItemChange } from "./items-request.ts";
import { compareIds, totalOf } from "./page.ts";
import type { PageStore } from "./page-store.ts";
import {
  endOfRange,
  type PageChange,
  type RewriteDependencies,
  rewriteItems,
} from "./rewrite-items.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/** Result of an item change: the number of IDs by outcome. */
export interface ItemTally {
  /** IDs to add that were not on the watchlist. */
  readonly added: number;
  /** Delisted items that were added again; their state is `new` again. */
  readonly reactivated: number;
  /** IDs to add that were on the watchlist, and not delisted. */
  readonly unchanged: number;
  /** IDs to remove that were on the watchlist. */
  readonly removed: number;
  /** IDs to remove that were not on the watchlist. */
  readonly missing: number;
}

export interface ChangeItemsDependencies extends RewriteDependencies {
  readonly watchlists: Pick<WatchlistStore, "get">;
}

export interface ChangeItemsRequest {
  readonly watchlist: Watchlist;
  readonly change: ItemChange;
  readonly now: Date;
}

/**
 * Removes and then adds items (specification, section "Watchlists"). Each page of the watchlist
 * changes in one transaction, but the watchlist as a whole does not. Idempotent: a call that failed
 * halfway can be repeated.
 * @returns the number of IDs by outcome, and the watchlist after the change
 * @throws 400 if the watchlist would have too many items (nothing is applied); 404 if the watchlist
 * was deleted; 409 if concurrent calls fill the watchlist (nothing or only a part is applied); 503
 * after too many conflicts on a page (only a part may be applied)
 */
export async function changeItems(
  { watchlist, change, now }: ChangeItemsRequest,
  dependencies: ChangeItemsDependencies,
): Promise<{ readonly tally: ItemTally; readonly watchlist: Watchlist }> {
  const { watchlists, pages } = dependencies;
  const reread = async (): Promise<Watchlist> => {
    const found = await watchlists.get(watchlist.accountId, watchlist.id);
    if (found === undefined) throw deleted();
    return found;
  };
  let tally = nothing;
  for (const pass of await planPasses(watchlist, change, pages)) {
    const applied = await applyPass({ watchlist, change: pass, now }, dependencies);
    tally = addTallies(tally, applied.tally);
    if (!applied.isFull) continue;
    // If nothing was applied, plans the change again, which throws the error that a call after the
    // concurrent calls would get. If it throws none, the client gets 409.
    if (!isApplied(tally)) await planPasses(await reread(), change, pages);
    throw watchlistFilled(tally);
  }
  return { tally, watchlist: await reread() };
}

/** Returns true if at least one item was added, reactivated or removed. */
const isApplied = ({ added, reactivated, removed }: ItemTally): boolean =>
  added + reactivated + removed > 0;

function watchlistFilled(tally: ItemTally): Error {
  if (!isApplied(tally)) {
    return conflict(
      "Other calls are adding items to this watchlist, so nothing was applied. Try again.",
    );
  }
  return conflict(
    "Other calls filled the watchlist while this change was applied, so only a part was applied " +
      `(added: ${tally.added + tally.reactivated}, removed: ${tally.removed}). Check the items, ` +
      "remove some, and send the rest again.",
  );
}

const deleted = () => notFound("This watchlist");

const nothing: ItemTally = { added: 0, reactivated: 0, unchanged: 0, removed: 0, missing: 0 };

const addTallies = (a: ItemTally, b: ItemTally): ItemTally => ({
  added: a.added + b.added,
  reactivated: a.reactivated + b.reactivated,
  unchanged: a.unchanged + b.unchanged,
  removed: a.removed + b.removed,
  missing: a.missing + b.missing,
});

/**
 * Returns one pass if all additions fit even before the removals. Otherwise returns two passes: the
 * first removes, the second adds.
 */
async function planPasses(
  watchlist: Watchlist,
  change: ItemChange,
  pages: Pick<PageStore, "pages">,
): Promise<readonly ItemChange[]> {
  const total = totalOf(watchlist.itemCounts);
  if (total + change.add.length <= limits.watchlistItemsMax) return [change];
  const { leaving, arriving } = await countMoves(watchlist.id, change, pages);
  const free = limits.watchlistItemsMax - (total - leaving);
  if (arriving > free) {
    throw invalidParam(
      "add",
      `A watchlist can have at most ${limits.watchlistItemsMax} items. This one has room for ` +
        `${Math.max(0, free)} more, but 'add' has ${quantity(arriving, "new ID")}. ` +
        "Send fewer IDs.",
    );
  }
  return [
    { add: [], remove: change.remove },
    { add: change.add, remove: [] },
  ];
}

/** Counts the items that the change removes and the items that it then adds. */
async function countMoves(
  watchlistId: string,
  { add, remove }: ItemChange,
  pages: Pick<PageStore, "pages">,
): Promise<{ readonly leaving: number; readonly arriving: number }> {
  const ids = idsOf({ add, remove });
  const [adding, removing] = [new Set(add), new Set(remove)];
  let [leaving, arriving, done] = [0, 0, 0];
  for await (const page of pages.pages(watchlistId, rangeOf(ids))) {
    const end = endOfRange(page, ids, done);
    if (end === done) continue;
    const there = new Set(page.items.map((item) => item.id));
    for (const id of ids.slice(done, end)) {
      const leaves = removing.has(id) && there.has(id);
      if (leaves) leaving += 1;
      if (adding.has(id) && (leaves || !there.has(id))) arriving += 1;
    }
    done = end;
  }
  return { leaving, arriving };
}

function idsOf({ add, remove }: ItemChange): string[] {
  if (add.length === 0 || remove.length === 0) return [...add, ...remove];
  return [...new Set([...add, ...remove])].sort(compareIds);
}

function rangeOf(ids: readonly string[]): { from?: string; to?: string } {
  const [from, to] = [ids[0], ids.at(-1)];
  return from === undefined || to === undefined ? {} : { from, to };
}

async function applyPass(
  { watchlist, change, now }: ChangeItemsRequest,
  dependencies: RewriteDependencies,
): Promise<{ readonly tally: ItemTally; readonly isFull: boolean }> {
  const wanted = {
    adding: new Set(change.add),
    removing: new Set(change.remove),
    addedAt: now.toISOString(),
  };
  const { outcome, notes } = await rewriteItems(
    {
      watchlist: { accountId: watchlist.accountId, watchlistId: watchlist.id },
      ids: idsOf(change),
      change: (items, ids) => changePage(items, ids, wanted),
    },
    dependencies,
  );
  if (outcome === "watchlist_deleted") throw deleted();
  return { tally: notes.reduce(addTallies, nothing), isFull: outcome === "full" };
}

interface Wanted {
  readonly adding: ReadonlySet<string>;
  readonly removing: ReadonlySet<string>;
  readonly addedAt: string;
}

function changePage(
  items: readonly Item[],
  ids: readonly string[],
  { adding, removing, addedAt }: Wanted,
): PageChange<ItemTally> {
  const kept = new Map(items.map((item) => [item.id, item]));
  const tally = { ...nothing };
  for (const id of ids) {
    const before = kept.get(id);
    if (removing.has(id)) tally[kept.delete(id) ? "removed" : "missing"] += 1;
    if (!adding.has(id)) continue;
    const outcome = outcomeOf(kept.get(id));
    tally[outcome] += 1;
    if (outcome !== "unchanged") kept.set(id, newItemAfter(id, addedAt, before));
  }
  const after = isApplied(tally)
    ? [...kept.values()].sort((a, b) => compareIds(a.id, b.id))
    : items;
  return { items: after, note: tally };
}

function outcomeOf(item: Item | undefined): "added" | "reactivated" | "unchanged" {
  if (item === undefined) return "added";
  return item.state === "delisted" ? "reactivated" : "unchanged";
}

/**
 * A new item that replaces `before`, so its next read is a first read. Copies the revision, so that
 * a late outcome of an earlier read is ignored.
 */
const newItemAfter = (id: string, addedAt: string, before: Item | undefined): Item => ({
  ...newItem(id, addedAt),
  revision: before?.revision ?? 0,
});
