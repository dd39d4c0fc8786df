import { expect, it } from "vitest";
import { chooseSources, parseSourceChoice } from "../../../scripts/local/sources.ts";

const variable = JSON.stringify({
  "retailer_d.standard": { adapter: "sandbox" },
  "retailer_a.lite": { adapter: "sandbox" },
  "retailer_a.full": { adapter: "sandbox" },
});

it("changes every scraper of a platform and leaves the others", () => {
  const choice = parseSourceChoice("retailer_a=upstream,http://127.0.0.1:9999/path?a=b,c");

  expect(JSON.parse(chooseSources(variable, [choice]))).toEqual({
    "retailer_d.standard": { adapter: "sandbox" },
    "retailer_a.lite": { adapter: "upstream", baseUrl: "http://127.0.0.1:9999/path?a=b,c" },
    "retailer_a.full": { adapter: "upstream", baseUrl: "http://127.0.0.1:9999/path?a=b,c" },
  });
});

it("changes one scraper, with or without a base URL", () => {
  const choice = parseSourceChoice("retailer_a.full=web");

  expect(JSON.parse(chooseSources(variable, [choice]))).toMatchObject({
    "retailer_a.lite": { adapter: "sandbox" },
    "retailer_a.full": { adapter: "web" },
  });
});

it("names the scrapers there are when it meets none", () => {
  const choice = parseSourceChoice("retailer_z=web");

  expect(() => chooseSources(variable, [choice])).toThrow(/retailer_z.*retailer_d\.standard/);
});

it.each(["retailer_d", "retailer_d=", "=web", "retailer_d=web,not a url"])("refuses %s", (text) => {
  expect(() => parseSourceChoice(text)).toThrow("is not <platform or scraper>=<adapter>");
});
