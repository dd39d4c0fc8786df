import * as v from "valibot";
import { timestamp } from "../base/wire-schema.ts";
import type { OfferCheckAnswer } from "../scrapers/scraper.ts";
import { offerEnvelope } from "./offer-envelope.ts";

/** A result of `POST /v1/offers/check` (specification, section "Offer (offers endpoints)"). */
export const offerCheckResultSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.description("Equals offerListingId.")),
    asin: v.string(),
    offerListingId: v.string(),
    status: v.pipe(v.string(), v.examples(["ok", "unavailable"])),
    fetchedAt: timestamp,
    buyable: v.optional(
      v.pipe(
        v.boolean(),
        v.description(
          "Present if `status` is ok. True if the offer can be bought now, including scarce offers, " +
            "back orders and pre-orders. False otherwise, without a reason.",
        ),
      ),
    ),
  }),
  v.title("Offer check"),
);

export type OfferCheckResult = v.InferOutput<typeof offerCheckResultSchema>;

/** Response 200 of `POST /v1/offers/check`. */
export const offerCheckResponse = offerEnvelope(offerCheckResultSchema, "Offer checks");

/**
 * Converts the answer of an offer checker to its form in API responses. Only an `ok` answer has
 * `buyable`.
 */
export function presentOfferCheck(answer: OfferCheckAnswer): OfferCheckResult {
  const { asin, offerListingId, status, fetchedAt } = answer;
  return {
    id: offerListingId,
    asin,
    offerListingId,
    status,
    fetchedAt,
    ...(status === "ok" && { buyable: answer.buyable }),
  };
}
