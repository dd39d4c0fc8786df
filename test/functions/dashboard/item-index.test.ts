import { describe, expect, it } from "vitest";
import { findItems, indexedItem } from "../../../functions/dashboard/browser/shell/item-index.ts";

const item = (id: string, names: { readonly label?: string; readonly title?: string } = {}) =>
  indexedItem({
    id,
    object: "found_item",
    watchlist_id: "wl_1",
    watchlist_name: "Kitchen",
    platform: "retailer_d",
    label: names.label ?? null,
    title: names.title ?? null,
  });

const items = [
  item("9000001", { title: "Model 12345 Kettle" }),
  item("9000002", { label: "Office", title: "Blue kettle" }),
  item("1234500"),
  item("B0SANDBOX1"),
];
const idsFor = (search: string, max = 20): readonly string[] =>
  findItems(items, search, max).map(({ id }) => id);

describe("the index of items that the dashboard searches", () => {
  it("returns first the items whose ID begins with the search text, then the items with the words in their title", () => {
    expect(idsFor("12345")).toEqual(["1234500", "9000001"]);
    expect(idsFor("a-12345")).toEqual(["1234500", "9000001"]);
    expect(idsFor("b0sand")).toEqual(["B0SANDBOX1"]);
  });

  it("finds items that have all words in their ID, label or title, in upper or lower case", () => {
    expect(idsFor("KETTLE office")).toEqual(["9000002"]);
    expect(idsFor(" blue  kettle ")).toEqual(["9000002"]);
    expect(idsFor("green kettle")).toEqual([]);
  });

  it("returns at most the given number of items, with items found by ID first", () => {
    expect(idsFor("kettle", 1)).toEqual(["9000001"]);
    expect(idsFor("12345", 1)).toEqual(["1234500"]);
  });

  it("shows the label of an item, or its title without a label, or its ID without a title", () => {
    expect(items.map(({ name }) => name)).toEqual([
      "Model 12345 Kettle",
      "Office",
      "1234500",
      "B0SANDBOX1",
    ]);
  });
});
