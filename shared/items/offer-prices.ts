import { assert } from "../base/assert.ts";
import { type EndpointId, type PlatformEntry, platforms } from "../platforms/catalog.ts";
import { type OffersAnswer, totalOffersOf } from "../scrapers/scraper.ts";

const retailerA: PlatformEntry = platforms.retailer_a;

/** Price of one listing, in quarter-credits (specification, section "POST /v1/offers"). */
export const offersQuarters = {
  /** For a listing with at most one offer, and for a listing that does not exist. */
  few: quartersOf("offers", "single"),
  /** For a listing with two or more offers. */
  many: quartersOf("offers", "multiple"),
};

/**
 * Returns the price of the answer for one listing, in quarters of a credit; 0 if its status is
 * `unavailable`.
 */
export function quartersFor(answer: OffersAnswer): number {
  if (answer.status === "unavailable") return 0;
  if (answer.status === "not_found") return offersQuarters.few;
  return totalOffersOf(answer) > 1 ? offersQuarters.many : offersQuarters.few;
}

/** Price of one `ok` answer in quarter-credits (specification, section "POST /v1/offers/check"). */
export const offerCheckQuarters = quartersOf("offer_check", "standard");

function quartersOf(endpointId: EndpointId, tierId: string): number {
  const endpoint = retailerA.endpoints.find(({ id }) => id === endpointId);
  const tier = endpoint?.tiers.find(({ id }) => id === tierId);
  assert(tier !== undefined, "every charged endpoint and tier must have a price");
  return tier.costQuarters;
}
