import type { OfferCondition } from "../../scrapers/offer.ts";

/** Conditions by the source's condition code. Code 0 means "unknown" and becomes `other`. */
const conditions: readonly OfferCondition[] = [
  "other",
  "new",
  "used_like_new",
  "used_very_good",
  "used_good",
  "used_acceptable",
  "refurbished",
  "collectible_like_new",
  "collectible_very_good",
  "collectible_good",
  "collectible_acceptable",
];

/**
 * Maps the source's condition code to a condition of the specification (section "Offer (offers
 * endpoints)"). Returns `other` for a missing or unknown code.
 */
export const conditionOf = (code: number | undefined): OfferCondition =>
  conditions[code ?? 0] ?? "other";
