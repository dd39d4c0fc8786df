import * as v from "valibot";
import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { parsePlatform, type Platform, type Shop } from "../platforms/catalog.ts";
import { parseItemId, parseItemIds } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { type ConditionFilter, conditionFilters } from "../scrapers/offer.ts";
import { type CreditCap, creditCap, maxCreditsField, maxCreditsParam } from "./max-credits.ts";
import { idArray, idsOf } from "./request.ts";

const shopAndCondition = {
  ...shopFields("offers"),
  condition: v.optional(
    v.pipe(
      oneOf("condition", conditionFilters),
      v.description(
        "Offers to return. used: every condition except new, including refurbished. Default: all.",
      ),
    ),
  ),
};

/** Body of `POST /v1/offers` before parsing (specification, section of this name). */
export const offersBody = v.object({
  ...shopAndCondition,
  ids: v.optional(
    v.pipe(idArray("ids"), v.description(`Item IDs, 1 to ${limits.offersIdsMax} different ones.`)),
  ),
  asins: v.optional(
    v.pipe(idArray("asins"), v.description("Alias of `ids`."), v.metadata({ deprecated: true })),
  ),
  max_credits: maxCreditsField,
});

/** Query of `GET /v1/products/{id}/offers` before parsing (specification, section of this name). */
export const itemOffersQuery = v.object({ ...shopAndCondition, max_credits: maxCreditsParam });

/** The parsed body. Item IDs are valid and unique. */
export interface OffersRequest extends Shop, CreditCap {
  readonly condition: ConditionFilter;
  readonly ids: readonly string[];
}

/**
 * Converts the body of an offers call to a request: parses the item IDs, sets defaults and checks
 * the rules that the schema cannot check.
 * @throws 501 for a platform that is announced, but not yet available; 400 that names the invalid
 * parameter
 */
export function parseOffersRequest(body: v.InferOutput<typeof offersBody>): OffersRequest {
  const shop = parsePlatform(body, "offers");
  const { param, raw } = idsOf(shop.platform, body);
  const ids = parseItemIds(shop.platform, raw, param);
  const max = limits.offersIdsMax;
  if (ids.length === 0) {
    throw invalidParam(param, `'${param}' has no item IDs. Send 1 to ${max} IDs.`);
  }
  if (ids.length > max) {
    throw invalidParam(
      param,
      `'${param}' must have at most ${max} different IDs per call (got ${ids.length}). Send fewer.`,
    );
  }
  return { ...shop, condition: body.condition ?? "all", ids, ...creditCap(body) };
}

/**
 * The body schema of the route. Its transform throws `ServiceError` for values that the schema
 * cannot check.
 */
export const offersRequest = v.pipe(offersBody, v.transform(parseOffersRequest));

/**
 * Query schema of `GET /v1/products/{id}/offers`. The path contains the item ID, see `parsePathId`.
 * The transform throws `ServiceError` for a platform or marketplace that is unknown, or that is
 * announced, but not yet available.
 */
export const itemOffersRequest = v.pipe(
  itemOffersQuery,
  v.transform((query) => ({
    ...parsePlatform(query, "offers"),
    condition: query.condition ?? "all",
    ...creditCap(query),
  })),
);

/**
 * Parses the item ID in the path of the route that reads the offers of one item. Returns the
 * normalized ID.
 * @throws 400 for a malformed ID, with `param` = `asin` on retailer_a and `id` elsewhere
 */
export const parsePathId = (platform: Platform, raw: string): string =>
  parseItemId(platform, raw, platform === "retailer_a" ? "asin" : "id");
