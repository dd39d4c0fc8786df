import * as v from "valibot";
import { assert } from "../base/assert.ts";
import { invalidParam, missingParam } from "../base/errors.ts";
import { parsePlatform, platforms, productTiers, type Platform } from "../platforms/catalogue.ts";
import type { Shop, Tier } from "../platforms/catalogue.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { scrapers, type ScraperId } from "../scrapers/catalogue.ts";

/** Body of `POST /v1/products` as clients send it (specification, same section). */
export const productsBody = v.object({
  platform: v.optional(v.string("'platform' is a string.")),
  marketplace: v.optional(v.string("'marketplace' is a string.")),
  ids: v.optional(
    v.array(
      v.string('An item id is a string: write it in quotes, such as "6501234".'),
      "'ids' is an array of strings.",
    ),
  ),
  tier: v.optional(v.string("'tier' is a string.")),
});

export type ProductsBody = v.InferOutput<typeof productsBody>;

/** What to read: every name is known, every id is well-formed and unique. */
export interface ProductsRequest extends Shop {
  readonly tier: string;
  readonly scraper: ScraperId;
  readonly ids: readonly string[];
}

/**
 * The body with its defaults filled in and every rule checked.
 * @throws 400 that names the parameter at fault, 501 for what is announced only.
 */
export function parseProductsRequest(body: ProductsBody): ProductsRequest {
  const shop = parsePlatform(body);
  const tier = parseTier(shop.platform, body.tier);
  if (body.ids === undefined) throw missingParam("ids");
  const ids = parseItemIds(shop.platform, body.ids, "ids");
  if (ids.length === 0) {
    throw invalidParam("ids", `'ids' holds no item id. Send 1 to ${tier.itemsPerCallMax} ids.`);
  }
  if (ids.length > tier.itemsPerCallMax) {
    throw invalidParam(
      "ids",
      `'ids' holds ${ids.length} different ids; one call reads at most ${tier.itemsPerCallMax}.`,
    );
  }
  return { ...shop, tier: tier.id, scraper: scraperOf(shop.platform, tier.id), ids };
}

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const productsRequest = v.pipe(productsBody, v.transform(parseProductsRequest));

function parseTier(platform: Platform, wanted: string | undefined): Tier {
  const id = wanted ?? platforms[platform].defaultTier;
  if (id === null) throw missingParam("tier");
  const tiers = productTiers(platform);
  const found = tiers.find((tier) => tier.id === id);
  if (found !== undefined) return found;
  const valid = tiers.map((tier) => tier.id).join(", ");
  throw invalidParam("tier", `Unknown 'tier' of ${platform}. Valid values: ${valid}.`);
}

function scraperOf(platform: Platform, tier: string): ScraperId {
  const id = `${platform}.${tier}`;
  assert(isScraperId(id), "a products tier that is live has a scraper");
  return id;
}

const isScraperId = (id: string): id is ScraperId => Object.hasOwn(scrapers, id);
