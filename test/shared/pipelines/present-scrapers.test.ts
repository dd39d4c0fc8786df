import { getExamples, parse } from "valibot";
import { describe, expect, it } from "vitest";
import { defaultPipeline, presentPipeline } from "../../../shared/pipelines/default.ts";
import { parsePipeline } from "../../../shared/pipelines/parse.ts";
import {
  presentScrapers,
  scrapersRequest,
  scrapersResponse,
} from "../../../shared/pipelines/present-scrapers.ts";
import { templates } from "../../../shared/pipelines/templates.ts";
import { type Platform, platforms } from "../../../shared/platforms/catalog.ts";

const names = Object.keys(platforms) as Platform[];
const shopOf = (
  platform: Platform,
): { readonly platform: Platform; readonly marketplace: string } => ({
  platform,
  marketplace: "us",
});
const all = names.flatMap((platform) =>
  templates(platform).map((template) => ({ platform, template, name: template.id })),
);

describe("the list of a platform's scrapers", () => {
  it.each(names)("matches the response schema of its operation for the platform %s", (platform) => {
    const answer = presentScrapers(shopOf(platform));
    expect(parse(scrapersResponse, answer)).toEqual(answer);
    expect(answer).toMatchObject({ object: "watchlist_scrapers", platform, marketplace: "us" });
    expect(answer.scrapers.every((scraper) => scraper.platform === platform)).toBe(true);
  });

  it.each([
    { id: "retailer_a.pulse", name: "Pulse", min: 0.25, max: 0.25 },
    { id: "retailer_a.lite", name: "Lite", min: 1, max: 1 },
    { id: "retailer_a.full", name: "Full", min: 5, max: 5 },
    { id: "retailer_a.offers", name: "Offers", min: 1, max: 3 },
    { id: "retailer_a.offer_check", name: "Offer check", min: 0.5, max: 0.5 },
    { id: "retailer_b.standard", name: "Standard", min: 1, max: 1 },
    { id: "retailer_c.standard", name: "Standard", min: 1, max: 1 },
    { id: "retailer_d.standard", name: "Standard", min: 1, max: 1 },
  ])(
    "includes the scraper $id with the name $name, the minimum price $min and the maximum price $max",
    ({ id, name, min, max }) => {
      const listed = names.flatMap((platform) => presentScrapers(shopOf(platform)).scrapers);
      expect(listed.find((scraper) => scraper.id === id)).toMatchObject({
        name,
        credits_per_item_min: min,
        credits_per_item_max: max,
      });
    },
  );

  it("contains for each field the values of 'when' and 'op' that can test the field", () => {
    const { scrapers } = presentScrapers(shopOf("retailer_a"));
    const fields = scrapers.flatMap(({ id, fields: own }) =>
      own.map((field) => [`${id}.${field.name}`, field] as const),
    );
    expect(Object.fromEntries(fields)).toMatchObject({
      "retailer_a.pulse.newMinPrice": {
        type: "number",
        tracked: true,
        whens: ["changed", "ok"],
        ops: ["increased", "decreased", "below", "above", "is", "is_not"],
      },
      "retailer_a.pulse.buyboxAboveLowest": {
        type: "boolean",
        tracked: false,
        whens: ["ok"],
        ops: ["is", "is_not"],
      },
      "retailer_a.lite.lowest30d": {
        type: "number",
        tracked: false,
        whens: ["ok"],
        ops: ["below", "above", "is", "is_not"],
      },
      "retailer_a.lite.rating": { type: "number", tracked: false, whens: ["changed", "ok"] },
    });
    const [standard] = presentScrapers(shopOf("retailer_b")).scrapers;
    expect(standard?.fields).toContainEqual({
      name: "offerId",
      type: "string",
      tracked: true,
      whens: [],
      ops: [],
    });
  });

  it("has a schema with an example of each kind of field, type, 'when' and 'op'", () => {
    const listed = names.flatMap((platform) => presentScrapers(shopOf(platform)).scrapers);
    const fields = listed.flatMap((scraper) => scraper.fields);
    const schema = scrapersResponse.entries.scrapers.item.entries;
    const { type, whens, ops } = schema.fields.item.entries;
    expect(new Set(getExamples(schema.kind))).toEqual(new Set(listed.map(({ kind }) => kind)));
    expect(new Set(getExamples(type))).toEqual(new Set(fields.map((field) => field.type)));
    expect(fields.map((field) => field.whens)).toContainEqual(getExamples(whens)[0]);
    expect(getExamples(ops)).toEqual([
      ["increased", "decreased", "below", "above", "is", "is_not"],
    ]);
  });

  it("contains condition filters only for the scraper retailer_a.offers", () => {
    const { scrapers } = presentScrapers(shopOf("retailer_a"));
    const listed = scrapers.flatMap(({ id, conditions }) =>
      conditions === undefined ? [] : [[id, conditions]],
    );
    expect(listed).toEqual([["retailer_a.offers", ["all", "new", "used"]]]);
  });

  it.each(names)(
    "contains for each field of the platform %s exactly the tests that the pipeline parser accepts",
    (platform) => {
      for (const { id, fields } of presentScrapers(shopOf(platform)).scrapers) {
        for (const { name, type, whens, ops } of fields) {
          for (const when of ["changed", "ok"]) {
            for (const op of ["increased", "decreased", "below", "above", "is", "is_not"]) {
              const takesValue = !["increased", "decreased"].includes(op);
              const value = { number: 1, boolean: true, string: "x" }[type];
              const route = { when, field: name, op, ...(takesValue && { value }), notify: true };
              const isListed =
                whens.includes(when) && ops.includes(op) && (takesValue || when === "changed");
              expect(accepts(platform, id, route), `${id} ${JSON.stringify(route)}`).toBe(isListed);
            }
          }
        }
      }
    },
  );
});

function accepts(platform: Platform, scraper: string, route: object): boolean {
  const before =
    scraper === "retailer_a.offer_check"
      ? [{ id: "find", scraper: "retailer_a.lite", routes: [{ when: "ok", run: "a" }] }]
      : [];
  const steps = [...before, { id: "a", scraper, routes: [route] }];
  try {
    parsePipeline({ steps }, shopOf(platform));
    return true;
  } catch {
    return false;
  }
}

describe("the platform of a query for scrapers", () => {
  it("is retailer_a in its default marketplace if the query has no parameters", () => {
    expect(parse(scrapersRequest, {})).toEqual({ platform: "retailer_a", marketplace: "us" });
  });

  it("is the platform in the query, and is refused if this platform is unknown or not live", () => {
    const query = { platform: "retailer_d", marketplace: "us" };
    expect(parse(scrapersRequest, query)).toEqual(query);
    expect(() => parse(scrapersRequest, { platform: "retailer_x" })).toThrow(
      "'platform' must be one of",
    );
    expect(() => parse(scrapersRequest, { ...query, marketplace: "ca" })).toThrow("not available");
  });
});

describe("the pipeline template", () => {
  it.each(all)(
    "'$name' of the platform $platform is accepted when a client sends it",
    ({ platform, template }) => {
      const wire: unknown = JSON.parse(JSON.stringify(presentPipeline(template.pipeline)));
      expect(parsePipeline(wire, shopOf(platform))).toEqual(template.pipeline);
    },
  );

  it.each(all)("'$name' of the platform $platform has a route that notifies", ({ template }) => {
    const routes = template.pipeline.steps.flatMap((step) => step.routes);
    expect(routes.some(({ notify }) => notify)).toBe(true);
  });

  it.each(names)(
    "that the platform %s lists first is the default pipeline, and all template IDs are unique",
    (platform) => {
      const ids = templates(platform).map(({ id }) => id);
      expect(templates(platform)[0]).toMatchObject({
        id: "default",
        pipeline: defaultPipeline(platform, 8),
      });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(5);
    },
  );

  it("contains the estimated credits for 1,000 items", () => {
    const { templates: listed } = presentScrapers(shopOf("retailer_a"));
    const costs = Object.fromEntries(listed.map(({ id, estimated_credits: cost }) => [id, cost]));
    expect(costs).toMatchObject({
      default: { items: 1_000, pulseRun: 250, refreshRun: 1_000, newAsins: 5_000 },
      price_drops: { items: 1_000, pulseRun: 250, refreshRun: 1_000, newAsins: 1_000 },
      buyable_watch: { items: 1_000, pulseRun: 1_500, refreshRun: 1_500, newAsins: 1_500 },
      new_offers: { items: 1_000, pulseRun: 250, refreshRun: 250, newAsins: 250 },
      full_daily: { items: 1_000, pulseRun: 5_000, refreshRun: 5_000, newAsins: 5_000 },
    });
  });
});
