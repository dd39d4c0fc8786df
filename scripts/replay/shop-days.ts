import { assert } from "../../shared/base/assert.ts";
import type { ShopPrices } from "./price-files.ts";

const dayMs = 86_400_000;

/** What changes in a shop on a day. */
export interface DayPlan {
  /** IDs of the items that have their first price on the day. */
  readonly added: readonly string[];
  readonly prices: readonly { readonly itemId: string; readonly price: number | null }[];
}

/** The days of a shop (one file of recorded prices), from its first price to its last. */
export interface ShopDays {
  readonly shop: string;
  /** The first day as `YYYY-MM-DD`. */
  readonly first: string;
  readonly last: string;
  /** Returns what changes on a day, given as `YYYY-MM-DD`. */
  planOf(day: string): DayPlan;
  /**
   * Returns the product ID in the file for an item ID.
   * @throws Error for an item of another shop
   */
  productOf(itemId: string): string;
}

const nothing: DayPlan = { added: [], prices: [] };

/**
 * Groups the prices of a shop by day.
 * @param position The number of the shop, unique in the replay. It becomes part of each item ID, so
 * that the items of different shops have different IDs.
 */
export function shopDays({ shop, products }: ShopPrices, position: number): ShopDays {
  const plans = new Map<string, { added: string[]; prices: DayPlan["prices"][number][] }>();
  const productIds = new Map<string, string>();
  for (const [n, { id, prices }] of products.entries()) {
    const itemId = itemIdOf(position, n);
    productIds.set(itemId, id);
    for (const [at, { day, price }] of prices.entries()) {
      const plan = plans.get(day) ?? { added: [], prices: [] };
      plans.set(day, plan);
      plan.prices.push({ itemId, price });
      if (at === 0) plan.added.push(itemId);
    }
  }
  const days = [...plans.keys()].toSorted();
  const [first = "", last = ""] = [days[0], days.at(-1)];
  return {
    shop,
    first,
    last,
    planOf: (day) => plans.get(day) ?? nothing,
    productOf(itemId) {
      const id = productIds.get(itemId);
      assert(id !== undefined, "the service must report only items of its watchlists");
      return id;
    },
  };
}

/**
 * Returns each day that is in the span of at least one shop, from its `first` to its `last` day:
 * YYYY-MM-DD, ascending, without repetition.
 */
export function daysOf(shops: readonly ShopDays[]): readonly string[] {
  const all = shops.flatMap(({ first, last }) => {
    const count = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
    return Array.from({ length: count }, (_, n) => dayAfter(first, n));
  });
  return [...new Set(all)].toSorted();
}

/**
 * Returns the day that is `days` days after `day`.
 * @param day A day as `YYYY-MM-DD`.
 * @returns A day in the same format.
 */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

const [idsOfShop, idStep] = [1_000_000_000, 387_420_489];
/**
 * Returns an item ID that is valid on each platform. Spreads the IDs of a shop over the range of
 * the shop. In a real watchlist too, the IDs of new items are between the IDs of earlier items.
 * `idStep` has no factor in common with the number of IDs, so no two IDs are equal.
 */
const itemIdOf = (position: number, n: number): string =>
  String((position + 1) * idsOfShop + ((n * idStep) % idsOfShop));
