import { describe, expect, it } from "vitest";
import { largeLists } from "../../../scripts/demo/lists.ts";
import { categoryOf, idsOfCategories } from "../../../tools/past/items-by-category.ts";

describe("the large watchlists of a demo workspace", () => {
  it.each(largeLists())(
    "contain only items of the categories in the watchlist's name (“$name”)",
    (list) => {
      const categories = new Set(list.ids.map((id) => categoryOf(list.platform, id)));
      expect(categories.size).toBeGreaterThan(0);
      for (const category of categories) {
        expect(list.name.toLowerCase()).toContain(category.toLowerCase());
      }
      expect(new Set(list.ids).size).toBe(list.ids.length);
    },
  );

  it("cannot be made of a category that the sandbox does not have", () => {
    const toys = {
      platform: "retailer_b",
      categories: ["Toys"],
      first: 20_450_118,
      count: 1,
    } as const;
    expect(() => idsOfCategories(toys)).toThrow(/too few items of Toys/);
  });
});
