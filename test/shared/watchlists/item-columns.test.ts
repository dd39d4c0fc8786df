import { describe, expect, it } from "vitest";
import { currentSnapshot, type Item, newItem } from "../../../shared/watchlists/item.ts";
import {
  fromColumns,
  headsIn,
  itemsIn,
  toColumns,
  withChanged,
} from "../../../shared/watchlists/item-columns.ts";

const read: Item = {
  ...newItem("9000001", "2026-11-01T00:00:00.000Z"),
  state: "active",
  readings: { standard: { price: 98 } },
};
const withStates: Item = {
  ...read,
  id: "9000002",
  openChanges: { newMinPrice: { value: 8, notified: true } },
  routeStates: { abcdefgh: { from: { price: 100 }, until: "2026-11-01T06:00:00.000Z" } },
};

describe("watchlist items that are stored in columns", () => {
  it("keep their route states", () => {
    const stored = JSON.parse(JSON.stringify(toColumns([read, withStates]))) as ReturnType<
      typeof toColumns
    >;
    expect(fromColumns(stored)).toEqual([read, withStates]);
    expect(fromColumns(stored)[0]).not.toHaveProperty("routeStates");
  });

  it("have the same ID, state and owed retries in the decoded heads as in the full items", () => {
    const owes = [{ step: "lite", scraper: "retailer_a.lite" } as const];
    const items: Item[] = [{ ...withStates, owes }, newItem("9000003", read.addedAt)];
    expect(headsIn(toColumns(items))).toEqual(
      items.map(({ id, state, owes: owed }) => ({ id, state, owes: owed })),
    );
    expect(headsIn(toColumns([]))).toEqual([]);
  });

  it("are decoded only for the item IDs that the caller selects", () => {
    const columns = toColumns([read, withStates]);
    expect(itemsIn(columns, (id) => id === withStates.id)).toEqual([withStates]);
  });

  it("have the same columns whether only the changed items are replaced or all items are stored again", () => {
    const { routeStates: _, ...without } = withStates;
    const changed = { ...without, openChanges: {}, readings: {}, revision: 3 };
    const columns = withChanged(toColumns([read, withStates]), [changed]);
    expect(fromColumns(columns)).toEqual([read, changed]);
    expect(columns).toEqual(toColumns([read, changed]));
  });

  it("cannot be replaced by an item that is not one of the stored items", () => {
    expect(() => withChanged(toColumns([read]), [withStates])).toThrow(
      "every changed item must be in the columns",
    );
  });

  it("have the same bytes as in the previous release if no item has route states", () => {
    const { routeStates: _, ...others } = withStates;
    expect(toColumns([read, others]).fields.openChanges).toEqual([{}, others.openChanges]);
    expect(toColumns([read]).fields).not.toHaveProperty("openChanges");
  });

  it("keep their route states even after the previous release has stored the items again", () => {
    // The previous release copies the stored column to the item and stores it again unchanged.
    const openChanges = toColumns([withStates]).fields.openChanges?.[0] ?? {};
    const { routeStates: _, ...others } = withStates;
    const seenBefore: Item = { ...others, openChanges };
    expect(JSON.parse(JSON.stringify(currentSnapshot(seenBefore)))).toEqual({
      price: 98,
      newMinPrice: 8,
    });
    expect(fromColumns(toColumns([seenBefore]))).toEqual([withStates]);
  });
});
