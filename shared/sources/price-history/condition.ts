import type { OfferCondition } from "../../scrapers/offer.ts";

/** By the source's number; what it could not determine is `other`. */
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

/** A condition as the specification names it (section "Offer (offers endpoints)"). */
export const conditionOf = (code: number | undefined): OfferCondition =>
  conditions[code ?? 0] ?? "other";
