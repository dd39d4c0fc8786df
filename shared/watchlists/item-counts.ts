import type { Item } from "./item.ts";

/** Number of items of a watchlist by state (specification, section "States and transitions"). */
export interface ItemCounts {
  readonly new: number;
  readonly active: number;
  readonly delisted: number;
}

/** The counts of a watchlist without items: all 0. */
export const noItems: ItemCounts = { new: 0, active: 0, delisted: 0 };

/** Counts the items in each state. */
export function countByState(items: readonly Pick<Item, "state">[]): ItemCounts {
  const counts = { ...noItems };
  for (const item of items) counts[item.state] += 1;
  return counts;
}

/** Returns true if both counts have the same number of items in each state. */
export const haveSameCounts = (a: ItemCounts, b: ItemCounts): boolean =>
  a.new === b.new && a.active === b.active && a.delisted === b.delisted;

/** Returns the sum of two counts of items, state by state. */
export function addCounts(a: ItemCounts, b: ItemCounts): ItemCounts {
  return { new: a.new + b.new, active: a.active + b.active, delisted: a.delisted + b.delisted };
}

/** Returns the number of items in all states. */
export const totalOf = (counts: ItemCounts): number => counts.new + counts.active + counts.delisted;

/** Returns `a` minus `b`, state by state. A result may be negative. */
export const subtractCounts = (a: ItemCounts, b: ItemCounts): ItemCounts => ({
  new: a.new - b.new,
  active: a.active - b.active,
  delisted: a.delisted - b.delisted,
});

/** Returns the sum of the counts of pages, state by state. */
export const sumCounts = (pages: readonly { readonly counts: ItemCounts }[]): ItemCounts =>
  pages.reduce((sum, { counts }) => addCounts(sum, counts), noItems);
