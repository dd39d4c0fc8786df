import { describe, expect, it } from "vitest";
import { stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import { checkedSources } from "../../../../shared/sources/registry/check-rules.ts";
import { parseSources } from "../../../../shared/sources/registry/configuration.ts";
import { scraperFor } from "../../../../shared/sources/registry/scraper-sources.ts";
import { aSourceWorld } from "../../../support/source-dependencies.ts";

const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const pagesWith = (rule: string): string =>
  JSON.stringify({
    ...sandboxes,
    "retailer_b.standard": {
      adapter: "web",
      urlTemplate: "https://shop.example/p/{id}",
      userAgent: "reader/1.0 (+https://reader.example)",
      extract: { title: ["h1"], price: [".now", rule] },
    },
  });

describe("the extraction rules that the deployer configures", () => {
  it.each([
    ["= 5", "must not be a constant: every item would have this price"],
    [".a[", "must have a valid CSS selector"],
  ])(
    "are checked before a deployment, which the invalid price rule '%s' prevents",
    (rule, mistake) => {
      expect(() => checkedSources(pagesWith(rule))).toThrow(
        `SOURCES: retailer_b.standard.extract.price.1: ${mistake}`,
      );
    },
  );

  it("are accepted before a deployment if they are valid", () => {
    expect(checkedSources(pagesWith(".price"))).toEqual(parseSources(pagesWith(".price")));
  });

  it("cause an error at a function's first read if the rules are invalid and were not checked", async () => {
    const scraper = scraperFor(
      parseSources(pagesWith("= 5")),
      aSourceWorld(),
    )("retailer_b.standard");
    const request = {
      scraper: "retailer_b.standard",
      marketplace: "us",
      ids: ["1"],
      deadline: new Date(),
    } as const;
    await expect(scraper.read(request)).rejects.toThrow(
      "SOURCES: retailer_b.standard.extract.price.1: must not be a constant",
    );
  });
});
