import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count, timestamp } from "../base/wire-schema.ts";
import {
  type ConditionFilter,
  type Offer,
  offerSchema,
  matchesCondition,
} from "../scrapers/offer.ts";
import { type OffersAnswer, totalOffersOf } from "../scrapers/scraper.ts";
import { offerEnvelope } from "./offer-envelope.ts";

const shown = limits.offersPerListingMax;

/** A result of the offers endpoints (specification, section "Offer (offers endpoints)"). */
export const offersResultSchema = v.pipe(
  v.object({
    id: v.string(),
    asin: v.pipe(v.string(), v.description("Equals id.")),
    status: v.pipe(v.string(), v.examples(["ok", "not_found", "unavailable"])),
    fetchedAt: timestamp,
    buyboxOfferListingId: v.optional(
      v.pipe(
        v.string(),
        v.description("The featured offer, even if the condition excludes it from `offers`."),
      ),
    ),
    totalOffers: v.optional(
      v.pipe(
        count,
        v.description(
          "Number of offers in every condition, including the buy box. Absent if `status` is " +
            "`unavailable`, because the number is not known.",
        ),
      ),
    ),
    offers: v.pipe(
      v.array(offerSchema),
      v.maxLength(shown),
      v.description(
        `At most ${shown} offers: the featured offer, then the others from the cheapest. Empty unless status is ok.`,
      ),
    ),
  }),
  v.title("Offers of one listing"),
);

export type OffersResult = v.InferOutput<typeof offersResultSchema>;

/** Response 200 of `POST /v1/offers` and `GET /v1/products/{id}/offers`. */
export const offersResponse = offerEnvelope(offersResultSchema, "Offers");

/**
 * Converts the offers of a listing to their form in API responses. First selects the featured offer
 * and the cheapest other offers, up to the maximum number. Then applies the condition filter, so an
 * offer that matches the condition is missing if it was not selected.
 */
export function presentOffers(answer: OffersAnswer, condition: ConditionFilter): OffersResult {
  const { id, status, fetchedAt } = answer;
  const head = { id, asin: id, status, fetchedAt };
  if (status === "unavailable") return { ...head, offers: [] };
  if (status === "not_found") return { ...head, totalOffers: 0, offers: [] };
  const deepest = answer.offers.toSorted(featuredThenCheapest).slice(0, shown);
  const featured = deepest.find((offer) => offer.isBuybox);
  return {
    ...head,
    ...(featured && { buyboxOfferListingId: featured.offerListingId }),
    totalOffers: totalOffersOf(answer),
    offers: deepest.filter((offer) => matchesCondition(offer, condition)),
  };
}

const featuredThenCheapest = (a: Offer, b: Offer): number =>
  Number(b.isBuybox) - Number(a.isBuybox) ||
  a.price - b.price ||
  (a.shipping ?? 0) - (b.shipping ?? 0);
