import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { readShop, shopsIn } from "../../../scripts/replay/price-files.ts";
import { priceFolder } from "../../support/price-folder.ts";

const folders: string[] = [];
const written = (shops: Readonly<Record<string, string>>): string => {
  const folder = priceFolder(shops);
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const line = (id: string, ...prices: readonly (readonly [string, number | null])[]): string =>
  `${JSON.stringify({ id, name: "Kettle", prices })}\n`;

describe("the price files of a replay", () => {
  it("are read with the later of two prices of the same day", () => {
    const folder = written({
      corner: line("1", ["2026-01-01", 3], ["2026-01-03", 2.5], ["2026-01-03", 2.75]),
    });

    expect(readShop(folder, "corner").products).toEqual([
      {
        id: "1",
        prices: [
          { day: "2026-01-01", price: 3 },
          { day: "2026-01-03", price: 2.75 },
        ],
      },
    ]);
  });

  it("are read without a price for a value of 0 or null", () => {
    const folder = written({ corner: line("1", ["2026-01-01", 0], ["2026-01-02", null]) });

    expect(readShop(folder, "corner").products[0]?.prices).toEqual([
      { day: "2026-01-01", price: null },
      { day: "2026-01-02", price: null },
    ]);
  });

  it("are sampled at regular intervals, and completely if the sample size exceeds the number of products", () => {
    const lines = Array.from({ length: 10 }, (_, n) => line(`${n}`, ["2026-01-01", 1]));
    const folder = written({ corner: lines.join("") });

    const sample = readShop(folder, "corner", 3);

    expect(sample.products.map(({ id }) => id)).toEqual(["3", "6", "9"]);
    expect(sample.inFile).toBe(10);
    expect(readShop(folder, "corner", 11).products).toHaveLength(10);
  });

  it("are sampled with exactly the requested number of products", () => {
    const lines = Array.from({ length: 22 }, (_, n) => line(`${n}`, ["2026-01-01", 1]));
    const folder = written({ corner: lines.join("") });

    expect(readShop(folder, "corner", 15).products).toHaveLength(15);
  });

  it("are refused if a product has no prices", () => {
    const folder = written({ corner: line("1") });

    expect(() => readShop(folder, "corner")).toThrow("Invalid length");
  });

  it("are found in their folder by their file extension", () => {
    expect(shopsIn(written({ south: line("1"), north: line("1") }))).toEqual(["north", "south"]);
    expect(() => shopsIn(written({}))).toThrow("must contain files that end in .jsonl.gz");
  });
});
