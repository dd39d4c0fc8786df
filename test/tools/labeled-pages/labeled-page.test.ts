import { describe, expect, it } from "vitest";
import {
  foldsBySite,
  type LabeledPage,
  siteOf,
} from "../../../tools/labeled-pages/labeled-page.ts";

const pageOf = (address: string): LabeledPage => ({
  url: new URL(address),
  id: "1",
  html: "",
  prices: [],
  availability: undefined,
});

describe("the site of a labeled page", () => {
  it.each([
    ["https://www.shop.com/p", "shop"],
    ["https://www.shop.co.uk/p", "shop"],
    ["https://de.shop.example/p", "shop"],
    ["https://shop.ie/p", "shop"],
  ])('of the address %s is the name "%s"', (address, site) => {
    expect(siteOf(new URL(address))).toBe(site);
  });
});

describe("the folds of labeled pages", () => {
  const pages = ["a.com", "a.de", "b.com", "c.com", "d.com", "d.com"].map((host) =>
    pageOf(`https://www.shop-${host}/p`),
  );

  it("contain every page once, and all pages of a site together", () => {
    const folds = foldsBySite(pages, 3);
    expect(folds.flat()).toHaveLength(pages.length);
    for (const site of new Set(pages.map(({ url }) => siteOf(url)))) {
      const holders = folds.filter((fold) => fold.some(({ url }) => siteOf(url) === site));
      expect(holders).toHaveLength(1);
    }
  });
});
