import type { Offer } from "../../../shared/scrapers/offer.ts";

/** Returns an offer of a new item at 19.99 US dollars, with the given changes. */
export const offerOf = (changes: Partial<Offer> = {}): Offer => ({
  offerListingId: "a+b/c=",
  price: 19.99,
  currency: "USD",
  priceDisplay: "$19.99",
  condition: "new",
  seller: { id: "A1SELLER", name: "Birch Trading" },
  fulfillment: { isFba: false, fulfillerName: "Birch Trading" },
  isBuybox: false,
  ...changes,
});
