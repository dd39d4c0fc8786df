import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { compareWithDuckDb } from "../../../scripts/replay/judge.ts";
import { openRecords } from "../../../scripts/replay/records.ts";
import type { RuleName } from "../../../scripts/replay/watchlists.ts";
import { priceFolder } from "../../support/price-folder.ts";

/** Prices of products by the number of the day from which they are valid; day 1 is 2026-01-01. */
type Prices = Readonly<Record<string, Readonly<Record<number, number | null>>>>;
const dayMs = 86_400_000;
const dayOf = (n: number): string =>
  new Date(Date.parse("2025-12-31") + n * dayMs).toISOString().slice(0, 10);

const prices: Prices = {
  drift: { 1: 100, 2: 98, 3: 97, 4: 95, 5: 94 },
  peak: { 1: 100, 2: 120, 3: 109, 4: 108, 5: 108 },
  spike: { 1: 100, 2: 1, 3: 100, 4: 90, 5: 90 },
  soldOut: { 1: 100, 2: null, 3: 60 },
};

type Row =
  | readonly [product: string, day: number]
  | readonly [product: string, day: number, before: number | null, after: number | null];
type Decisions = Readonly<Partial<Record<RuleName, readonly Row[]>>>;

/**
 * The decisions that the examples in docs/watchlists-and-pipelines.md require, calculated by hand.
 */
const decisions: Decisions = {
  changed: [
    ["drift", 2, 100, 98],
    ["drift", 3, 98, 97],
    ["drift", 4, 97, 95],
    ["drift", 5, 95, 94],
    ["peak", 2, 100, 120],
    ["peak", 3, 120, 109],
    ["peak", 4, 109, 108],
    ["spike", 2, 100, 1],
    ["spike", 3, 1, 100],
    ["spike", 4, 100, 90],
    ["soldOut", 2, 100, null],
    ["soldOut", 3, null, 60],
  ],
  percent: [
    ["drift", 4, 100, 95],
    ["peak", 2, 100, 120],
    ["peak", 3, 120, 109],
    ["spike", 2, 100, 1],
    ["spike", 3, 1, 100],
    ["spike", 4, 100, 90],
    ["soldOut", 3, 100, 60],
  ],
  drop: [
    ["peak", 4, 120, 108],
    ["spike", 2, 100, 1],
    ["spike", 4, 100, 90],
    ["soldOut", 3, 100, 60],
  ],
  confirm: [
    ["drift", 4, 100, 95],
    ["drift", 7, 95, 94],
    ["peak", 4, 100, 108],
    ["spike", 6, 100, 90],
    ["soldOut", 5, 100, 60],
  ],
  cooldown: [
    ["drift", 2, 100, 98],
    ["drift", 9, 98, 94],
    ["peak", 2, 100, 120],
    ["peak", 9, 120, 108],
    ["spike", 2, 100, 1],
    ["spike", 9, 1, 90],
    ["soldOut", 2, 100, null],
    ["soldOut", 9, null, 60],
  ],
  once: [["spike", 2]],
  stable: [
    ["peak", 14],
    ["spike", 14],
    ["soldOut", 13],
  ],
};

/** Returns the history points of products: each price that differs from the previous price. */
const pointsOf = (all: Prices) =>
  Object.entries(all).flatMap(([product, byDay]) => {
    const days = Object.entries(byDay);
    return days.flatMap(([day, price], n) =>
      price === days[n - 1]?.[1]
        ? []
        : [{ product, at: `${dayOf(Number(day))}T06:00:00.000Z`, price }],
    );
  });
const points = pointsOf(prices);

const shop = "corner";
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Replayed {
  readonly all?: Prices;
  readonly lastDay?: number;
  readonly history?: typeof points;
}

/** Compares the records of a replay with the results that DuckDB calculates from the prices. */
async function judge(
  found: Decisions,
  { all = prices, lastDay = 14, history = pointsOf(all) }: Replayed = {},
) {
  const lines = Object.entries(all).map(([id, byDay]) =>
    JSON.stringify({
      id,
      prices: Object.entries(byDay).map(([day, price]) => [dayOf(Number(day)), price]),
    }),
  );
  const folder = priceFolder({ [shop]: `${lines.join("\n")}\n` });
  folders.push(folder);
  const records = openRecords(folder);
  const products = Object.keys(all).map((id) => ({ id, prices: [] }));
  records.addShop({ shop, lastDay: dayOf(lastDay), products });
  for (const [rule, rows] of Object.entries(found)) {
    for (const [product, day, before, after] of rows) {
      const change =
        before === undefined || after === undefined ? {} : { change: { before, after } };
      records.addDecision({ shop, product, day: dayOf(day), rule: rule as RuleName, ...change });
    }
  }
  for (const point of history) records.addPoint({ shop, ...point });
  await records.close();
  const comparisons = await compareWithDuckDb(folder, folder);
  return new Map(comparisons?.map(({ name, ...result }) => [name, result]));
}

const isEqual = (rows: readonly Row[]) => ({
  equal: rows.length,
  missing: 0,
  unexpected: 0,
  examples: [],
});

describe("the check that compares a replay with DuckDB", () => {
  it("reports no difference for decisions that the test's author calculated without DuckDB", async () => {
    const results = await judge(decisions);

    for (const [rule, rows] of Object.entries(decisions)) {
      expect({ rule, ...results.get(rule) }).toEqual({ rule, ...isEqual(rows) });
    }
    expect(results.get("history")).toMatchObject({ equal: 16, missing: 0, unexpected: 0 });
  });

  it("reports no difference for derived fields that the test's author calculated without DuckDB", async () => {
    // The route that samples derived fields matches first on day 91, and then every 30 days.
    const derived: Decisions = {
      lowest30d: [["clearance", 41, null, 9.8]],
      lowest90d: [
        ["clearance", 91, null, 8],
        ["clearance", 121, null, 8],
      ],
      // On day 91, the window has 558 hours at 8.50 and 168 hours at 9.50.
      average30d: [
        ["clearance", 91, null, 8.7314],
        ["clearance", 121, null, 9.5],
      ],
      changedCount7d: [
        ["clearance", 91, null, 1],
        ["clearance", 121, null, 0],
      ],
      previousPrice: [
        ["clearance", 20, null, 10],
        ["clearance", 50, null, 10],
        ["clearance", 80, null, 8],
        ["clearance", 110, null, 8.5],
      ],
    };

    const all = { clearance: { 1: 10, 20: 9.8, 22: 10, 41: 8, 51: 8.5, 84: 9.5 } };
    const results = await judge(derived, { all, lastDay: 122 });

    for (const [rule, rows] of Object.entries(derived)) {
      expect({ rule, ...results.get(rule) }).toEqual({ rule, ...isEqual(rows) });
    }
  });

  it("reports a decision that the service did not make, and a decision that DuckDB does not expect", async () => {
    const results = await judge({ ...decisions, once: [["drift", 3]] });

    expect(results.get("once")).toEqual({
      equal: 0,
      missing: 1,
      unexpected: 1,
      examples: [
        '{"difference":"unexpected","shop":"corner","product":"drift","day":"2026-01-03","before":null,"after":null}',
        '{"difference":"missing","shop":"corner","product":"spike","day":"2026-01-02","before":null,"after":null}',
      ],
    });
    expect(results.get("changed")).toMatchObject({ missing: 0, unexpected: 0 });
  });

  it("reports a decision whose reference value differs from the value that DuckDB calculates", async () => {
    const [, ...others] = decisions.percent ?? [];
    const percent: readonly Row[] = [["drift", 4, 97, 95], ...others];

    expect((await judge({ ...decisions, percent })).get("percent")).toMatchObject({
      equal: 6,
      missing: 1,
      unexpected: 1,
    });
  });

  it("reports a history point that is missing in the stored history", async () => {
    expect((await judge(decisions, { history: points.slice(1) })).get("history")).toMatchObject({
      equal: 15,
      missing: 1,
      unexpected: 0,
    });
  });
});
