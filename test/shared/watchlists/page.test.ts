import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import {
  compareIds,
  countItems,
  decodeItems,
  encodeItems,
  paginate,
} from "../../../shared/watchlists/page.ts";

const at = "2026-03-01T00:00:00.000Z";
const items = (count: number): ReturnType<typeof newItem>[] =>
  Array.from({ length: count }, (_, n) => newItem(String(1_000_000 + n), at)).sort((a, b) =>
    compareIds(a.id, b.id),
  );

describe("pages", () => {
  it("hold every item once, in order, none over the bound, each from its lowest id on", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_500 }), (count) => {
        const all = items(count);
        const pages = paginate(all);
        expect(pages.flatMap((page) => page.items)).toEqual(all);
        for (const [n, page] of pages.entries()) {
          expect(page.items.length).toBeLessThanOrEqual(limits.pageItemsMax);
          expect(page.lowest).toBe(n === 0 ? "" : page.items[0]?.id);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("come back from storage as they went in", () => {
    const all = items(1_000);
    expect(decodeItems(encodeItems(all))).toEqual(all);
    expect(countItems(all)).toEqual({ new: 1_000, active: 0, delisted: 0 });
  });

  it("fit a row of the table with room to spare", () => {
    expect(encodeItems(items(limits.pageItemsMax)).byteLength).toBeLessThan(100_000);
  });
});
