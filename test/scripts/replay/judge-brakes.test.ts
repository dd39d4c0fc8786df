import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { compareWithDuckDb } from "../../../scripts/replay/judge.ts";
import { openRecords } from "../../../scripts/replay/records.ts";
import { priceFolder } from "../../support/price-folder.ts";

const shop = "corner";
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Decision {
  readonly day: string;
  readonly factor: number;
  readonly changed: number;
  readonly read: number;
  readonly isHeld: boolean;
}

const real = (day: string, changed: number, read: number): Decision => ({
  day,
  factor: 1,
  changed,
  read,
  isHeld: false,
});

/**
 * Records `decisions` for the brakes of the watchlists `changes` and `limited`, and compares them
 * with the results that DuckDB calculates. The shop has `size` products at a price of 10 from
 * 2025-12-30 on. On 2025-12-31, the price of ten products changes, and two other products lose
 * their price. On 2026-01-01, the shop adds a product.
 */
async function judge(decisions: readonly Decision[], size = 50) {
  const prices = (n: number): readonly (readonly [string, number | null])[] => [
    ["2025-12-30", 10],
    ...(n < 10 ? [["2025-12-31", 11] as const] : []),
    ...(n >= 10 && n < 12 ? [["2025-12-31", null] as const] : []),
  ];
  const products = [
    ...Array.from({ length: size }, (_, n) => ({ id: `p${n}`, prices: prices(n) })),
    { id: "new", prices: [["2026-01-01", 3]] },
  ];
  const lines = products.map((product) => JSON.stringify(product));
  const folder = priceFolder({ [shop]: `${lines.join("\n")}\n` });
  folders.push(folder);
  const records = openRecords(folder);
  records.addShop({
    shop,
    lastDay: "2026-01-02",
    products: products.map(({ id }) => ({ id, prices: [] })),
  });
  for (const decision of decisions) {
    for (const list of ["changes", "limited"]) records.addRun({ shop, list, ...decision });
  }
  await records.close();
  const comparisons = await compareWithDuckDb(folder, folder);
  return comparisons?.find(({ name }) => name === "brake");
}

/** Returns the correct decisions about the runs of four days whose prices are not multiplied. */
const realDaysOf = (size: number): readonly Decision[] => [
  real("2025-12-30", 0, size),
  real("2025-12-31", 12, size),
  real("2026-01-01", 0, size + 1),
  real("2026-01-02", 0, size + 1),
];

describe("the check that compares the brake decisions of a replay with DuckDB", () => {
  it("accepts correct counts of changed items, including the count of a day on which all prices are multiplied by 100", async () => {
    const wrong = { day: "2026-01-01", factor: 100, changed: 48, read: 50, isHeld: true };

    // Of the 50 items with an earlier price, two have no price now, so 48 changed. The new item has
    // no earlier price, so it is not compared.
    expect(await judge([...realDaysOf(50), wrong])).toMatchObject({
      equal: 10,
      missing: 0,
      unexpected: 0,
    });
  });

  it("expects that the brake holds a run in which more than 95% of the items changed", async () => {
    const more = realDaysOf(60);
    const wrong = { day: "2026-01-01", factor: 100, changed: 58, read: 60, isHeld: true };

    expect(await judge([...more, wrong], 60)).toMatchObject({ equal: 10, unexpected: 0 });
    expect(await judge([...more, { ...wrong, isHeld: false }], 60)).toMatchObject({
      equal: 8,
      missing: 2,
      unexpected: 2,
    });
  });

  it("expects no run with wrong prices for a shop of fewer than 50 items", async () => {
    const fewer = realDaysOf(40);

    expect(await judge(fewer, 40)).toMatchObject({ equal: 8, missing: 0, unexpected: 0 });
  });
});
