import { type Difference, fieldDifferences, missing } from "./difference.ts";
import { markDifferences } from "./mark.ts";
import type { Item } from "../../../shared/watchlists/item.ts";
import { compareIds } from "../../../shared/watchlists/id-order.ts";
import {
  addCounts,
  countByState,
  type ItemCounts,
  noItems,
  totalOf,
} from "../../../shared/watchlists/item-counts.ts";
import { maxChangedAt, type StoredPage } from "../../../shared/watchlists/page.ts";
import { nextRunAfter } from "../../../shared/watchlists/schedule.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";

/** A watchlist's row with the attributes of its index. */
export interface StoredList {
  readonly watchlist: Watchlist;
  /** The stored number of items in all states. */
  readonly itemTotal: number;
  /**
   * The time from which the sweeper starts the watchlist's next run. Null if the row is not in the
   * index of due watchlists.
   */
  readonly dueAt: string | null;
}

/** An accumulator that adds up the pages of a watchlist and checks their rules. */
export interface PageFold {
  /**
   * Adds the next page. Must be called for the pages in the order of their keys. Returns a
   * difference for each rule that the page breaks.
   */
  take(page: StoredPage): Difference[];
  /**
   * Ends the check. Returns the item counts by state, the number of distinct items, and a
   * difference if a page after the last one is missing.
   */
  end(): {
    readonly counts: ItemCounts;
    readonly items: number;
    readonly differences: Difference[];
  };
}

/**
 * Creates an accumulator that adds up the items in a watchlist's pages and checks their rules:
 * - The ranges of the pages have no gap and no overlap.
 * - Item IDs are unique, sorted, and in the range of their page.
 * - The counts and the latest change time of a page match its items.
 * A repeated ID counts once.
 */
export function pageFold(watchlistId: string): PageFold {
  let next: string | null = "";
  let counts = noItems;
  const placeOf = (lowest: string): string => `${watchlistId} page "${lowest}"`;
  return {
    take(page) {
      const place = placeOf(page.lowest);
      const range = fieldDifferences(
        place,
        { lowest: page.lowest },
        { lowest: next ?? "none: an earlier page is the last" },
      );
      next = page.upper;
      const items = itemsOf(page);
      if (items === undefined) {
        const unreadable = { place, field: "items", stored: "unreadable", expected: "items" };
        return [...range, unreadable];
      }
      const distinct = distinctItems(items);
      const foundCounts = countByState(distinct);
      counts = addCounts(counts, foundCounts);
      return [
        ...range,
        ...orderDifferences(place, page, items),
        ...fieldDifferences(place, { ...page.counts }, { ...foundCounts }),
        ...fieldDifferences(
          place,
          { max_changed_at: page.maxChangedAt },
          { max_changed_at: maxChangedAt(distinct) },
        ),
      ];
    },
    end: () => ({
      counts,
      items: totalOf(counts),
      differences:
        next === null
          ? []
          : [{ place: placeOf(next), field: "row", stored: missing, expected: "the next page" }],
    }),
  };
}

function itemsOf(page: StoredPage): readonly Item[] | undefined {
  try {
    return page.items;
  } catch {
    return undefined;
  }
}

const distinctItems = (items: readonly Item[]): readonly Item[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];

function orderDifferences(
  place: string,
  { lowest, upper }: StoredPage,
  items: readonly Item[],
): Difference[] {
  const seen = new Set<string>();
  return items.flatMap(({ id }, n) => {
    const isAgain = seen.has(id);
    seen.add(id);
    const field = `item ${id}`;
    if (isAgain)
      return [{ place, field, stored: "in the page twice", expected: "in the page once" }];
    if (id < lowest || (upper !== null && id >= upper)) {
      return [
        { place, field, stored: "out of the range", expected: `"${lowest}" to "${upper ?? "~"}"` },
      ];
    }
    const before = items[n - 1]?.id ?? "";
    return compareIds(before, id) < 0
      ? []
      : [{ place, field, stored: `after ${before}`, expected: "in order" }];
  });
}

/** Compares a watchlist's counters with the sums of its pages. */
export const countDifferences = (
  watchlistId: string,
  stored: { readonly counts: ItemCounts; readonly total: number },
  counted: ItemCounts,
): Difference[] =>
  fieldDifferences(
    watchlistId,
    { ...nameCounts(stored.counts), item_total: stored.total },
    { ...nameCounts(counted), item_total: totalOf(counted) },
  );

const nameCounts = (counts: ItemCounts): Record<string, number> => ({
  "item_counts.new": counts.new,
  "item_counts.active": counts.active,
  "item_counts.delisted": counts.delisted,
});

/**
 * Checks the due time of a watchlist. An active watchlist must be due at its next run, at most one
 * schedule interval from now. Any other watchlist must have no due time.
 */
export function scheduleDifferences({ watchlist, dueAt }: StoredList, now: Date): Difference[] {
  const { id, status, schedule, nextRunAt } = watchlist;
  if (status === "active" && nextRunAt === null) {
    return [{ place: id, field: "next_run_at", stored: null, expected: "a time" }];
  }
  const nextRun = status === "active" ? nextRunAt : null;
  const unequal = fieldDifferences(
    id,
    { next_run_at: nextRunAt, due_at: dueAt },
    { next_run_at: nextRun, due_at: nextRun },
  );
  if (unequal.length > 0 || nextRun === null) return unequal;
  const latest = (from: Date): Date => nextRunAfter(schedule, from, from);
  return markDifferences({ place: id, field: "next_run_at" }, nextRun, { now, latest });
}
