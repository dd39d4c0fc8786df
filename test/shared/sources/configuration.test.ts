import { describe, expect, it } from "vitest";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import { offerScraperIds, scraperIds } from "../../../shared/scrapers/catalogue.ts";
import {
  parseSources,
  scraperFor,
  type SourceConfiguration,
} from "../../../shared/sources/configuration.ts";

const secret = "canary-key-77aa";
/** Every scraper but retailer_d.standard, which the tests configure. */
const others = Object.fromEntries(
  [...scraperIds, ...offerScraperIds]
    .filter((id) => id !== "retailer_d.standard")
    .map((id) => [id, { adapter: "sandbox" }]),
);
const variableWith = (source: unknown): string =>
  JSON.stringify({ ...others, "retailer_d.standard": source });
const parse = (source: unknown): SourceConfiguration => parseSources(variableWith(source));

function refusalOf(variable: string): string {
  try {
    parseSources(variable);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It was accepted");
}
const refusal = (source: unknown): string => refusalOf(variableWith(source));

describe("SOURCES", () => {
  it("names an adapter for each scraper, options being optional", () => {
    const parsed = parse({ adapter: "sandbox" });
    expect(Object.keys(parsed).toSorted()).toEqual([...scraperIds, ...offerScraperIds].toSorted());
    for (const source of Object.values(parsed)) {
      expect(source).toEqual({ adapter: "sandbox", seed: "sandbox" });
    }
    expect(parse({ adapter: "d_catalog", baseUrl: "https://api.example" })).toMatchObject({
      "retailer_d.standard": { baseUrl: "https://api.example" },
    });
  });

  it("takes plain HTTP on this machine only", () => {
    const on = (baseUrl: string): (() => unknown) => {
      return () => parse({ adapter: "d_catalog", baseUrl });
    };
    expect(on("http://127.0.0.1:9999")).not.toThrow();
    expect(on("http://api.example")).toThrow(/baseUrl/);
    expect(on("https://user:pass@api.example")).toThrow(/baseUrl/);
    expect(on("ftp://api.example")).toThrow(/baseUrl/);
  });

  it.each([
    ["retailer_d.standard.adapter", { adapter: "magic" }],
    ["retailer_d.standard.adapter", {}],
    ["retailer_d.standard.baseUrl", { adapter: "d_catalog", apiKey: secret }],
    [
      "retailer_d.standard.apikey",
      { adapter: "d_catalog", baseUrl: "https://a.b", apikey: secret },
    ],
    ["retailer_d.standard.apiKey", { adapter: "d_catalog", baseUrl: "https://a.b", apiKey: 7 }],
    [
      "retailer_d.standard.callsAtOnceMax",
      { adapter: "d_catalog", baseUrl: "https://a.b", callsAtOnceMax: 0 },
    ],
    ["retailer_d.standard.seed", { adapter: "sandbox", seed: 4 }],
  ])("is refused with the key at fault: %s", (key, source) => {
    expect(refusal(source)).toMatch(`SOURCES: ${key}: `);
  });

  it("has the products API for retailer_d only", () => {
    const source = { adapter: "d_catalog", baseUrl: "https://api.example" };
    const misplaced = JSON.stringify({ ...parse(source), "retailer_b.standard": source });
    expect(refusalOf(misplaced)).toContain("retailer_b.standard.adapter");
  });

  it("is refused when a scraper is missing or unknown", () => {
    const { "retailer_a.offers": _left, ...forgotten } = parse({ adapter: "sandbox" });
    expect(refusalOf(JSON.stringify(forgotten))).toContain("retailer_a.offers");
    const unknown = { ...parse({ adapter: "sandbox" }), "retailer_z.pulse": {} };
    expect(refusalOf(JSON.stringify(unknown))).toContain("retailer_z.pulse");
  });

  it.each([
    `{"retailer_d.standard": {"adapter": "d_catalog", "apiKey": "${secret}"`,
    variableWith({ adapter: secret }),
    variableWith({ adapter: "d_catalog", baseUrl: secret }),
    variableWith(secret),
    JSON.stringify(secret),
  ])("repeats no value in what it says", (variable) => {
    expect(refusalOf(variable)).not.toContain(secret);
  });
});

describe("scraperFor", () => {
  it("makes each scraper once, so that its limits hold across reads", async () => {
    const sources = parse({ adapter: "sandbox" });
    const scraper = scraperFor(sources, { clock: systemClock, chance: systemChance });
    expect(scraper("retailer_d.standard")).toBe(scraper("retailer_d.standard"));
    const [answer] = await scraper("retailer_d.standard").read({
      scraper: "retailer_d.standard",
      marketplace: "us",
      ids: ["9000000"],
      deadline: new Date(Date.now() + 5_000),
    });
    expect(answer?.status).toBe("ok");
  });
});
