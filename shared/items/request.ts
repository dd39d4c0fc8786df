import * as v from "valibot";
import { assert } from "../base/assert.ts";
import { invalidParam, missingParam } from "../base/errors.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import {
  parsePlatform,
  platforms,
  productTiers,
  type Platform,
  type PlatformEntry,
} from "../platforms/catalog.ts";
import type { Shop, Tier } from "../platforms/catalog.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { type ProductScraperId, scrapers } from "../scrapers/catalog.ts";
import { type CreditCap, creditCap, maxCreditsField } from "./max-credits.ts";

/**
 * Creates the schema of a parameter that is an array of item IDs. The error messages name the
 * parameter.
 */
export const idArray = (name: string): v.GenericSchema<string[]> =>
  v.array(
    v.string(
      addRefusedValue(`'${name}' must contain strings only. Put IDs in quotes, such as "6501234".`),
    ),
    addRefusedValue(`'${name}' must be an array of strings.`),
  );

/** Body of `POST /v1/products` before parsing (specification, section of this name). */
export const productsBody = v.object({
  ...shopFields(),
  ids: v.optional(
    v.pipe(
      idArray("ids"),
      v.description(
        "Item IDs. Repeated IDs are read and charged once. Maximum number of different IDs per call: " +
          "`max_items_per_call` of GET /v1/platforms.",
      ),
    ),
  ),
  asins: v.optional(
    v.pipe(
      idArray("asins"),
      v.description("Alias of `ids` on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  tier: v.optional(
    v.pipe(
      v.string(addRefusedValue("'tier' must be a string.")),
      v.description("Required on retailer_a: pulse, lite or full. Elsewhere: standard."),
    ),
  ),
  include: v.optional(
    v.pipe(
      v.array(
        v.string(addRefusedValue("Each entry of 'include' must be a string.")),
        addRefusedValue("'include' must be an array of strings."),
      ),
      v.description("Accepted on retailer_a, without effect."),
      v.metadata({ deprecated: true }),
    ),
  ),
  max_credits: maxCreditsField,
});

export type ProductsBody = v.InferOutput<typeof productsBody>;

/** The parsed body. Item IDs are valid and unique. */
export interface ProductsRequest extends Shop, CreditCap {
  readonly tier: string;
  readonly scraper: ProductScraperId;
  readonly ids: readonly string[];
  /** `include` of a request on retailer_a. Repeated in the response; has no other effect. */
  readonly include?: readonly string[];
}

/**
 * Parses the body of `POST /v1/products`, sets defaults and checks all rules, in this order:
 * platform and marketplace, missing parameters, tier, IDs.
 * @throws 501 for a platform that is announced, but not yet available; 400 that names the invalid
 * parameter
 */
export function parseProductsRequest(body: ProductsBody): ProductsRequest {
  const shop = parsePlatform(body);
  const { platform } = shop;
  const { param, raw } = idsOf(platform, body);
  const tier = parseTier(platform, body.tier);
  const ids = parseItemIds(platform, raw, param);
  const max = tier.itemsPerCallMax;
  if (ids.length === 0) {
    throw invalidParam(param, `'${param}' has no item IDs. Send 1 to ${max} IDs.`);
  }
  if (ids.length > max) {
    throw invalidParam(
      param,
      `'${param}' must have at most ${max} different IDs per call (got ${ids.length}). Send fewer.`,
    );
  }
  const include = platform === "retailer_a" ? body.include : undefined;
  return {
    ...shop,
    tier: tier.id,
    scraper: scraperOf(platform, tier.id),
    ids,
    ...(include !== undefined && { include }),
    ...creditCap(body),
  };
}

/**
 * The body schema of the route. Its transform throws `ServiceError` for values that the schema
 * cannot check.
 */
export const productsRequest = v.pipe(productsBody, v.transform(parseProductsRequest));

/**
 * Returns the item IDs of a request as sent, and the name of the parameter that contains them.
 * @throws 400 if the request has neither `ids` nor `asins`, or both, or `asins` for a platform
 * other than retailer_a
 */
export function idsOf(
  platform: Platform,
  { ids, asins }: Pick<ProductsBody, "ids" | "asins">,
): { readonly param: "ids" | "asins"; readonly raw: readonly string[] } {
  if (asins !== undefined && platform !== "retailer_a") {
    throw invalidParam("asins", `'asins' applies to retailer_a only. Send 'ids' for ${platform}.`);
  }
  if (ids !== undefined && asins !== undefined) {
    throw invalidParam("asins", "Send 'ids' or 'asins', not both.");
  }
  if (ids !== undefined) return { param: "ids", raw: ids };
  if (asins !== undefined) return { param: "asins", raw: asins };
  throw missingParam("ids");
}

/**
 * Returns the tier of a request, or the default tier of the platform.
 * @throws 400 if the tier is unknown, or if the request has none and the platform has no default
 */
function parseTier(platform: Platform, wanted: string | undefined): Tier {
  const { defaultTier }: PlatformEntry = platforms[platform];
  const tiers = productTiers(platform);
  const valid = tiers.map((tier) => tier.id);
  const id = wanted ?? defaultTier;
  if (id === null) {
    const message = `Parameter 'tier' is required on ${platform}: one of ${valid.join(", ")}.`;
    throw missingParam("tier", message);
  }
  const foundTier = tiers.find((tier) => tier.id === id);
  if (foundTier !== undefined) return foundTier;
  throw invalidParam("tier", invalidChoiceMessage(`'tier' of ${platform}`, valid, id));
}

function scraperOf(platform: Platform, tier: string): ProductScraperId {
  const id = `${platform}.${tier}`;
  assert(isScraperId(id), "every tier of the products endpoint must have a scraper");
  return id;
}

const isScraperId = (id: string): id is ProductScraperId => Object.hasOwn(scrapers, id);
