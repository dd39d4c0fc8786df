import * as v from "valibot";
import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { parsePlatform, type Platform, type Shop } from "../platforms/catalogue.ts";
import { parseItemId, parseItemIds } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { type ConditionFilter, conditionFilters } from "../scrapers/offer.ts";
import { idList, idsOf } from "./request.ts";

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

/** Body of `POST /v1/offers` as clients send it (specification, same section). */
export const offersBody = v.object({
  ...shopAndCondition,
  ids: v.optional(
    v.pipe(idList("ids"), v.description(`Item ids, 1 to ${limits.offersIdsMax} different ones.`)),
  ),
  asins: v.optional(
    v.pipe(idList("asins"), v.description("Alias of `ids`."), v.metadata({ deprecated: true })),
  ),
});

/** Query of `GET /v1/products/{id}/offers` as clients send it (specification, same section). */
export const itemOffersQuery = v.object(shopAndCondition);

/** Whose offers to read: every name is known, every id is well-formed and unique. */
export interface OffersRequest extends Shop {
  readonly condition: ConditionFilter;
  readonly ids: readonly string[];
}

/**
 * The body with its defaults filled in and every rule checked.
 * @throws 501 for what is announced only, 400 that names the parameter at fault.
 */
export function parseOffersRequest(body: v.InferOutput<typeof offersBody>): OffersRequest {
  const shop = parsePlatform(body, "offers");
  const { param, raw } = idsOf(shop.platform, body);
  const ids = parseItemIds(shop.platform, raw, param);
  const max = limits.offersIdsMax;
  if (ids.length === 0) {
    throw invalidParam(param, `'${param}' holds no item id. Send 1 to ${max} ids.`);
  }
  if (ids.length > max) {
    throw invalidParam(
      param,
      `'${param}' holds ${ids.length} different ids; one call reads the offers of at most ${max}.`,
    );
  }
  return { ...shop, condition: body.condition ?? "all", ids };
}

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const offersRequest = v.pipe(offersBody, v.transform(parseOffersRequest));

/** The query schema of the one-item route: the shop is named, the id comes with the path. */
export const itemOffersRequest = v.pipe(
  itemOffersQuery,
  v.transform((query) => ({
    ...parsePlatform(query, "offers"),
    condition: query.condition ?? "all",
  })),
);

/**
 * The id in the path of the one-item route.
 * @throws 400 for an id that is malformed, with `param` = `asin` on retailer_a.
 */
export const parsePathId = (platform: Platform, raw: string): string =>
  parseItemId(platform, raw, platform === "retailer_a" ? "asin" : "id");
