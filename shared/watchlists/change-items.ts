import { conflict, invalidParam, unavailable, watchlistNotFound } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { quantity } from "../base/quantity.ts";
import { type Item, newItem } from "./item.ts";
import { withLabels } from "./item-details.ts";
import type { ItemChange } from "./items-request.ts";
import { compareIds } from "./id-order.ts";
import { totalOf } from "./item-counts.ts";
import type { DetailsChange, PageStore, WatchlistRef } from "./page-store.ts";
import {
  endOfRange,
  type PageChange,
  type RewriteDependencies,
  rewriteItems,
} from "./rewrite-items.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/** Result of an item change: the number of IDs or items by outcome. */
export interface ItemTally {
  /** Number of IDs to add that were not on the watchlist. */
  readonly added: number;
  /** Number of delisted items that were added again; their state is `new` again. */
  readonly reactivated: number;
  /** Number of items on the watchlist whose label or metadata changed. */
  readonly updated: number;
  /**
   * Number of items to add that were already on the watchlist, with the same label and metadata.
   */
  readonly unchanged: number;
  /** Number of IDs to remove that were on the watchlist. */
  readonly removed: number;
  /** Number of IDs to remove that were not on the watchlist. */
  readonly missing: number;
}

export interface ChangeItemsDependencies extends RewriteDependencies {
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly pages: Pick<PageStore, "pages" | "replace" | "replaceItems" | "changeDetails">;
}

/** A change of the items of a watchlist. */
export interface ChangeItemsRequest {
  /** The watchlist as the caller read it. */
  readonly watchlist: Watchlist;
  readonly change: ItemChange;
  readonly now: Date;
}

/**
 * Removes and then adds items of a watchlist (specification, section "Watchlists"). Each page of
 * the watchlist changes in one transaction, but several pages do not change together. Idempotent: a
 * call that failed halfway can be repeated.
 * @returns the number of IDs by outcome, and the watchlist after the change
 * @throws 400 if the watchlist would have too many items, before anything changes; 404 if the
 * watchlist was deleted; 409 if concurrent calls fill the watchlist; 503 after too many conflicts
 * on a page, or if the retry budget is exhausted. After 404, 409 and 503, some of the items may
 * have changed.
 */
export async function changeItems(
  { watchlist, change, now }: ChangeItemsRequest,
  dependencies: ChangeItemsDependencies,
): Promise<{ readonly tally: ItemTally; readonly watchlist: Watchlist }> {
  const { watchlists, pages } = dependencies;
  const reread = async (): Promise<Watchlist> => {
    const current = await watchlists.get(watchlist.accountId, watchlist.id);
    if (current === undefined) throw watchlistNotFound(watchlist.id);
    return current;
  };
  let tally = nothing;
  for (const pass of await planPasses(watchlist, change, pages)) {
    const applied = await applyPass({ watchlist, change: pass, now }, dependencies);
    tally = addTallies(tally, applied.tally);
    if (!applied.isFull) continue;
    // Concurrent calls have filled the watchlist. If nothing was applied and the change does not
    // fit into the current watchlist, `planPasses` throws the more precise error 400.
    if (!isApplied(tally)) await planPasses(await reread(), change, pages);
    throw watchlistFilled(tally);
  }
  return { tally, watchlist: await reread() };
}

/** Returns true if at least one item was added, reactivated, updated or removed. */
const isApplied = ({ added, reactivated, updated, removed }: ItemTally): boolean =>
  added + reactivated + updated + removed > 0;

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

const nothing: ItemTally = {
  added: 0,
  reactivated: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  missing: 0,
};

const addTallies = (a: ItemTally, b: ItemTally): ItemTally => ({
  added: a.added + b.added,
  reactivated: a.reactivated + b.reactivated,
  updated: a.updated + b.updated,
  unchanged: a.unchanged + b.unchanged,
  removed: a.removed + b.removed,
  missing: a.missing + b.missing,
});

/**
 * Returns the change as one pass, if the watchlist can hold all additions before the removals.
 * Otherwise returns two passes: the first pass removes, and the second pass adds.
 * @throws 400 if the watchlist would have too many items even after the removals
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
      `'add' has ${quantity(arriving, "new ID")}, but this watchlist can hold only ${Math.max(0, free)} more ` +
        `(its maximum is ${limits.watchlistItemsMax} items). Send fewer IDs.`,
    );
  }
  return [
    { add: [], remove: change.remove, labels: new Map() },
    { add: change.add, remove: [], labels: change.labels },
  ];
}

/** Counts the items that the change removes (`leaving`), and the items that it then adds. */
async function countMoves(
  watchlistId: string,
  { add, remove }: ItemIds,
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

type ItemIds = Pick<ItemChange, "add" | "remove">;

/** Returns the IDs of both lists: unique and sorted. */
function idsOf({ add, remove }: ItemIds): string[] {
  if (add.length === 0 || remove.length === 0) return [...add, ...remove];
  return [...new Set([...add, ...remove])].sort(compareIds);
}

/** Returns the range from the first to the last of the sorted IDs; unbounded if there are none. */
function rangeOf(ids: readonly string[]): { from?: string; to?: string } {
  const [from, to] = [ids[0], ids.at(-1)];
  return from === undefined || to === undefined ? {} : { from, to };
}

/**
 * Changes items in one pass: deletes the details of the items to remove, then changes the items,
 * then stores the labels of added items. Because of this order, an item that a later call adds
 * again does not get its old label, unless calls for the same item overlap. `isFull` is true if
 * concurrent calls have filled the watchlist, so that some pages did not change.
 */
async function applyPass(
  { watchlist, change, now }: ChangeItemsRequest,
  dependencies: Omit<ChangeItemsDependencies, "watchlists">,
): Promise<{ readonly tally: ItemTally; readonly isFull: boolean }> {
  const { pages } = dependencies;
  const ref = { accountId: watchlist.accountId, watchlistId: watchlist.id };
  const unlabeled = { ids: change.remove, change: () => undefined };
  await changeDetails(ref, unlabeled, pages);
  const wanted = {
    adding: new Set(change.add),
    removing: new Set(change.remove),
    addedAt: now.toISOString(),
  };
  const { outcome, notes } = await rewriteItems(
    {
      watchlist: ref,
      ids: idsOf(change),
      change: (items, ids) => changePage(items, ids, wanted),
    },
    dependencies,
  );
  if (outcome === "watchlist_deleted") throw watchlistNotFound(ref.watchlistId);
  const tally = notes.map((note) => note.tally).reduce(addTallies, nothing);
  const updated = await setLabels(
    ref,
    { placed: notes.flatMap((note) => note.placed), labels: change.labels },
    pages,
  );
  return {
    tally: { ...tally, updated, unchanged: tally.unchanged - updated },
    isFull: outcome === "full",
  };
}

interface Labeling {
  /** The items to add that are on the watchlist now, in ID order. */
  readonly placed: readonly Placed[];
  readonly labels: ItemChange["labels"];
}

/**
 * Stores labels and metadata of items. Returns the number of items that were already on the
 * watchlist and whose label or metadata changed.
 * @throws 404 if the watchlist was deleted, 503 after too many conflicts
 */
async function setLabels(
  watchlist: WatchlistRef,
  { placed, labels }: Labeling,
  pages: Pick<PageStore, "changeDetails">,
): Promise<number> {
  const items = new Map(
    placed
      .filter(({ id, outcome }) => outcome === "added" || labels.has(id))
      .map((item) => [item.id, item]),
  );
  // A set of IDs, not a count: after a conflict, `change` is called again for the same item.
  const updated = new Set<string>();
  const change: DetailsChange["change"] = (before, id) => {
    const item = items.get(id);
    if (item === undefined) return "unchanged";
    const isAdded = item.outcome === "added";
    const given = labels.get(id) ?? {};
    const after = withLabels(before, { id, addedAt: item.addedAt, isAdded, given });
    if (after !== "unchanged" && item.outcome === "unchanged") updated.add(id);
    return after;
  };
  await changeDetails(watchlist, { ids: [...items.keys()], change }, pages);
  return updated.size;
}

/**
 * Changes the details of items.
 * @throws 404 if the watchlist was deleted, 503 after too many conflicts
 */
async function changeDetails(
  watchlist: WatchlistRef,
  change: DetailsChange,
  pages: Pick<PageStore, "changeDetails">,
): Promise<void> {
  const outcome = await pages.changeDetails(watchlist, change);
  if (outcome === "watchlist_deleted") throw watchlistNotFound(watchlist.watchlistId);
  if (outcome === "contended") throw unavailable();
}

/**
 * An added item after the change. `reactivated`: it was delisted before. `unchanged`: it was
 * already on the watchlist.
 */
interface Placed {
  readonly id: string;
  readonly addedAt: string;
  readonly outcome: "added" | "reactivated" | "unchanged";
}

interface ItemsChange {
  readonly adding: ReadonlySet<string>;
  readonly removing: ReadonlySet<string>;
  readonly addedAt: string;
}

/** Removes and then adds the items of one page. Also returns the counts and the placed items. */
function changePage(
  items: readonly Item[],
  ids: readonly string[],
  { adding, removing, addedAt }: ItemsChange,
): PageChange<{ readonly tally: ItemTally; readonly placed: readonly Placed[] }> {
  const stored = new Map(items.map((item) => [item.id, item]));
  const after = new Map(stored);
  const tally = { ...nothing };
  const placed: Placed[] = [];
  const newItems: Item[] = [];
  for (const id of ids) {
    if (removing.has(id)) tally[after.delete(id) ? "removed" : "missing"] += 1;
    if (!adding.has(id)) continue;
    const outcome = outcomeOf(after.get(id));
    tally[outcome] += 1;
    if (outcome !== "unchanged") {
      const item = newItemAfter(id, addedAt, stored.get(id));
      after.set(id, item);
      newItems.push(item);
    }
    placed.push({ id, addedAt: after.get(id)?.addedAt ?? addedAt, outcome });
  }
  const note = { tally, placed };
  if (!isApplied(tally)) return { kind: "unchanged", note };
  // An ID that is removed and added again stays on the page.
  if (ids.every((id) => stored.has(id) === after.has(id))) {
    return { kind: "changed", items: newItems, note };
  }
  const all = [...after.values()].sort((a, b) => compareIds(a.id, b.id));
  return { kind: "replaced", items: all, note };
}

function outcomeOf(item: Item | undefined): Placed["outcome"] {
  if (item === undefined) return "added";
  return item.state === "delisted" ? "reactivated" : "unchanged";
}

/**
 * Creates a new item that replaces `before`, so that its next read counts as a first read. Keeps
 * the revision, so that a late outcome of an earlier read is ignored.
 */
const newItemAfter = (id: string, addedAt: string, before: Item | undefined): Item => ({
  ...newItem(id, addedAt),
  revision: before?.revision ?? 0,
});
