import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sandboxSources } from "../../lib/config.ts";
import { canServe, parseSources } from "../../shared/sources/registry/configuration.ts";
import { codeBlocksOf } from "./code-blocks.ts";

const pagePath = "docs/data-sources.md";
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}${pagePath}`, "utf8");
const examples = codeBlocksOf(page, "json").map((code): Readonly<Record<string, string>> =>
  JSON.parse(code),
);
const scrapers = Object.keys(sandboxSources);

describe("the page about data sources", () => {
  it.each(examples.map((example) => [example["adapter"] ?? "", example] as const))(
    "shows options of %s that a configuration takes",
    (adapter, example) => {
      const served = scrapers.filter((scraper) => canServe(adapter, scraper));
      // Offer checks need the adapter that gives the offer IDs, so an adapter gets all its scrapers.
      const sources = {
        ...sandboxSources,
        ...Object.fromEntries(served.map((scraper) => [scraper, example])),
      };

      expect(served).not.toEqual([]);
      expect(() => parseSources(JSON.stringify(sources))).not.toThrow();
    },
  );

  it("has an example of every adapter that needs options", () => {
    expect(new Set(examples.map(({ adapter }) => adapter))).toEqual(
      new Set(["d_catalog", "b_affiliate", "a_history", "web", "upstream"]),
    );
  });
});

describe("brands", () => {
  // "keepalive" is not a brand.
  const pattern = /walmart|best ?buy|keepa(?!live)|target\.com|rainforest|oxylabs/i;
  const files = ["lib", "functions", "shared", "tools", "scripts", "README.md"].flatMap((entry) =>
    entry.endsWith(".md")
      ? [entry]
      : readdirSync(`${root}${entry}`, { recursive: true, encoding: "utf8" })
          .filter((name) => /\.(?:ts|css|html|json|yaml)$/.test(name))
          .map((name) => `${entry}/${name}`),
  );

  it("are named on that page alone", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => pattern.test(readFileSync(`${root}${file}`, "utf8")))).toEqual(
      [],
    );
    expect(page).toMatch(pattern);
  });
});
