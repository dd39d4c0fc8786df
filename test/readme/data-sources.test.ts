import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sandboxSources } from "../../lib/config.ts";
import { checkedSources } from "../../shared/sources/registry/check-rules.ts";
import { canServe } from "../../shared/sources/registry/configuration.ts";
import { codeBlocks } from "./code-blocks.ts";
import { pages, pageText, root } from "./pages.ts";

const page = "docs/data-sources.md";
const examples = codeBlocks(page, "json").map((code): Readonly<Record<string, string>> =>
  JSON.parse(code),
);
const scrapers = Object.keys(sandboxSources);

describe("docs/data-sources.md", () => {
  it.each(examples.map((example) => [example["adapter"] ?? "", example] as const))(
    "has an example of the adapter %s that the source configuration accepts",
    (adapter, example) => {
      const served = scrapers.filter((scraper) => canServe(adapter, scraper));
      // An offer check needs the adapter that returned the offer ID, so all scrapers that the
      // adapter can read use the example.
      const sources = {
        ...sandboxSources,
        ...Object.fromEntries(served.map((scraper) => [scraper, example])),
      };

      expect(served).not.toEqual([]);
      expect(() => checkedSources(JSON.stringify(sources))).not.toThrow();
    },
  );

  it("has an example of every adapter with required options", () => {
    expect(new Set(examples.map(({ adapter }) => adapter))).toEqual(
      new Set(["d_catalog", "b_affiliate", "a_history", "storefront", "web", "upstream"]),
    );
  });
});

describe("the brand names of vendors and retailers", () => {
  // "keepalive" and "keepachangelog" are not brands.
  const pattern =
    /walmart|best ?buy|shopify|keepa(?!live|changelog)|target\.com|rainforest|oxylabs/i;
  const folders = ["lib", "functions", "shared", "tools", "scripts"];
  const files = [
    ...pages.filter((other) => other !== page),
    ...folders.flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:ts|css|html|json|yaml)$/.test(name))
        .map((name) => `${folder}/${name}`),
    ),
  ];

  it("occur only in docs/data-sources.md", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => pattern.test(readFileSync(`${root}${file}`, "utf8")))).toEqual(
      [],
    );
    expect(pageText(page)).toMatch(pattern);
  });
});
