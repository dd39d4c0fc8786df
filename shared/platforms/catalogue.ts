import { assert } from "../base/assert.ts";
import { invalidParam, notImplemented, type ServiceError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
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

export interface Marketplace extends Country {
  readonly code: MarketplaceCode;
  readonly status: Status;
}

export interface PlatformEntry {
  readonly name: string;
  readonly status: Status;
  /** Request field for ids; `ids` is always accepted too. */
  readonly idField: string;
  /** What people call the id. */
  readonly idName: string;
  readonly defaultMarketplace: MarketplaceCode;
  /** The products tier a call gets that names none; null where a call must name one. */
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

const announced = (name: string): PlatformEntry => ({
  name,
  status: "coming_soon",
  idField: "ids",
  idName: "id",
  defaultMarketplace: "us",
  defaultTier: null,
  endpoints: announcedEndpoints("products", "offers", "offer_check"),
  marketplaces: [comingSoon("us")],
});

/** A platform with the one tier `standard`, at one credit an item. */
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

/** The platforms (specification, section "Platforms and marketplaces"). */
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

/** Platforms of which nothing is known but that they will come (same section). */
export const announcedPlatforms = {
  retailer_e: announced("Retailer E"),
  retailer_f: announced("Retailer F"),
  retailer_g: announced("Retailer G"),
} as const satisfies Record<string, PlatformEntry>;

export type Platform = keyof typeof platforms;

/** What a call means when it names no platform (same section). */
const defaultPlatform = "retailer_a" satisfies Platform;

/** One shop to read: a platform in one country. */
export interface Shop {
  readonly platform: Platform;
  readonly marketplace: string;
}

/** A shop that a request names, and the refusal it gets when its marketplace is announced only. */
export interface NamedShop extends Shop {
  readonly announced?: ServiceError;
}

/**
 * The shop that a request names, defaults filled in. A marketplace that is announced only comes with
 * its refusal, so that what else is wrong with the request can be said first.
 * @throws 400 for names that nobody knows; 501 for a platform that does not have the endpoint yet,
 * whose rules for a request nobody knows.
 */
export function findShop(
  wanted: {
    readonly platform?: string | undefined;
    readonly marketplace?: string | undefined;
  },
  endpoint: EndpointId = "products",
): NamedShop {
  const platform = wanted.platform ?? defaultPlatform;
  if (Object.hasOwn(announcedPlatforms, platform)) throw platformComingSoon(platform);
  if (!isPlatform(platform)) {
    const valid = [...Object.keys(platforms), ...Object.keys(announcedPlatforms)].join(", ");
    throw invalidParam("platform", `Unknown 'platform'. Valid values: ${valid}.`);
  }
  const entry: PlatformEntry = platforms[platform];
  const code = wanted.marketplace ?? entry.defaultMarketplace;
  const marketplace = entry.marketplaces.find((one) => one.code === code);
  if (marketplace === undefined) {
    const valid = entry.marketplaces.map((one) => one.code).join(", ");
    throw invalidParam(
      "marketplace",
      `Unknown 'marketplace' of ${platform}. Valid values: ${valid}.`,
    );
  }
  const found = entry.endpoints.find(({ id }) => id === endpoint);
  if (found?.status !== "live") throw notImplemented(`${endpointNames[endpoint]} on ${platform}`);
  const shop = { platform, marketplace: marketplace.code };
  return marketplace.status === "live"
    ? shop
    : { ...shop, announced: notImplemented(`The marketplace ${code} of ${platform}`) };
}

/**
 * The shop that a request names, where nothing else of the request is to be judged first.
 * @throws 400 for names that nobody knows, 501 for announced ones.
 */
export function parsePlatform(
  wanted: Parameters<typeof findShop>[0],
  endpoint: EndpointId = "products",
): Shop {
  const { announced: refusal, ...shop } = findShop(wanted, endpoint);
  if (refusal !== undefined) throw refusal;
  return shop;
}

/** The currency of every price in a marketplace, ISO 4217. */
export function currencyOf(platform: Platform, marketplace: string): string {
  const entry: PlatformEntry = platforms[platform];
  const found = entry.marketplaces.find((one) => one.code === marketplace);
  assert(found !== undefined, "a stored marketplace belongs to its platform");
  return found.currency;
}

/** The tiers that `POST /v1/products` has on a platform. */
export function productTiers(platform: Platform): readonly Tier[] {
  const entry: PlatformEntry = platforms[platform];
  return entry.endpoints.find((endpoint) => endpoint.id === "products")?.tiers ?? [];
}

/** A tier that the code itself names. */
export function productTier(platform: Platform, id: string): Tier {
  const found = productTiers(platform).find((tier) => tier.id === id);
  assert(found !== undefined, "a tier that the code names exists");
  return found;
}

const platformComingSoon = (platform: string): ServiceError =>
  notImplemented(`The platform ${platform}`);

export const isPlatform = (name: string): name is Platform => Object.hasOwn(platforms, name);
