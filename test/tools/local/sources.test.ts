import { describe, expect, it } from "vitest";
import { stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import { parseSources } from "../../../shared/sources/registry/configuration.ts";
import { chooseSources, parseSourceChoice } from "../../../tools/local/sources.ts";

const variable = JSON.stringify({
  "retailer_d.standard": { adapter: "sandbox" },
  "retailer_a.lite": { adapter: "sandbox" },
  "retailer_a.full": { adapter: "sandbox" },
});

it("the option --source for a platform changes the sources of this platform's scrapers, and of no other platform's scrapers", () => {
  const choice = parseSourceChoice("retailer_a=upstream,http://127.0.0.1:9999/path?a=b,c");

  expect(JSON.parse(chooseSources(variable, [choice]))).toEqual({
    "retailer_d.standard": { adapter: "sandbox" },
    "retailer_a.lite": { adapter: "upstream", baseUrl: "http://127.0.0.1:9999/path?a=b,c" },
    "retailer_a.full": { adapter: "upstream", baseUrl: "http://127.0.0.1:9999/path?a=b,c" },
  });
});

it("the option --source for one scraper changes only the source of this scraper, even without a base URL", () => {
  const choice = parseSourceChoice("retailer_a.full=web");

  expect(JSON.parse(chooseSources(variable, [choice]))).toMatchObject({
    "retailer_a.lite": { adapter: "sandbox" },
    "retailer_a.full": { adapter: "web" },
  });
});

it("the option --source is refused, with the names of all scrapers, if it names neither a platform nor a scraper", () => {
  const choice = parseSourceChoice("retailer_z=web");

  expect(() => chooseSources(variable, [choice])).toThrow(/retailer_z.*retailer_d\.standard/);
});

it("the option --source for a platform changes only the scrapers that its adapter can serve", () => {
  const all = JSON.stringify({
    "retailer_d.standard": { adapter: "sandbox" },
    "retailer_d.priced": { adapter: "sandbox" },
  });
  const choice = parseSourceChoice("retailer_d=d_catalog,http://127.0.0.1:9999");
  expect(JSON.parse(chooseSources(all, [choice]))).toEqual({
    "retailer_d.standard": { adapter: "d_catalog", baseUrl: "http://127.0.0.1:9999" },
    "retailer_d.priced": { adapter: "sandbox" },
  });
  const none = parseSourceChoice("retailer_d=a_history,http://127.0.0.1:9999");
  expect(() => chooseSources(all, [none])).toThrow(/supports no scraper of a platform/);
});

it("the option --source for an adapter that reads offers also changes the source of offer checks", () => {
  const sandboxes = stepScraperIds.map((id) => [id, { adapter: "sandbox" }] as const);
  const all = JSON.stringify(Object.fromEntries(sandboxes));
  const choice = "retailer_a=a_history,http://127.0.0.1:9999,secret=env:KEY";
  const chosen = chooseSources(all, [parseSourceChoice(choice)], { KEY: "x" });
  const sources = parseSources(chosen, { allowVariables: true });
  expect(sources["retailer_a.offers"].adapter).toBe("a_history");
  expect(sources["retailer_a.offer_check"].adapter).toBe("a_history");
});

it.each([undefined, ""])(
  "the option --source is refused if the environment variable of the secret is %j",
  (KEY) => {
    const all = JSON.stringify({ "retailer_d.standard": { adapter: "sandbox" } });
    const choice = parseSourceChoice("retailer_d=d_catalog,http://127.0.0.1:9999,secret=env:KEY");
    expect(() => chooseSources(all, [choice], { KEY })).toThrow(
      "--source retailer_d=d_catalog: secret refers to the environment variable KEY, which is empty " +
        "or not set",
    );
  },
);

it("the option --source accepts options of its adapter, with or without a base URL", () => {
  expect(
    parseSourceChoice("retailer_d=d_catalog,http://127.0.0.1:9999,secret=env:KEY,callsPerSecond=2"),
  ).toEqual({
    target: "retailer_d",
    adapter: "d_catalog",
    baseUrl: "http://127.0.0.1:9999",
    options: { secret: "env:KEY", callsPerSecond: "2" },
  });
  expect(
    parseSourceChoice(
      "retailer_c=web,urlTemplate=http://127.0.0.1:9/p?a=1&id={id},userAgent=a (b)",
    ),
  ).toMatchObject({
    baseUrl: undefined,
    options: { urlTemplate: "http://127.0.0.1:9/p?a=1&id={id}", userAgent: "a (b)" },
  });
});

describe("the adapter options in the option --source", () => {
  const all = JSON.stringify(
    Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }])),
  );
  const chosen = (choice: string) => {
    const text = chooseSources(all, [parseSourceChoice(choice)], { KEY: "x" });
    return parseSources(text, { allowVariables: true });
  };
  const affiliate =
    "retailer_b=b_affiliate,http://127.0.0.1:9999,consumerId=1.10,keyVersion=2,privateKey=env:KEY";

  it("are read as text if the adapter expects text, even if they look like numbers", () => {
    expect(
      chosen(`${affiliate},zipCode=02139,publisherId=12345678901234567890,retailerName=true`)[
        "retailer_b.standard"
      ],
    ).toMatchObject({
      consumerId: "1.10",
      keyVersion: "2",
      zipCode: "02139",
      publisherId: "12345678901234567890",
      retailerName: "true",
    });
    expect(chosen("retailer_d=sandbox,seed=1")["retailer_d.standard"]).toEqual({
      adapter: "sandbox",
      seed: "1",
    });
  });

  it("are read as numbers or booleans if the adapter expects these types", () => {
    const web = "urlTemplate=http://127.0.0.1:9/{id},userAgent=a-bot/1.0 (+https://a.example/b)";
    expect(
      chosen(`retailer_c=web,${web},callsPerSecond=0.50,burst=3,notFoundStatus=true`)[
        "retailer_c.standard"
      ],
    ).toMatchObject({ callsPerSecond: 0.5, burst: 3, notFoundStatus: true });
  });

  it.each([
    ["burst=many", "burst: must be a number of calls"],
    ["burst=0", "burst: must be from 1 to 1000 calls"],
    ["zipcode=02139", "not an option of the adapter b_affiliate"],
  ])("are refused with the name of the invalid option (the options: %s)", (option, message) => {
    expect(() => chosen(`${affiliate},${option}`)).toThrow(message);
  });
});

it("the error for a refused option --source repeats no part of the option's value after the adapter", () => {
  expect(() => parseSourceChoice("retailer_d=d_catalog,canary-7")).toThrow(/^(?!.*canary)/);
});

it.each(["retailer_d", "retailer_d=", "=web", "retailer_d=web,not a url"])(
  'the option --source is refused if its value is "%s"',
  (text) => {
    expect(() => parseSourceChoice(text)).toThrow(
      "must have the form <platform or scraper>=<adapter>",
    );
  },
);
