import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import { quartersPerCredit } from "../credits/charge.ts";
import { type Platform, parsePlatform, productTiers, type Shop } from "../platforms/catalog.ts";
import { endpointNames } from "../platforms/endpoints.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../scrapers/catalog.ts";
import { conditionFilters } from "../scrapers/offer.ts";
import { opsFor, whensFor } from "./check-route.ts";
import { presentPipeline } from "./default.ts";
import { ops } from "./definition.ts";
import { estimatedCredits } from "./estimate.ts";
import { openSet, pipelineSchema } from "./pipeline-schema.ts";
import { type Template, templates } from "./templates.ts";

/** Query of `GET /v1/watchlists/scrapers` before parsing (specification, section "Watchlists"). */
export const scrapersQuery = v.object(shopFields());

/**
 * Query schema of `GET /v1/watchlists/scrapers`. The parsed value is the platform and the
 * marketplace. The transform throws `ServiceError` for a platform or marketplace that is unknown,
 * or that is announced, but not yet available.
 */
export const scrapersRequest = v.pipe(
  scrapersQuery,
  v.transform((query) => parsePlatform(query)),
);

const fieldSchema = v.object({
  name: v.string(),
  type: openSet(["number", "boolean", "string"], "Type of the value, unless it is null."),
  tracked: v.pipe(
    v.boolean(),
    v.description(
      "True if a change of this field matches a route that has `when`: changed and no `field`.",
    ),
  ),
  whens: v.pipe(
    v.array(v.string()),
    v.description("Values of `when` that can test the field. Empty: no route can test it."),
    v.examples([["changed", "ok"]]),
  ),
  ops: v.pipe(
    v.array(v.string()),
    v.description("Values of `op` that can test the field."),
    v.examples([[...ops]]),
  ),
});

const scraperSchema = v.object({
  id: v.pipe(v.string(), v.description("The value of `scraper` in a step.")),
  name: v.string(),
  description: v.string(),
  platform: v.string(),
  tier: v.string(),
  kind: v.pipe(
    v.string(),
    v.description(
      "Kind of the scraper's readings. A reading is compared with the item's last reading of the same kind.",
    ),
    v.examples(["pulse", "product", "standard", "offers", "offer_check"]),
  ),
  credits_per_item_min: v.pipe(
    v.number(),
    v.description("Minimum price of an answer, in credits."),
  ),
  credits_per_item_max: v.pipe(
    v.number(),
    v.description(
      "Maximum price of an answer, in credits. A step reserves this price for each item.",
    ),
  ),
  fields: v.array(fieldSchema),
  conditions: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description("Values of `condition` in a step. Absent if the scraper supports none."),
    ),
  ),
});

const templateSchema = v.object({
  id: v.string(),
  name: v.string(),
  description: v.string(),
  pipeline: pipelineSchema,
  estimated_credits: v.pipe(
    v.object({ items: count, pulseRun: count, refreshRun: count, newAsins: count }),
    v.description(
      "Estimated credits for this number of items. The values mean the same as in a watchlist.",
    ),
  ),
});

/** Response 200 of `GET /v1/watchlists/scrapers`. */
export const scrapersResponse = v.object({
  object: v.literal("watchlist_scrapers"),
  platform: v.string(),
  marketplace: v.string(),
  scrapers: v.pipe(v.array(scraperSchema), v.description("Scrapers that a step can use.")),
  templates: v.pipe(
    v.array(templateSchema),
    v.description("Pipelines that can be sent as they are; the platform's default first."),
  ),
});

type ScrapersResponse = v.InferOutput<typeof scrapersResponse>;

/**
 * Builds the response of `GET /v1/watchlists/scrapers`: the scrapers that a step can use on the
 * platform, and the template pipelines with estimated credits.
 */
export const presentScrapers = ({ platform, marketplace }: Shop): ScrapersResponse => ({
  object: "watchlist_scrapers",
  platform,
  marketplace,
  scrapers: stepScraperIds
    .filter((id) => stepScrapers[id].platform === platform)
    .map(presentScraper),
  templates: templates(platform).map(presentTemplate),
});

const descriptions: Readonly<Record<StepScraperId, string>> = {
  "retailer_a.pulse": "Number of new offers and the lowest new price: the cheap scan.",
  "retailer_a.lite": "Price, buy box, offer counts, delivery and rating.",
  "retailer_a.full": "What lite reads, with description, attributes and images in the response.",
  "retailer_a.offers": "Every offer of a listing: how many there are, the cheapest, the buy box.",
  "retailer_a.offer_check":
    "Whether the offer in the buy box can be bought. A product or offers step finds it earlier in " +
    "the run; items without a known offer are skipped.",
  "retailer_b.standard": "Price, stock, seller and clearance.",
  "retailer_c.standard": "Price, stock, shipping and pickup.",
  "retailer_d.standard": "Price, stock and whether it can be bought.",
};

function presentScraper(id: StepScraperId): ScrapersResponse["scrapers"][number] {
  const entry = stepScrapers[id];
  return {
    id,
    name: nameOf(entry.platform, id),
    description: descriptions[id],
    platform: entry.platform,
    tier: entry.tier,
    kind: entry.kind,
    credits_per_item_min: entry.leastQuarters / quartersPerCredit,
    credits_per_item_max: entry.reserveQuarters / quartersPerCredit,
    fields: Object.entries(entry.fieldTypes).map(([name, type]) => {
      const whens = whensFor(id, name);
      return {
        name,
        type,
        tracked: entry.trackedFields.includes(name),
        whens: [...whens],
        ops: [...opsFor(type, whens)],
      };
    }),
    ...(entry.kind === "offers" && { conditions: [...conditionFilters] }),
  };
}

function nameOf(platform: Platform, id: StepScraperId): string {
  const { endpoint, tier } = stepScrapers[id];
  const product = productTiers(platform).find((one) => one.id === tier);
  return product?.name ?? endpointNames[endpoint];
}

/**
 * Number of items that the estimates of templates assume. With so many items, rounding to whole
 * credits has little effect.
 */
const estimatedItems = 1_000;

const presentTemplate = ({
  pipeline,
  ...about
}: Template): ScrapersResponse["templates"][number] => ({
  ...about,
  pipeline: presentPipeline(pipeline),
  estimated_credits: {
    items: estimatedItems,
    ...estimatedCredits(pipeline, { new: estimatedItems, active: 0, delisted: 0 }),
  },
});
