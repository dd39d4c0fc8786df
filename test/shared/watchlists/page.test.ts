import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import { conditionFilters } from "../../../shared/scrapers/offer.ts";
import {
  currentSnapshot,
  type Item,
  knownValue,
  newItem,
} from "../../../shared/watchlists/item.ts";
import { fromColumns, toColumns, withChanged } from "../../../shared/watchlists/item-columns.ts";
import { compareIds } from "../../../shared/watchlists/id-order.ts";
import { countByState } from "../../../shared/watchlists/item-counts.ts";
import {
  compress,
  decodeColumns,
  decodeItems,
  encodeItems,
} from "../../../shared/watchlists/page-codec.ts";
import {
  secondRowOfPage,
  cutPages,
  fitsSecondRow,
  maxChangedAt,
  mergeItems,
  pageBounds,
  pageOfColumns,
} from "../../../shared/watchlists/page.ts";

const at = "2026-03-01T00:00:00.000Z";
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => newItem(String(1_000_000 + n), at)).sort((a, b) =>
    compareIds(a.id, b.id),
  );

const time = fc.date({ min: new Date(0), noInvalidDate: true }).map((date) => date.toISOString());
const value = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const reading = fc.dictionary(fc.string(), value, { maxKeys: 4, noNullPrototype: true });
const anItem: fc.Arbitrary<Item> = fc.record({
  id: fc.stringMatching(/^[A-Z0-9]{5,10}$/),
  state: fc.constantFrom("new", "active", "delisted"),
  addedAt: time,
  firstReadAt: fc.option(time),
  lastReadStatus: fc.option(fc.constantFrom("ok", "partial", "unavailable")),
  consecutiveFailures: fc.nat(9),
  readings: fc.record(
    { pulse: reading, product: reading },
    { requiredKeys: [], noNullPrototype: true },
  ),
  openChanges: fc.dictionary(
    fc.constantFrom("newCount", "newMinPrice", "buyboxPrice"),
    fc.record({ value, notified: fc.boolean() }),
    { noNullPrototype: true },
  ),
  snapshotAt: fc.option(time),
  lastChange: fc.option(
    fc.record({
      changedAt: time,
      runId: fc.string(),
      runNumber: fc.nat(),
      step: fc.string(),
      scraper: fc.constant("retailer_a.lite"),
      changes: fc.constant({ price: { before: null, after: 0 } }),
    }),
  ),
  delistedAt: fc.option(time),
  buyboxOfferId: fc.option(fc.string()),
  owes: fc.array(
    fc.record(
      {
        step: fc.string(),
        scraper: fc.constantFrom(...stepScraperIds),
        condition: fc.constantFrom(...conditionFilters),
      },
      { requiredKeys: ["step"] },
    ),
    { maxLength: 2 },
  ),
  revision: fc.nat(),
});

describe("the stored pages of a watchlist", () => {
  it("contain every item once in order, respect their bounds, and cover all IDs without a gap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 600 }),
        (count, itemsMax, bytesMax) => {
          const all = items(count);
          const pages = cutPages({ lowest: "1", upper: "2" }, all, { itemsMax, bytesMax });
          expect(pages.flatMap((page) => decodeItems(page.encoded))).toEqual(all);
          for (const [n, page] of pages.entries()) {
            const held = decodeItems(page.encoded);
            expect(page.lowest).toBe(n === 0 ? "1" : held[0]?.id);
            expect(page.upper).toBe(pages[n + 1]?.lowest ?? "2");
            expect(held.length).toBeLessThanOrEqual(itemsMax);
            if (held.length > 1) expect(page.encoded.byteLength).toBeLessThanOrEqual(bytesMax);
            expect(page.counts).toEqual(countByState(held));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ["fit into one page of exactly", 0, 1],
    ["do not fit into one page of one byte less than", 1, 2],
  ])(
    "respect the size limit to the byte: two items %s the size in bytes of these items",
    (_what, less, count) => {
      const some = items(2);
      const bytesMax = encodeItems(some).byteLength - less;
      const pages = cutPages({ lowest: "1", upper: "2" }, some, { itemsMax: 60, bytesMax });
      expect(pages).toHaveLength(count);
    },
  );

  it("are as few as their bounds allow: 50 pages for 50,000 new items", () => {
    const pages = cutPages({ lowest: "", upper: null }, items(50_000), pageBounds);
    expect(pages).toHaveLength(50);
    expect(Math.max(...pages.map((page) => page.encoded.byteLength))).toBeLessThan(20_000);
  });

  it("contain the same items after encoding and decoding", () => {
    fc.assert(
      fc.property(fc.array(anItem, { maxLength: 5 }), (some) => {
        // Replaces negative zero by zero, because JSON cannot represent negative zero.
        const stored = JSON.parse(JSON.stringify(some)) as Item[];
        expect(decodeItems(encodeItems(stored))).toEqual(stored);
      }),
    );
  });

  it("contain the same items even if only the changed items are encoded again", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(anItem, fc.option(anItem)), {
          maxLength: 6,
          selector: ([{ id }]) => id,
        }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 100, max: 1_000 }),
        (drawn, itemsMax, bytesMax) => {
          // Replaces negative zero by zero, because JSON cannot represent negative zero.
          const stored = JSON.parse(JSON.stringify(drawn)) as typeof drawn;
          stored.sort(([a], [b]) => compareIds(a.id, b.id));
          const before = stored.map(([item]) => item);
          const changed = stored.flatMap(([{ id }, after]) => (after ? [{ ...after, id }] : []));
          const byId = new Map(changed.map((item) => [item.id, item]));
          const after = before.map((item) => byId.get(item.id) ?? item);
          const columns = withChanged(decodeColumns(encodeItems(before)), changed);
          expect(fromColumns(columns)).toEqual(after);
          const range = { lowest: "", upper: null };
          const encoded = compress(columns);
          const page = pageOfColumns(range, columns, { itemsMax, bytesMax });
          const isTooLarge = after.length > itemsMax || encoded.byteLength > bytesMax;
          const [counts, maxAt] = [countByState(after), maxChangedAt(after)];
          const expected = { ...range, counts, maxChangedAt: maxAt, encoded };
          expect(page).toEqual(isTooLarge ? undefined : expected);
        },
      ),
    );
  });

  it("need less than 10 bytes for a new item", () => {
    const some = items(1_000);
    expect(encodeItems(some).byteLength).toBeLessThan(10_000);
    expect(countByState(some)).toEqual({ new: 1_000, active: 0, delisted: 0 });
  });

  it("contain the time of the latest change or delisting of their items", () => {
    const [one, two, three] = items(3) as [Item, Item, Item];
    const lastChange = { changedAt: "2026-03-02T00:00:00.000Z" } as Item["lastChange"];
    expect(maxChangedAt([one, two])).toBeNull();
    expect(maxChangedAt([one, { ...two, lastChange }])).toBe("2026-03-02T00:00:00.000Z");
    const delistedAt = "2026-03-03T00:00:00.000Z";
    expect(maxChangedAt([{ ...three, lastChange, delistedAt }, two])).toBe(delistedAt);
  });
});

describe("the changed items of a page", () => {
  const all = items(4);
  const [first, second, third] = all as [Item, Item, Item];
  const moved = (item: Item, revision: number): Item => ({ ...item, revision });
  const earlier = [moved(second, 3)];
  const page = {
    counts: countByState(all),
    bytes: 100,
    secondRow: { items: earlier, pageVersion: 1 },
  };
  const changeOf = (changed: readonly Item[]) => ({
    changed,
    columns: withChanged(withChanged(toColumns(all), earlier), changed),
  });
  const unbounded = { secondRowShareMax: 100, secondRowBytesMin: 0 };

  it("contain the items that changed before and those that change now", () => {
    const changed = [moved(first, 4), moved(third, 4)];

    const stored = secondRowOfPage(page, changeOf(changed), unbounded);

    expect(decodeItems(stored?.encoded ?? new Uint8Array())).toEqual([
      moved(first, 4),
      moved(second, 3),
      moved(third, 4),
    ]);
    expect(stored?.maxChangedAt).toBeNull();
    expect(stored?.pageVersion).toBe(1);
  });

  it("contain the time of the latest change of all items of the page", () => {
    const delistedAt = "2026-03-02T00:00:00.000Z";
    const changed = [{ ...first, delistedAt }];

    expect(secondRowOfPage(page, changeOf(changed), unbounded)?.maxChangedAt).toBe(delistedAt);
  });

  it("are not stored apart if the page has no row for them", () => {
    const changed = [moved(first, 4)];

    expect(
      secondRowOfPage({ ...page, secondRow: null }, changeOf(changed), unbounded),
    ).toBeUndefined();
  });

  it.each([
    ["new", { ...first, state: "active" }, { new: 4, active: 0, delisted: 0 }],
    ["active", { ...first, state: "delisted" }, { new: 3, active: 1, delisted: 0 }],
    ["delisted", { ...first, state: "active" }, { new: 3, active: 0, delisted: 1 }],
  ] as const)("are not stored apart if the number of %s items changes", (_, item, counts) => {
    expect(secondRowOfPage({ ...page, counts }, changeOf([item]), unbounded)).toBeUndefined();
  });

  it("are not stored apart if they exceed their share of the page and the minimum", () => {
    const change = changeOf([moved(first, 4)]);
    const bytes = secondRowOfPage(page, change, unbounded)?.encoded.byteLength ?? 0;
    const secondRowShareMax = 0.5;
    const stored = (pageBytes: number, secondRowBytesMin: number) =>
      secondRowOfPage({ ...page, bytes: pageBytes }, change, {
        secondRowShareMax,
        secondRowBytesMin,
      });

    expect(stored(2 * bytes, 0)).toBeDefined();
    expect(stored(2 * bytes - 1, 0)).toBeUndefined();
    expect(stored(2 * bytes - 1, bytes)).toBeDefined();
    expect(stored(2 * bytes - 1, bytes - 1)).toBeUndefined();
  });

  it("fit into a second row if they alone do not exceed it", () => {
    const changed = [moved(first, 4)];
    const bounds = { secondRowShareMax: 0.5, secondRowBytesMin: 0 };
    const bytes = 2 * encodeItems(changed).byteLength;

    expect(fitsSecondRow({ bytes }, changed, bounds)).toBe(true);
    expect(fitsSecondRow({ bytes: bytes - 1 }, changed, bounds)).toBe(false);
  });

  it("replace older items with the same ID, in the order of the IDs", () => {
    const merged = mergeItems(
      [moved(second, 1), moved(third, 1)],
      [moved(first, 2), moved(third, 2)],
    );

    expect(merged).toEqual([moved(first, 2), moved(second, 1), moved(third, 2)]);
  });
});

describe("the snapshot of a watchlist item", () => {
  it("is null before the first read, and prefers a pulse read to a product read", () => {
    expect(currentSnapshot({ readings: {}, openChanges: {} })).toBeNull();
    expect(
      currentSnapshot({
        readings: { pulse: { newCount: 3 }, product: { newCount: 2, price: 5 } },
        openChanges: {},
      }),
    ).toEqual({ newCount: 3, price: 5 });
  });

  it("has the value of a field's open change, even if a reading has another value", () => {
    const item = {
      readings: { pulse: { newCount: 3, newMinPrice: 9 }, product: { newCount: 2, price: 5 } },
      openChanges: { newCount: { value: 2, notified: false } },
    };
    expect(currentSnapshot(item)).toEqual({ newCount: 2, newMinPrice: 9, price: 5 });
    expect(knownValue(item, "newCount", "pulse")).toBe(2);
    expect(knownValue(item, "newMinPrice", "product")).toBe(9);
    expect(knownValue(item, "price", "product")).toBe(5);
    expect(knownValue(item, "usedCount", "product")).toBeUndefined();
  });
});

describe("the latest change of a page", () => {
  const earlier = "2026-03-01T00:00:00.000Z";
  const later = "2026-03-02T00:00:00.000Z";
  const gone = (delistedAt: string | null): Item => ({ ...newItem("10001", at), delistedAt });

  it.each([
    ["the later of two times, whichever item has it", [later, earlier, null], later],
    ["the last time if times ascend", [earlier, later], later],
    ["null if no item changed", [null], null],
  ])(
    "is computed from the changes and delistings of the page's items: %s",
    (_, times, expected) => {
      expect(maxChangedAt(times.map(gone))).toBe(expected);
    },
  );
});
