import { assert } from "../base/assert.ts";
import { invalidParam, notImplemented } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { countries, type Country, type MarketplaceCode } from "./marketplaces.ts";

/** `coming_soon` is announced and answers 501; `live` can be read. */
export type Status = "live" | "coming_soon";

export interface Marketplace extends Country {
  readonly code: MarketplaceCode;
  readonly status: Status;
}

/** How much of an item a call reads, and what that costs. */
export interface Tier {
  readonly id: string;
  readonly name: string;
  /** Price of one answered item, in quarter-credits. */
  readonly costQuarters: number;
  readonly itemsPerCallMax: number;
}

/** A kind of item call that a platform serves. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  /** Method and path. */
  readonly route: string;
  readonly status: Status;
  readonly tiers: readonly Tier[];
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

const announced = (
  name: string,
  ids: { readonly idField: string; readonly idName: string } = { idField: "ids", idName: "id" },
): PlatformEntry => ({
  name,
  status: "coming_soon",
  ...ids,
  defaultMarketplace: "us",
  defaultTier: null,
  endpoints: [],
  marketplaces: [comingSoon("us")],
});

/** The platforms (specification, section "Platforms and marketplaces"). */
export const platforms = {
  retailer_a: announced("Retailer A", { idField: "asins", idName: "ASIN" }),
  retailer_b: announced("Retailer B", { idField: "ids", idName: "item id" }),
  retailer_c: announced("Retailer C", { idField: "ids", idName: "item number" }),
  retailer_d: {
    name: "Retailer D",
    status: "live",
    idField: "ids",
    idName: "SKU",
    defaultMarketplace: "us",
    defaultTier: "standard",
    endpoints: [
      {
        id: "products",
        name: "Products",
        route: "POST /v1/products",
        status: "live",
        tiers: [
          {
            id: "standard",
            name: "Standard",
            costQuarters: 4,
            itemsPerCallMax: limits.productIdsMax.retailer_d,
          },
        ],
      },
    ],
    marketplaces: [live("us"), comingSoon("ca")],
  },
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

/**
 * The shop that a request names, defaults filled in.
 * @throws 400 for names that nobody knows, 501 for announced ones.
 */
export function parsePlatform(wanted: {
  readonly platform?: string | undefined;
  readonly marketplace?: string | undefined;
}): Shop {
  const platform = wanted.platform ?? defaultPlatform;
  if (Object.hasOwn(announcedPlatforms, platform)) throw platformComingSoon(platform);
  if (!isPlatform(platform)) {
    const valid = [...Object.keys(platforms), ...Object.keys(announcedPlatforms)].join(", ");
    throw invalidParam("platform", `Unknown 'platform'. Valid values: ${valid}.`);
  }
  const entry: PlatformEntry = platforms[platform];
  if (entry.status === "coming_soon") throw platformComingSoon(platform);
  const code = wanted.marketplace ?? entry.defaultMarketplace;
  const marketplace = entry.marketplaces.find((one) => one.code === code);
  if (marketplace === undefined) {
    const valid = entry.marketplaces.map((one) => one.code).join(", ");
    throw invalidParam(
      "marketplace",
      `Unknown 'marketplace' of ${platform}. Valid values: ${valid}.`,
    );
  }
  if (marketplace.status === "coming_soon") {
    throw notImplemented(`The marketplace ${marketplace.code} of ${platform}`);
  }
  return { platform, marketplace: marketplace.code };
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

const platformComingSoon = (platform: string): Error => notImplemented(`The platform ${platform}`);

const isPlatform = (name: string): name is Platform => Object.hasOwn(platforms, name);
