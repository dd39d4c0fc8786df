/**
 * Schemas of the contract between the service and an upstream server. The documentation, the
 * conformance check and the adapter use the same schemas.
 */
import * as v from "valibot";
import {
  type ProductScraperId,
  type StepScraperId,
  type ScraperEntry,
  scrapers,
  stepScraperIds,
} from "../../scrapers/catalog.ts";
import { conditionFilters, offerSchema } from "../../scrapers/offer.ts";
import {
  productFieldNames,
  productFieldSchemas,
  retailerAObject,
} from "../../scrapers/product-fields.ts";

const describe = <Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
): v.SchemaWithPipe<readonly [Schema, v.DescriptionAction<v.InferOutput<Schema>, string>]> =>
  v.pipe(schema, v.description(description));

const { newCount, newMinPrice } = retailerAObject.entries;
const {
  description: _description,
  attributes: _attributes,
  isParent: _isParent,
  ...lite
} = retailerAObject.entries;

/** The fields of `retailer_a` in each tier. */
const retailerAObjects: Readonly<Record<string, v.GenericSchema>> = {
  "retailer_a.pulse": v.object({ newCount, newMinPrice }),
  "retailer_a.lite": v.object(lite),
};

/**
 * Returns the schema of `data` in a product result. Its fields have the names that the API uses.
 */
function productData(scraper: ProductScraperId): v.ObjectSchema<v.ObjectEntries, undefined> {
  const schemas: v.ObjectEntries = productFieldSchemas;
  const { platform }: ScraperEntry = scrapers[scraper];
  const own = retailerAObjects[scraper];
  const entries: v.ObjectEntries = {};
  for (const name of productFieldNames[scraper]) {
    const schema = name === platform && own !== undefined ? v.optional(own) : schemas[name];
    if (schema !== undefined) entries[name] = schema;
  }
  return v.object(entries);
}

/** The schema of `data` in an offers result. */
const offersData = v.object({
  totalOffers: describe(
    v.pipe(v.number(), v.integer(), v.minValue(0)),
    "The number of all offers of the listing, in every condition, including the buy box and offers " +
      "that `offers` omits.",
  ),
  offers: describe(v.array(offerSchema), "Offers in every condition, in any order."),
});

/** The schema of `data` in an offer check result. */
const offerCheckData = v.object({
  buyable: describe(
    v.boolean(),
    "True if the offer can be bought. Also false if it does not exist or belongs to another item.",
  ),
});

/** The schema of `data` in a result, by scraper ID. */
export const upstreamData = {
  "retailer_a.pulse": productData("retailer_a.pulse"),
  "retailer_a.lite": productData("retailer_a.lite"),
  "retailer_a.full": productData("retailer_a.full"),
  "retailer_a.offers": offersData,
  "retailer_a.offer_check": offerCheckData,
  "retailer_b.standard": productData("retailer_b.standard"),
  "retailer_c.standard": productData("retailer_c.standard"),
  "retailer_d.standard": productData("retailer_d.standard"),
} as const satisfies Readonly<Record<StepScraperId, v.GenericSchema>>;

const requestHead = {
  marketplace: describe(v.string(), "The code of the marketplace, such as `us`."),
  deadline_ms: describe(
    v.pipe(v.number(), v.integer(), v.minValue(1)),
    "Milliseconds until the service stops waiting for the reply.",
  ),
};

/** Returns the schema of the body of a read by a scraper. */
function requestFor(scraper: StepScraperId): v.GenericSchema {
  const head = { scraper: v.literal(scraper), ...requestHead };
  if (scraper === "retailer_a.offer_check") {
    const offer = v.object({ asin: v.string(), offerListingId: v.string() });
    return v.object({ ...head, offers: v.pipe(v.array(offer), v.minLength(1)) });
  }
  const condition = describe(
    v.picklist(conditionFilters),
    "Which offers to return. The service always sends `all`.",
  );
  const ids = describe(
    v.pipe(v.array(v.string()), v.minLength(1)),
    "Item IDs in the form of the platform, each once.",
  );
  const isOffers = scraper === "retailer_a.offers";
  return isOffers ? v.object({ ...head, ids, condition }) : v.object({ ...head, ids });
}

const fetchedAt = v.optional(
  describe(
    v.pipe(v.string(), v.isoTimestamp()),
    "When the item was read. If absent, the time at which the reply arrived. If older than a day or " +
      "not a valid time, the item counts as `unavailable`.",
  ),
);

const ok = describe(v.literal("ok"), "Everything that the scraper promises was read.");
const foundStatus = describe(
  v.picklist(["ok", "partial"]),
  "`ok`: everything that the scraper promises was read. `partial`: the item exists, but a " +
    "promised field is missing.",
);
const notFound = describe(v.literal("not_found"), "The shop reports that the item does not exist.");
const unavailable = describe(
  v.literal("unavailable"),
  "The item could not be read, or it is not certain whether it exists.",
);

/** Returns the schema of a 200 reply to a read by a scraper. */
function replyFor(scraper: StepScraperId): v.GenericSchema {
  const isCheck = scraper === "retailer_a.offer_check";
  const head: v.ObjectEntries = {
    id: describe(
      v.string(),
      isCheck ? "The offer's `offerListingId`." : "The ID, as the request contained it.",
    ),
    ...(isCheck && {
      asin: describe(v.string(), "The `asin` of the offer, as the request contained it."),
    }),
    fetchedAt,
  };
  const data = upstreamData[scraper];
  const results = v.variant("status", [
    isProductScraper(scraper)
      ? v.object({ ...head, status: foundStatus, data })
      : v.object({ ...head, status: ok, data }),
    v.object({ ...head, status: notFound }),
    v.object({ ...head, status: unavailable }),
  ]);
  return v.object({ results: v.array(results) });
}

/** Returns true for a scraper of products; false for the scrapers of offers and offer checks. */
export const isProductScraper = (scraper: StepScraperId): scraper is ProductScraperId =>
  scraper in scrapers;

const byScraper = (
  make: (scraper: StepScraperId) => v.GenericSchema,
): ReadonlyMap<string, v.GenericSchema> =>
  new Map(stepScraperIds.map((scraper) => [scraper, make(scraper)]));

/** The schema of the body of `POST {baseUrl}/read`, by scraper. */
export const upstreamRequests = byScraper(requestFor);

/** The schema of the body of a 200 reply to `POST {baseUrl}/read`, by scraper. */
export const upstreamReplies = byScraper(replyFor);

/** The schema of the body of a 200 reply to `GET {baseUrl}/capabilities`. */
export const upstreamCapabilities = v.object({
  scrapers: v.array(
    v.object({
      id: describe(v.string(), "A scraper that the server supports."),
      maxBatch: describe(
        v.pipe(v.number(), v.integer(), v.minValue(1)),
        "The maximum number of IDs or offers in one call.",
      ),
      marketplaces: describe(
        v.array(v.string()),
        "The codes of the marketplaces that the server reads.",
      ),
    }),
  ),
});
