import { describe, expect, it } from "vitest";
import {
  findItems,
  type IndexedItem,
  indexedItem,
  mergeItems,
} from "../../../functions/dashboard/browser/shell/item-index.ts";

interface Names {
  readonly label?: string;
  readonly title?: string;
}

const item = (id: string, { label, title }: Names = {}): IndexedItem =>
  indexedItem({
    id,
    object: "found_item",
    watchlist_id: "wl_1",
    watchlist_name: "Kitchen",
    platform: "retailer_d",
    label: label ?? null,
    title: title ?? null,
  });

const items = [
  item("9000001", { title: "Model 12345 Kettle" }),
  item("9000002", { label: "Office", title: "Blue kettle" }),
  item("1234500"),
  item("B0SANDBOX1"),
];
const idsOf = (found: { readonly items: readonly IndexedItem[] }): readonly string[] =>
  found.items.map(({ id }) => id);
const idsFor = (search: string, max = 20): readonly string[] =>
  idsOf(findItems(items, search, max));

describe("the index of items that the dashboard searches", () => {
  it("returns first the items whose ID begins with the search text, then the items with the words in their title", () => {
    expect(idsFor("12345")).toEqual(["1234500", "9000001"]);
    expect(idsFor("a-12345")).toEqual(["1234500", "9000001"]);
    expect(idsFor("b0sand")).toEqual(["B0SANDBOX1"]);
  });

  it("finds items whose ID, label or title contains all search words, in upper or lower case", () => {
    expect(idsFor("KETTLE office")).toEqual(["9000002"]);
    expect(idsFor(" blue  kettle ")).toEqual(["9000002"]);
    expect(idsFor("kettle a-12345")).toEqual(["9000001"]);
    expect(idsFor("green kettle")).toEqual([]);
  });

  it("returns at most the given number of items, with matches of the ID first, and counts all matches", () => {
    expect(findItems(items, "kettle", 1)).toEqual({ items: [items[0]], total: 2 });
    expect(findItems(items, "12345", 1)).toEqual({ items: [items[2]], total: 2 });
  });
});

describe("the dashboard's search in its index and in the API", () => {
  const known = findItems(items, "kettle", 20);

  it("adds an item that only the API returned, after the items of the index", () => {
    const added = item("9000009", { label: "New kettle" });
    const merged = mergeItems(known, { items: [added, ...known.items], total: 3 }, 20);
    expect(idsOf(merged)).toEqual(["9000001", "9000002", "9000009"]);
    expect(merged.total).toBe(3);
  });

  it("leaves out an item of the index if the API returned all of its matches without this item", () => {
    const answer = known.items.slice(1);
    expect(idsOf(mergeItems(known, { items: answer, total: 1 }, 20))).toEqual(["9000002"]);
    const cut = mergeItems(known, { items: answer, total: undefined }, 20);
    expect(idsOf(cut)).toEqual(["9000001", "9000002"]);
    expect(cut.total).toBe(2);
  });

  it("keeps an item without a label and a title, which the API finds only by the start of its ID", () => {
    const byId = findItems(items, "345", 20);
    const answer = { items: [items[0]!], total: 1 };
    expect(idsOf(mergeItems(byId, answer, 20))).toEqual(["9000001", "1234500"]);
  });

  it("shows the label that the API returned", () => {
    const renamed = item("9000002", { label: "Meeting room", title: "Blue kettle" });
    const merged = mergeItems(known, { items: [items[0]!, renamed], total: 2 }, 20);
    expect(merged.items).toEqual([items[0], renamed]);
  });

  it("shows the items of one result while the other result is pending", () => {
    expect(mergeItems(known, undefined, 20)).toEqual(known);
    expect(mergeItems(undefined, known, 20)).toEqual(known);
    expect(mergeItems(undefined, undefined, 20)).toEqual({ items: [], total: 0 });
  });
});
