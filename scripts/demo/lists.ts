/** Returns consecutive item IDs that are not reserved in the sandbox. */
const idsFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(first + n * 7_919));

/**
 * The watchlists of a demo workspace, as bodies of `POST /v1/watchlists`. They contain sandbox
 * items of every platform. The price or stock of their first items changes between runs. All four
 * watchlists together cost about 50 credits a day.
 */
export const demoLists = [
  {
    name: "Espresso machines",
    platform: "retailer_d",
    ids: ["9000000", "9000001", "9000002", "9000004", "9000005", ...idsFrom(9_101_234, 5)],
    every: "12h",
  },
  {
    name: "Headphones, weekdays at noon in Berlin",
    platform: "retailer_a",
    ids: ["B0SANDBOX0", "B0SANDBOX1", "B0SANDBOX2", "B0SANDBOX3", "B0SANDBOX4", "B0SANDBOXN"],
    cron: "0 12 * * MON-FRI",
    timezone: "Europe/Berlin",
  },
  {
    name: "Board games",
    platform: "retailer_b",
    ids: ["9000001", "9000002", "9000003", "9000007", ...idsFrom(91_450_118, 8)],
    every: "1d",
  },
  {
    name: "Garden furniture",
    platform: "retailer_c",
    ids: ["9000000", "9000001", "9000004", "9000009", ...idsFrom(81_450_118, 4)],
    every: "1d",
  },
] as const;

const past = { days: 90, runsPerDay: 1, changedShare: 0.03, labeledShare: 0.4 };

/** Watchlists with an invented past. Some items have labels and target prices. */
export const largeLists = [
  {
    ...past,
    name: "Kitchen, whole assortment",
    platform: "retailer_d",
    ids: ["9000001", "9000002", "9000005", ...idsFrom(10_101_234, 2_997)],
  },
  {
    ...past,
    name: "Toys, whole assortment",
    platform: "retailer_b",
    ids: ["9000001", "9000003", "9000007", ...idsFrom(20_450_118, 1_997)],
  },
] as const;
