import { is, looseObject, optional, unknown } from "valibot";
import { assert } from "../base/assert.ts";
import { invalidParam, notImplemented } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import { countries, type Country, type MarketplaceCode } from "./marketplaces.ts";
import {
  announcedEndpoints,
  type Endpoint,
  type EndpointId,
  endpointNames,
  liveEndpoint,
  type Status,
  type Tier,
} from "./endpoints.ts";

export type { Endpoint, EndpointId, Status, Tier } from "./endpoints.ts";

/** A marketplace of a platform. */
export interface Marketplace extends Country {
  readonly code: MarketplaceCode;
  readonly status: Status;
}

/** A platform in the catalog, whether available or only announced. */
export interface PlatformEntry {
  readonly name: string;
  readonly status: Status;
  /** Name of the request field for item IDs. `ids` is always accepted too. */
  readonly idField: string;
  /** Common name of an item ID on this platform, such as ASIN. */
  readonly idName: string;
  readonly defaultMarketplace: MarketplaceCode;
  /** Default tier of `POST /v1/products`; null if a call must send a tier. */
  readonly defaultTier: string | null;
  readonly endpoints: readonly Endpoint[];
  readonly marketplaces: readonly Marketplace[];
}

const live = (code: MarketplaceCode): Marketplace => ({
  code,
  status: "live",
  ...countries[code],
});

const comingSoon = (code: MarketplaceCode): Marketplace => ({
  code,
  status: "coming_soon",
  ...countries[code],
});

const announcedPlatform = (name: string): PlatformEntry => ({
  name,
  status: "coming_soon",
  idField: "ids",
  idName: "id",
  defaultMarketplace: "us",
  defaultTier: null,
  endpoints: announcedEndpoints("products", "offers", "offer_check"),
  marketplaces: [comingSoon("us")],
});

/** Returns a live platform whose only tier is `standard`, at one credit per item. */
const oneTier = (
  name: string,
  {
    idName,
    itemsPerCallMax,
    soon = [],
  }: {
    readonly idName: string;
    readonly itemsPerCallMax: number;
    readonly soon?: readonly MarketplaceCode[];
  },
): PlatformEntry => ({
  name,
  status: "live",
  idField: "ids",
  idName,
  defaultMarketplace: "us",
  defaultTier: "standard",
  endpoints: [
    liveEndpoint("products", [
      { id: "standard", name: "Standard", costQuarters: 4, itemsPerCallMax },
    ]),
    ...announcedEndpoints("offers", "offer_check"),
  ],
  marketplaces: [live("us"), ...soon.map(comingSoon)],
});

const { productIdsMax } = limits;

/** All live platforms by ID (specification, section "Platforms and marketplaces"). */
export const platforms = {
  retailer_a: {
    name: "Retailer A",
    status: "live",
    idField: "asins",
    idName: "ASIN",
    defaultMarketplace: "us",
    defaultTier: null,
    endpoints: [
      liveEndpoint("products", [
        {
          id: "pulse",
          name: "Pulse",
          costQuarters: 1,
          itemsPerCallMax: productIdsMax.retailer_a.pulse,
        },
        {
          id: "lite",
          name: "Lite",
          costQuarters: 4,
          itemsPerCallMax: productIdsMax.retailer_a.lite,
        },
        {
          id: "full",
          name: "Full",
          costQuarters: 20,
          itemsPerCallMax: productIdsMax.retailer_a.full,
        },
      ]),
      liveEndpoint("offers", [
        {
          id: "single",
          name: "At most one offer",
          costQuarters: 4,
          itemsPerCallMax: limits.offersIdsMax,
        },
        {
          id: "multiple",
          name: "More than one offer",
          costQuarters: 12,
          itemsPerCallMax: limits.offersIdsMax,
        },
      ]),
      liveEndpoint("offer_check", [
        {
          id: "standard",
          name: "Standard",
          costQuarters: 2,
          itemsPerCallMax: limits.offerChecksMax,
        },
      ]),
    ],
    marketplaces: [
      live("us"),
      ...(
        [
          ["uk", "de", "fr", "it", "es", "ca", "mx"],
          ["jp", "au", "in", "br", "nl", "se", "pl"],
        ] as const
      )
        .flat()
        .map(comingSoon),
    ],
  },
  retailer_b: oneTier("Retailer B", {
    idName: "item id",
    itemsPerCallMax: productIdsMax.retailer_b,
  }),
  retailer_c: oneTier("Retailer C", {
    idName: "item number",
    itemsPerCallMax: productIdsMax.retailer_c,
  }),
  retailer_d: oneTier("Retailer D", {
    idName: "SKU",
    itemsPerCallMax: productIdsMax.retailer_d,
    soon: ["ca"],
  }),
} as const satisfies Record<string, PlatformEntry>;

/** Platforms that are announced but not available yet, by ID. Requests for them return 501. */
export const announcedPlatforms = {
  retailer_e: announcedPlatform("Retailer E"),
  retailer_f: announcedPlatform("Retailer F"),
  retailer_g: announcedPlatform("Retailer G"),
} as const satisfies Record<string, PlatformEntry>;

export type Platform = keyof typeof platforms;

/** Platform of requests that do not name one. */
const defaultPlatform = "retailer_a" satisfies Platform;

/** A platform and one of its marketplaces. */
export interface Shop {
  readonly platform: Platform;
  readonly marketplace: string;
}

/** Returns the IDs of the platforms on which `endpoint` is live. */
export const livePlatforms = (endpoint: EndpointId = "products"): readonly string[] =>
  Object.entries<PlatformEntry>(platforms)
    .filter(([, { endpoints }]) =>
      endpoints.some(({ id, status }) => id === endpoint && status === "live"),
    )
    .map(([id]) => id);

/**
 * Returns the codes of the live marketplaces of a platform. If `platform` is absent, returns those
 * of all live platforms, without duplicates.
 */
export const liveMarketplaces = (platform?: string): readonly string[] => [
  ...new Set(
    Object.entries<PlatformEntry>(platforms)
      .filter(([id]) => platform === undefined || id === platform)
      .flatMap(([, { marketplaces }]) => marketplaces)
      .filter(({ status }) => status === "live")
      .map(({ code }) => code),
  ),
];

const anyShop = looseObject({ platform: optional(unknown()), marketplace: optional(unknown()) });

/**
 * Refuses a request for something that is announced, but not yet available. Accepts a raw request
 * of any type, so that this check can run before all others: the 501 takes precedence over their
 * errors. Ignores unknown names, which `parsePlatform` refuses.
 * @throws 501 if the platform, or the endpoint or marketplace on this platform, is announced, but
 * not yet available
 */
export function refuseAnnounced(sent: unknown, endpoint: EndpointId = "products"): void {
  const { platform: name = defaultPlatform, marketplace } = is(anyShop, sent) ? sent : {};
  if (typeof name !== "string") return;
  if (Object.hasOwn(announcedPlatforms, name)) throw notImplemented(`The platform ${name}`);
  if (!isPlatform(name)) return;
  const entry: PlatformEntry = platforms[name];
  const foundEndpoint = entry.endpoints.find(({ id }) => id === endpoint);
  if (foundEndpoint?.status !== "live")
    throw notImplemented(`The endpoint "${endpointNames[endpoint]}" of ${name}`);
  const wanted = entry.marketplaces.find(({ code }) => code === marketplace);
  if (wanted?.status === "coming_soon") {
    throw notImplemented(`The marketplace ${wanted.code} of ${name}`);
  }
}

/**
 * Parses the platform and marketplace of a request. An absent platform is `retailer_a`, and an
 * absent marketplace is the default of the platform.
 * @throws 501 if the platform, or the endpoint or marketplace on this platform, is announced, but
 * not yet available; 400 for unknown names
 */
export function parsePlatform(
  wanted: {
    readonly platform?: string | undefined;
    readonly marketplace?: string | undefined;
  },
  endpoint: EndpointId = "products",
): Shop {
  refuseAnnounced(wanted, endpoint);
  const platform = wanted.platform ?? defaultPlatform;
  if (!isPlatform(platform)) {
    throw invalidParam(
      "platform",
      invalidChoiceMessage("'platform'", livePlatforms(endpoint), platform),
    );
  }
  const entry: PlatformEntry = platforms[platform];
  const marketplace = wanted.marketplace ?? entry.defaultMarketplace;
  const valid = liveMarketplaces(platform);
  if (!valid.includes(marketplace)) {
    throw invalidParam(
      "marketplace",
      invalidChoiceMessage(`'marketplace' of ${platform}`, valid, wanted.marketplace),
    );
  }
  return { platform, marketplace };
}

/**
 * Returns the ISO 4217 code of the currency of all prices in a marketplace.
 * @throws Error if the platform does not have the marketplace
 */
export function currencyOf(platform: Platform, marketplace: string): string {
  const entry: PlatformEntry = platforms[platform];
  const foundMarketplace = entry.marketplaces.find((one) => one.code === marketplace);
  assert(foundMarketplace !== undefined, "a stored marketplace must belong to its platform");
  return foundMarketplace.currency;
}

/**
 * Returns the tiers of `POST /v1/products` on a platform. Returns an empty array if the platform
 * lacks this endpoint.
 */
export function productTiers(platform: Platform): readonly Tier[] {
  const entry: PlatformEntry = platforms[platform];
  return entry.endpoints.find((endpoint) => endpoint.id === "products")?.tiers ?? [];
}

/**
 * Returns a tier of `POST /v1/products` on a platform.
 * @param id ID of the tier, such as `lite`
 * @throws Error if the platform lacks the tier
 */
export function productTier(platform: Platform, id: string): Tier {
  const foundTier = productTiers(platform).find((tier) => tier.id === id);
  assert(foundTier !== undefined, "a tier that the code names must exist");
  return foundTier;
}

/**
 * Returns true for the ID of a live platform. Returns false for all other names, including
 * platforms that are announced, but not yet available.
 */
export const isPlatform = (name: string): name is Platform => Object.hasOwn(platforms, name);
