import { describe, expect, it } from "vitest";
import { parseCatalogReply } from "../../../../shared/sources/storefront/catalog-reply.ts";
import {
  type FoundItem,
  idTemplateOf,
  itemsOf,
} from "../../../../tools/sources/storefront/found-items.ts";

const variantWith = (id: string, changes: object = {}): object => ({
  id,
  title: "Lamp",
  price: { amount: 1_999, currency: "USD" },
  availability: { available: true, status: "in_stock" },
  inputs: [],
  ...changes,
});

function found(...variants: readonly object[]): FoundItem[] {
  const products = [{ id: "gid://store/Product/1", title: "Lamp", variants }];
  return itemsOf(parseCatalogReply({ ucp: {}, products })?.products ?? []);
}

describe("the items that a store's search returns", () => {
  it("have numeric IDs, and a template that converts them to the store's IDs", () => {
    const items = found(variantWith("gid://store/V/10001"), variantWith("gid://store/V/10002"));
    expect(items.map(({ id }) => id)).toEqual(["10001", "10002"]);
    expect(idTemplateOf(items)).toBe("gid://store/V/{id}");
  });

  it("keep the store's IDs if two of these IDs contain the same number", () => {
    const items = found(variantWith("A-10001"), variantWith("B-10001"));
    expect(items.map(({ id }) => id)).toEqual(["A-10001", "B-10001"]);
    expect(idTemplateOf(items)).toBeUndefined();
  });

  it.each([
    [
      "a price of a currency without decimals",
      { price: { amount: 1_999, currency: "JPY" } },
      1_999,
    ],
    ["a price by weight", { quantity_unit: { unit: "LBR", scale: 2 } }, null],
    ["a price of 0", { price: { amount: 0, currency: "USD" } }, null],
  ])("have the same price as the storefront adapter returns (%s)", (_, changes, price) => {
    expect(found(variantWith("10001", changes))[0]?.price).toBe(price);
  });

  it("have no stock value if the store reports an item as both available and out of stock", () => {
    const availability = { available: true, status: "out_of_stock" };
    expect(found(variantWith("10001", { availability }))[0]?.in_stock).toBeNull();
  });
});
