import * as v from "valibot";
import { offerCheckBody } from "../../../shared/items/offer-check-request.ts";
import { offersBody } from "../../../shared/items/offers-request.ts";
import { productsBody } from "../../../shared/items/request.ts";
import { limits } from "../../../shared/base/limits.ts";
import {
  liveMarketplaces,
  type Platform,
  platforms,
  productTiers,
} from "../../../shared/platforms/catalog.ts";
import { forbidFields, where } from "../rules.ts";
import { itemIds } from "./item-ids.ts";

/** Returns the fields of a body of POST /v1/products for one platform, without the item IDs. */
function platformFields(platform: Platform) {
  const { include, max_credits } = productsBody.entries;
  const named = v.pipe(v.literal(platform), v.metadata({ type: "string" }));
  const tier = v.picklist(productTiers(platform).map(({ id }) => id));
  const { defaultMarketplace, defaultTier } = platforms[platform];
  return {
    // A call without a platform reads retailer_a.
    platform: platform === "retailer_a" ? v.optional(named) : named,
    marketplace: v.optional(
      v.pipe(
        v.picklist(liveMarketplaces(platform)),
        v.description(`Default: ${defaultMarketplace}.`),
      ),
    ),
    tier:
      defaultTier === null
        ? tier
        : v.optional(v.pipe(tier, v.description(`Default: ${defaultTier}.`))),
    include,
    max_credits,
  };
}

const idsMax = (platform: Platform): number =>
  Math.max(...productTiers(platform).map(({ itemsPerCallMax }) => itemsPerCallMax));

const idsText = "Item IDs. Repeated ones are read and charged once.";

const oneTier = (platform: Platform) => ({
  schema: v.object({
    ...platformFields(platform),
    ids: itemIds(platform, idsMax(platform), idsText),
  }),
  rules: forbidFields("asins"),
});

const retailerAFields = platformFields("retailer_a");
const { productIdsMax } = limits;
/** Returns the rule that limits the number of IDs in a call. The limit depends on the tier. */
const maxByTier = (field: string) =>
  where("tier", ["pulse"], {
    rules: {},
    otherwise: { properties: { [field]: { maxItems: productIdsMax.retailer_a.lite } } },
  });

/** Bodies of `POST /v1/products`: one for each platform, and one with the deprecated alias. */
export const productsBodies = {
  ReadRetailerAProducts: {
    schema: v.object({
      ...retailerAFields,
      ids: itemIds(
        "retailer_a",
        idsMax("retailer_a"),
        `${idsText} At most 2,000 at lite and full.`,
      ),
    }),
    rules: { ...forbidFields("asins"), ...maxByTier("ids") },
  },
  ReadRetailerAProductsByAsin: {
    schema: v.pipe(
      v.object({
        ...retailerAFields,
        asins: v.pipe(
          itemIds("retailer_a", idsMax("retailer_a"), "Alias of `ids` on retailer_a."),
          v.metadata({ deprecated: true }),
        ),
      }),
      v.metadata({ deprecated: true }),
    ),
    rules: { ...forbidFields("ids"), ...maxByTier("asins") },
  },
  ReadRetailerBProducts: oneTier("retailer_b"),
  ReadRetailerCProducts: oneTier("retailer_c"),
  ReadRetailerDProducts: oneTier("retailer_d"),
};

const { ids: _ids, asins: _asins, ...offersFields } = offersBody.entries;
const offersMax = limits.offersIdsMax;

/** Bodies of `POST /v1/offers`. */
export const offersBodies = {
  ReadOffers: {
    schema: v.object({
      ...offersFields,
      ids: itemIds("retailer_a", offersMax, "Item IDs. Repeated ones are read and charged once."),
    }),
    rules: forbidFields("asins"),
  },
  ReadOffersByAsin: {
    schema: v.pipe(
      v.object({
        ...offersFields,
        asins: v.pipe(
          itemIds("retailer_a", offersMax, "Alias of `ids`."),
          v.metadata({ deprecated: true }),
        ),
      }),
      v.metadata({ deprecated: true }),
    ),
    rules: forbidFields("ids"),
  },
};

const { offers, ids, ...checkFields } = offerCheckBody.entries;

/** Bodies of `POST /v1/offers/check`. */
export const offerCheckBodies = {
  CheckOffers: {
    schema: v.object({ ...checkFields, offers: offers.wrapped }),
    rules: forbidFields("ids"),
  },
  CheckOffersById: {
    schema: v.object({ ...checkFields, ids: ids.wrapped }),
    rules: forbidFields("offers"),
  },
};
