import { describe, expect, it } from "vitest";
import { priceForest } from "../../../shared/sources/web/visible/price-forest.ts";
import { featureNames } from "../../../shared/sources/web/visible/price-features.ts";
import type { LabeledPage } from "../../../tools/labeled-pages/labeled-page.ts";
import { samplesOf } from "../../../tools/labeled-pages/train-forest.ts";

const url = new URL("https://shop.example/kettle-123");
const page: LabeledPage = {
  url,
  id: "kettle-123",
  html:
    "<html><head><title>Kettle</title></head><body><h1>Kettle</h1>" +
    '<div class="price">$24.50</div><div class="was"><s>$31.00</s></div>' +
    '<div class="related"><span class="price">$9.99</span></div></body></html>',
  prices: [24.5],
  availability: undefined,
};

describe("the training samples of a labeled page", () => {
  it("label the correct amounts of the page, and give correct and wrong amounts the same total weight", () => {
    const samples = samplesOf(page);
    const weightOf = (isPrice: boolean): number =>
      samples.filter((one) => one.isPrice === isPrice).reduce((sum, one) => sum + one.weight, 0);
    expect(samples.length).toBeGreaterThanOrEqual(3);
    expect(samples.filter(({ isPrice }) => isPrice).length).toBeGreaterThan(0);
    expect(weightOf(true)).toBeCloseTo(1);
    expect(weightOf(false)).toBeCloseTo(1);
  });

  it("are none if the correct price of the page is unknown", () => {
    expect(samplesOf({ ...page, prices: [] })).toEqual([]);
  });
});

describe("the trained forest of the project", () => {
  it("has the features that the web adapter computes, in the same order", async () => {
    const { features } = await priceForest();
    expect(features).toEqual(featureNames);
  });
});
