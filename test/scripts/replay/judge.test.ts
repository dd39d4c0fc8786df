import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareWithDuckDb } from "../../../scripts/replay/judge.ts";
import { openRecords } from "../../../scripts/replay/records.ts";
import type { RuleName } from "../../../scripts/replay/watchlists.ts";
import { priceFolder } from "../../support/price-folder.ts";

/** Prices of one product on successive days from 2026-01-01 on. */
const prices: Readonly<Record<string, readonly (number | null)[]>> = {
  drift: [100, 98, 97, 95, 94],
  peak: [100, 120, 109, 108, 108],
  spike: [100, 1, 100, 90, 90, 90],
  soldOut: [100, null, 60],
};
const dayOf = (n: number): string => `2026-01-${String(n).padStart(2, "0")}`;
const lastDay = dayOf(14);

type Row =
  | readonly [product: string, day: number]
  | readonly [product: string, day: number, before: number | null, after: number | null];
type Decisions = Readonly<Partial<Record<RuleName, readonly Row[]>>>;

/** The decisions by the examples of docs/watchlists-and-pipelines.md, calculated by hand. */
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

/** Each price that differs from the one of the day before. */
const points = Object.entries(prices).flatMap(([product, all]) =>
  all.flatMap((price, n) =>
    n > 0 && price === all[n - 1] ? [] : [{ product, at: `${dayOf(n + 1)}T06:00:00.000Z`, price }],
  ),
);

let folder: string;
beforeAll(() => {
  const lines = Object.entries(prices).map(([id, all]) =>
    JSON.stringify({ id, prices: all.map((price, n) => [dayOf(n + 1), price]) }),
  );
  folder = priceFolder({ corner: `${lines.join("\n")}\n` });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compares records of a replay with DuckDB. */
async function judge(found: Decisions, history = points) {
  const records = openRecords(folder);
  const shop = "corner";
  records.addShop({
    shop,
    lastDay,
    products: Object.keys(prices).map((id) => ({ id, prices: [] })),
  });
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

describe("the comparison of a replay with DuckDB", () => {
  it("finds no difference to decisions that were calculated by hand", async () => {
    const results = await judge(decisions);

    for (const [rule, rows] of Object.entries(decisions)) {
      expect({ rule, ...results.get(rule) }).toEqual({
        rule,
        equal: rows.length,
        missing: 0,
        unexpected: 0,
        examples: [],
      });
    }
    expect(results.get("history")).toMatchObject({ equal: 16, missing: 0, unexpected: 0 });
  });

  it("reports a decision of the service that is missing, and one that is unexpected", async () => {
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

  it("reports a decision with another reference value", async () => {
    const [, ...others] = decisions.percent ?? [];
    const percent: readonly Row[] = [["drift", 4, 97, 95], ...others];

    expect((await judge({ ...decisions, percent })).get("percent")).toMatchObject({
      equal: 6,
      missing: 1,
      unexpected: 1,
    });
  });

  it("reports a point that is missing in the history", async () => {
    expect((await judge(decisions, points.slice(1))).get("history")).toMatchObject({
      equal: 15,
      missing: 1,
      unexpected: 0,
    });
  });
});
