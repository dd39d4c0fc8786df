import * as v from "valibot";
import { assert } from "../base/assert.ts";
import { invalidParam, missingParam } from "../base/errors.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import {
  parsePlatform,
  platforms,
  productTiers,
  type Platform,
  type PlatformEntry,
} from "../platforms/catalogue.ts";
import type { Shop, Tier } from "../platforms/catalogue.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { type ProductScraperId, scrapers } from "../scrapers/catalogue.ts";

/** A list of item ids under that name. */
export const idList = (name: string): v.GenericSchema<string[]> =>
  v.array(
    v.string('An item id is a string: write it in quotes, such as "6501234".'),
    `'${name}' is an array of strings.`,
  );

/** Body of `POST /v1/products` as clients send it (specification, same section). */
export const productsBody = v.object({
  ...shopFields(),
  ids: v.optional(
    v.pipe(
      idList("ids"),
      v.description(
        "Item IDs. Repeated ones are read and charged once. How many different ones a call may " +
          "hold: `max_items_per_call` of GET /v1/platforms.",
      ),
    ),
  ),
  asins: v.optional(
    v.pipe(
      idList("asins"),
      v.description("Alias of `ids` on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  tier: v.optional(
    v.pipe(
      v.string("'tier' is a string."),
      v.description("Required on retailer_a: pulse, lite or full. Elsewhere: standard."),
    ),
  ),
  include: v.optional(
    v.pipe(
      v.array(v.string("An entry of 'include' is a string."), "'include' is an array of strings."),
      v.description("Accepted on retailer_a, without effect."),
      v.metadata({ deprecated: true }),
    ),
  ),
});

export type ProductsBody = v.InferOutput<typeof productsBody>;

/** What to read: every name is known, every id is well-formed and unique. */
export interface ProductsRequest extends Shop {
  readonly tier: string;
  readonly scraper: ProductScraperId;
  readonly ids: readonly string[];
  /** On retailer_a: what the call asked to include, which changes nothing. */
  readonly include?: readonly string[];
}

/**
 * The body with its defaults filled in and every rule checked. In this order: platform and
 * marketplace, what is missing, the tier, the ids.
 * @throws 501 for what is announced only, 400 that names the parameter at fault.
 */
export function parseProductsRequest(body: ProductsBody): ProductsRequest {
  const shop = parsePlatform(body);
  const { platform } = shop;
  const { param, raw } = idsOf(platform, body);
  const tier = parseTier(platform, body.tier);
  const ids = parseItemIds(platform, raw, param);
  const max = tier.itemsPerCallMax;
  if (ids.length === 0) {
    throw invalidParam(param, `'${param}' holds no item id. Send 1 to ${max} ids.`);
  }
  if (ids.length > max) {
    throw invalidParam(
      param,
      `'${param}' holds ${ids.length} different ids; one call reads at most ${max}.`,
    );
  }
  const include = platform === "retailer_a" ? body.include : undefined;
  return {
    ...shop,
    tier: tier.id,
    scraper: scraperOf(platform, tier.id),
    ids,
    ...(include !== undefined && { include }),
  };
}

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const productsRequest = v.pipe(productsBody, v.transform(parseProductsRequest));

/**
 * The ids as they were sent, and the parameter they were sent in.
 * @throws 400 for none, for both, and for the alias of another platform.
 */
export function idsOf(
  platform: Platform,
  { ids, asins }: Pick<ProductsBody, "ids" | "asins">,
): { readonly param: "ids" | "asins"; readonly raw: readonly string[] } {
  if (asins !== undefined && platform !== "retailer_a") {
    throw invalidParam("asins", `'asins' goes with retailer_a only. Send 'ids' for ${platform}.`);
  }
  if (ids !== undefined && asins !== undefined) {
    throw invalidParam("asins", "Send 'ids' or 'asins', not both.");
  }
  if (ids !== undefined) return { param: "ids", raw: ids };
  if (asins !== undefined) return { param: "asins", raw: asins };
  throw missingParam("ids");
}

function parseTier(platform: Platform, wanted: string | undefined): Tier {
  const { defaultTier }: PlatformEntry = platforms[platform];
  const tiers = productTiers(platform);
  const valid = tiers.map((tier) => tier.id);
  const id = wanted ?? defaultTier;
  if (id === null) {
    const message = `Parameter 'tier' is required on ${platform}: one of ${valid.join(", ")}.`;
    throw missingParam("tier", message);
  }
  const found = tiers.find((tier) => tier.id === id);
  if (found !== undefined) return found;
  throw invalidParam("tier", invalidChoiceMessage(`'tier' of ${platform}`, valid, id));
}

function scraperOf(platform: Platform, tier: string): ProductScraperId {
  const id = `${platform}.${tier}`;
  assert(isScraperId(id), "a products tier that is live has a scraper");
  return id;
}

const isScraperId = (id: string): id is ProductScraperId => Object.hasOwn(scrapers, id);
