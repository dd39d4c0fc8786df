import { conflict, invalidParam, notFound } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { type Item, newItem } from "./item.ts";
import type { ItemChange } from "./items-request.ts";
import { compareIds, totalOf } from "./page.ts";
import type { PageStore } from "./page-store.ts";
import { endOf, type PageChange, type RewriteDependencies, rewriteItems } from "./rewrite-items.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/** What became of the ids: `added` to `unchanged` of those to add, the rest of those to remove. */
export interface ItemTally {
  readonly added: number;
  /** Delisted items that were added again: they are new once more. */
  readonly reactivated: number;
  readonly unchanged: number;
  readonly removed: number;
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
 * Removes and then adds items (specification, section "Watchlists"). Each page changes at once,
 * the list page by page; a call that ended halfway may be made again.
 * @returns what became of each id, and the list afterwards.
 * @throws 400 when the list would hold too many items, with nothing applied; 404 when the list is
 * deleted meanwhile; 409 when others change it meanwhile so that only part of the change fits, which
 * is applied then.
 */
export async function changeItems(
  { watchlist, change, now }: ChangeItemsRequest,
  dependencies: ChangeItemsDependencies,
): Promise<{ readonly tally: ItemTally; readonly watchlist: Watchlist }> {
  const { watchlists, pages } = dependencies;
  const reread = async (): Promise<Watchlist> => {
    const found = await watchlists.get(watchlist.accountId, watchlist.id);
    if (found === undefined) throw gone();
    return found;
  };
  let tally = nothing;
  for (const pass of await passesOf(watchlist, change, pages)) {
    const applied = await applyPass({ watchlist, change: pass, now }, dependencies);
    tally = plus(tally, applied.tally);
    if (!applied.isFull) continue;
    // With nothing in place it is as if the call had come after those that filled the list.
    if (!isTouched(tally)) await passesOf(await reread(), change, pages);
    throw filled(tally);
  }
  return { tally, watchlist: await reread() };
}

/** True when the tally is of a change that left its mark on the list. */
const isTouched = ({ added, reactivated, removed }: ItemTally): boolean =>
  added + reactivated + removed > 0;

function filled(tally: ItemTally): Error {
  if (!isTouched(tally)) {
    return conflict(
      "Other calls add items to this watchlist at the same time. Nothing was applied. Try again.",
    );
  }
  return conflict(
    "Other calls filled the watchlist while this change was applied. It was applied in part " +
      `(added: ${tally.added + tally.reactivated}, removed: ${tally.removed}). Check the items, ` +
      "remove some, and send the rest again.",
  );
}

const gone = () => notFound("This watchlist");

const nothing: ItemTally = { added: 0, reactivated: 0, unchanged: 0, removed: 0, missing: 0 };

const plus = (a: ItemTally, b: ItemTally): ItemTally => ({
  added: a.added + b.added,
  reactivated: a.reactivated + b.reactivated,
  unchanged: a.unchanged + b.unchanged,
  removed: a.removed + b.removed,
  missing: a.missing + b.missing,
});

/** One pass where there is room for everything; else what goes makes room first for what comes. */
async function passesOf(
  watchlist: Watchlist,
  change: ItemChange,
  pages: Pick<PageStore, "pages">,
): Promise<readonly ItemChange[]> {
  const total = totalOf(watchlist.itemCounts);
  if (total + change.add.length <= limits.watchlistItemsMax) return [change];
  const { leaving, coming } = await countMoves(watchlist.id, change, pages);
  const free = limits.watchlistItemsMax - (total - leaving);
  if (coming > free) {
    throw invalidParam(
      "add",
      `A watchlist holds at most ${limits.watchlistItemsMax} items. This one has room for ` +
        `${Math.max(0, free)} more, and 'add' has ${coming} that are not on it.`,
    );
  }
  return [
    { add: [], remove: change.remove },
    { add: change.add, remove: [] },
  ];
}

/** How many items would leave the list, and how many would then come. */
async function countMoves(
  watchlistId: string,
  { add, remove }: ItemChange,
  pages: Pick<PageStore, "pages">,
): Promise<{ readonly leaving: number; readonly coming: number }> {
  const ids = idsOf({ add, remove });
  const [adding, removing] = [new Set(add), new Set(remove)];
  let [leaving, coming, done] = [0, 0, 0];
  for await (const page of pages.pages(watchlistId, rangeOf(ids))) {
    const end = endOf(page, ids, done);
    if (end === done) continue;
    const there = new Set(page.items.map((item) => item.id));
    for (const id of ids.slice(done, end)) {
      const leaves = removing.has(id) && there.has(id);
      if (leaves) leaving += 1;
      if (adding.has(id) && (leaves || !there.has(id))) coming += 1;
    }
    done = end;
  }
  return { leaving, coming };
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
      list: { accountId: watchlist.accountId, watchlistId: watchlist.id },
      ids: idsOf(change),
      change: (items, ids) => changePage(items, ids, wanted),
    },
    dependencies,
  );
  if (outcome === "list_gone") throw gone();
  return { tally: notes.reduce(plus, nothing), isFull: outcome === "full" };
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
    if (outcome !== "unchanged") kept.set(id, afresh(id, addedAt, before));
  }
  const after = isTouched(tally)
    ? [...kept.values()].sort((a, b) => compareIds(a.id, b.id))
    : items;
  return { items: after, note: tally };
}

function outcomeOf(item: Item | undefined): "added" | "reactivated" | "unchanged" {
  if (item === undefined) return "added";
  return item.state === "delisted" ? "reactivated" : "unchanged";
}

/**
 * An item that is added again starts over: its next read is a baseline, as any new item's. Only the
 * revision stays, so that a late result of before the change does not speak for the new item.
 */
const afresh = (id: string, addedAt: string, before: Item | undefined): Item => ({
  ...newItem(id, addedAt),
  revision: before?.revision ?? 0,
});
