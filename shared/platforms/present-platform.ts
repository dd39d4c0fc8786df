import * as v from "valibot";
import type { Endpoint, EndpointId, Marketplace, PlatformEntry } from "./catalog.ts";
import { announcedPlatforms, isPlatform, platforms } from "./catalog.ts";
import { healthItemsMin, healthStatuses, healthStatusText } from "./health-status.ts";
import { itemIdPattern } from "./item-id.ts";

const status = v.pipe(
  v.picklist(["live", "coming_soon"]),
  v.description("Endpoints and marketplaces that are coming_soon return 501."),
);

const tierHealthSchema = v.pipe(
  v.object({
    status: v.pipe(
      v.picklist(healthStatuses),
      v.description(
        `By \`success_rate\`: ${healthStatusText} \`unknown\` if the ` +
          `service read fewer than ${healthItemsMin} items in the last hour.`,
      ),
    ),
    success_rate: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Share of items that the source answered completely in the last hour, from 0 to 1, rounded " +
          "down to hundredths. Items that do not exist count as answered.",
      ),
    ),
    partial_rate: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Share of items with a missing field, from 0 to 1, rounded down to hundredths.",
      ),
    ),
    unavailable_rate: v.pipe(
      v.nullable(v.number()),
      v.description("Share of items without an answer, from 0 to 1, rounded down to hundredths."),
    ),
    latency_ms: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description(
        "Median duration of the calls to the source in the last hour, in milliseconds, rounded up to " +
          "one of a few fixed values. Null if there were no calls.",
      ),
    ),
    data_age_seconds: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description(
        "Mean age, in seconds, that the data of complete answers had when the service returned the " +
          "answers. Null if there were no complete answers.",
      ),
    ),
    updated_at: v.pipe(
      v.nullable(v.string()),
      v.description(
        "Time of the last recorded read, ISO 8601. Null if there was none for an hour.",
      ),
    ),
  }),
  v.title("TierHealth"),
  v.description("How the source of the tier answers the reads of all customers."),
);

/** The health of the source from which a tier is read, in API responses. */
export type TierHealth = v.InferOutput<typeof tierHealthSchema>;

/** Returns the health of the source that reads a tier of an endpoint. */
export type HealthOfTier = (
  platform: string,
  of: { readonly endpoint: EndpointId; readonly tier: string },
) => TierHealth;

const endpointSchema = v.object({
  id: v.pipe(v.string(), v.examples(["products", "offers", "offer_check"])),
  name: v.string(),
  route: v.pipe(v.string(), v.description("Method and path."), v.examples(["POST /v1/products"])),
  status,
  tiers: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      credits_per_item: v.number(),
      max_items_per_call: v.pipe(v.number(), v.integer()),
      health: tierHealthSchema,
    }),
  ),
});

const marketplaceSchema = v.object({
  code: v.string(),
  name: v.string(),
  country: v.pipe(v.string(), v.description("ISO 3166-1 alpha-2.")),
  currency: v.pipe(
    v.string(),
    v.description("ISO 4217. Currency of all prices in the marketplace."),
  ),
  status,
  endpoints: v.pipe(
    v.record(v.string(), status),
    v.description("The status of each endpoint, by its ID."),
  ),
});

/** A platform in API responses (specification, section "Platform record"). */
export const platformSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.description("The value of `platform`.")),
    object: v.literal("platform"),
    name: v.string(),
    status,
    id_field: v.pipe(
      v.string(),
      v.description("Request field for item IDs. `ids` is always accepted too."),
    ),
    id_name: v.pipe(v.string(), v.description("Common name of the ID, such as ASIN.")),
    id_pattern: v.pipe(
      v.nullable(v.string()),
      v.description(
        "Regular expression that an ID matches without spaces around it. The content of its group, in " +
          "upper case, is the ID in responses. Null if the platform is announced but not yet available.",
      ),
    ),
    default_marketplace: v.string(),
    endpoints: v.array(endpointSchema),
    marketplaces: v.array(marketplaceSchema),
  }),
  v.title("Platform"),
);

/** Response 200 of `GET /v1/platforms`. */
export const platformsResponse = v.object({
  object: v.literal("list"),
  data: v.array(platformSchema),
});

type PlatformRecord = v.InferOutput<typeof platformSchema>;

/**
 * Returns all platforms in their form in API responses: first the live platforms, then the
 * platforms that are announced, but not yet available.
 */
export const presentPlatforms = (
  healthOf: HealthOfTier,
): v.InferOutput<typeof platformsResponse> => ({
  object: "list",
  data: Object.entries<PlatformEntry>({ ...platforms, ...announcedPlatforms }).map((entry) =>
    presentPlatform(entry, healthOf),
  ),
});

const quarters = 4;

const presentPlatform = (
  [id, entry]: readonly [string, PlatformEntry],
  healthOf: HealthOfTier,
): PlatformRecord => ({
  id,
  object: "platform",
  name: entry.name,
  status: entry.status,
  id_field: entry.idField,
  id_name: entry.idName,
  id_pattern: isPlatform(id) ? itemIdPattern(id) : null,
  default_marketplace: entry.defaultMarketplace,
  endpoints: entry.endpoints.map((endpoint) => ({
    id: endpoint.id,
    name: endpoint.name,
    route: endpoint.route,
    status: endpoint.status,
    tiers: endpoint.tiers.map((tier) => ({
      id: tier.id,
      name: tier.name,
      credits_per_item: tier.costQuarters / quarters,
      max_items_per_call: tier.itemsPerCallMax,
      health: healthOf(id, { endpoint: endpoint.id, tier: tier.id }),
    })),
  })),
  marketplaces: entry.marketplaces.map((marketplace) =>
    presentMarketplace(marketplace, entry.endpoints),
  ),
});

const presentMarketplace = (
  { code, name, country, currency, status: shopStatus }: Marketplace,
  endpoints: readonly Endpoint[],
): PlatformRecord["marketplaces"][number] => ({
  code,
  name,
  country,
  currency,
  status: shopStatus,
  endpoints: Object.fromEntries(
    // An endpoint is live in a marketplace only if both are live.
    endpoints.map((endpoint) => [
      endpoint.id,
      shopStatus === "live" ? endpoint.status : shopStatus,
    ]),
  ),
});
