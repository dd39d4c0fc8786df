import type { PastWatchlist } from "../../tools/past/invented-past.ts";
import { idsOfCategories } from "../../tools/past/items-by-category.ts";

/**
 * Returns `count` item IDs at equal distances, beginning with `first`. The sandbox has no scripted
 * answers for the IDs that are used here.
 */
const idsFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(first + n * 7_919));

/**
 * The watchlists of a demo workspace, as bodies of `POST /v1/watchlists`. They contain sandbox
 * items of every platform and of several categories. The price or the stock of the first items of
 * each watchlist changes between runs. All four watchlists together cost about 50 credits a day.
 */
export const demoLists = [
  {
    name: "Key items, twice a day",
    platform: "retailer_d",
    ids: ["9000000", "9000001", "9000002", "9000004", "9000005", ...idsFrom(9_101_234, 5)],
    every: "12h",
  },
  {
    name: "Offers, weekdays at noon in Berlin",
    platform: "retailer_a",
    ids: ["B0SANDBOX0", "B0SANDBOX1", "B0SANDBOX2", "B0SANDBOX3", "B0SANDBOX4", "B0SANDBOXN"],
    cron: "0 12 * * MON-FRI",
    timezone: "Europe/Berlin",
  },
  {
    name: "Price match",
    platform: "retailer_b",
    ids: ["9000001", "9000002", "9000003", "9000007", ...idsFrom(91_450_118, 8)],
    every: "1d",
  },
  {
    name: "Promotion",
    platform: "retailer_c",
    ids: ["9000000", "9000001", "9000004", "9000009", ...idsFrom(81_450_118, 4)],
    every: "1d",
  },
] as const;

const past = { days: 90, runsPerDay: 1, changedShare: 0.03, labeledShare: 0.4 };

/**
 * Returns the watchlists with an invented past. The name of each watchlist describes the categories
 * of its items. Some items have labels and target prices.
 */
export const largeLists = (): readonly Omit<PastWatchlist, "id">[] => [
  {
    ...past,
    name: "Small kitchen appliances, whole assortment",
    platform: "retailer_d",
    ids: [
      "9000001",
      ...idsOfCategories({
        platform: "retailer_d",
        categories: ["Small Kitchen Appliances"],
        first: 10_101_234,
        count: 2_999,
      }),
    ],
  },
  {
    ...past,
    name: "Headphones and televisions, whole assortment",
    platform: "retailer_b",
    ids: [
      "9000003",
      ...idsOfCategories({
        platform: "retailer_b",
        categories: ["Headphones", "Televisions"],
        first: 20_450_118,
        count: 1_999,
      }),
    ],
  },
];
