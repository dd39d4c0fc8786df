import { describe, expect, it } from "vitest";
import { itemPageRow, itemPagesOf } from "../../../../shared/aws/watchlists/page-row.ts";
import { type PageWrite, planWrite } from "../../../../shared/aws/watchlists/page-writes.ts";
import { type Item, newItem } from "../../../../shared/watchlists/item.ts";
import {
  cutPages,
  type EncodedPage,
  type PageRange,
  type StoredPage,
} from "../../../../shared/watchlists/page.ts";

const whole: PageRange = { lowest: "", upper: null };
/** Returns new items with the IDs 1000, 1001, and so on. */
const newItems = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => newItem(String(1_000 + n), "2026-02-01T00:00:00.000Z"));
const items = newItems(4);
const active = items.map((item): Item => ({ ...item, state: "active" }));

const encoded = (after: readonly Item[], itemsMax = 100): EncodedPage[] =>
  cutPages(whole, after, { itemsMax, bytesMax: 100_000 });

/** Returns the stored pages of four new items. */
const stored = (version = 1, itemsMax = 100): StoredPage[] =>
  itemPagesOf(
    encoded(items, itemsMax).map((page) =>
      itemPageRow("wl_1", page, { version, hasSecondRow: false }),
    ),
  );
const withSecondRow = stored().map((page) =>
  Object.assign(page, { version: 7, secondRow: { items: [], pageVersion: 1 } }),
);

const plan = (write: Partial<PageWrite>) =>
  planWrite({
    before: stored(),
    cut: encoded(items),
    keepsIds: true,
    watchlistItemsMax: 50_000,
    secondRows: "never",
    ...write,
  });

describe("the plan of a replacement of pages", () => {
  it("is one put if only the page's own row changes", () => {
    const cut = encoded(items);
    expect(plan({ before: stored(3), cut })).toEqual({
      kind: "put",
      page: cut[0],
      version: 4,
      seen: 3,
    });
    expect(plan({ secondRows: "with_counters" }).kind).toBe("put");
  });

  it.each<[string, Partial<PageWrite>, object]>([
    ["the page has a second row", { before: withSecondRow }, { version: 8, counters: null }],
    ["the page gets a second row", { secondRows: "always" }, { addsSecondRows: true }],
    ["the page is split", { cut: encoded(items, 2) }, { counters: null }],
    [
      "a state gets another number of items",
      { cut: encoded(active) },
      {
        addsSecondRows: false,
        counters: { growth: { new: -4, active: 4, delisted: 0 }, watchlistItemsMax: 50_000 },
      },
    ],
    [
      "IDs change and the counts stay the same",
      { keepsIds: false },
      { counters: { growth: { new: 0, active: 0, delisted: 0 }, watchlistItemsMax: 50_000 } },
    ],
    [
      "the counters change, which also adds a second row",
      { cut: encoded(active), secondRows: "with_counters" },
      { addsSecondRows: true },
    ],
  ])("is a transaction if %s", (_, write, expected) => {
    expect(plan(write)).toMatchObject({ kind: "transaction", ...expected });
  });

  it("gives the new pages a higher version than all replaced pages", () => {
    const [first] = stored(4, 2);
    const [, second] = stored(9, 2);
    if (first === undefined || second === undefined) throw new Error("There must be two pages");
    expect(plan({ before: [first, second], keepsIds: false }).version).toBe(10);
  });

  it("adds second rows only if the transaction stays below 100 writes with them", () => {
    const cutInto = (count: number) =>
      plan({ cut: encoded(newItems(count), 1), keepsIds: false, secondRows: "always" });
    expect(cutInto(48)).toMatchObject({ addsSecondRows: true });
    expect(cutInto(49)).toMatchObject({ addsSecondRows: false });
  });
});
