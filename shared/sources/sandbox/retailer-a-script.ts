import type { ScriptedBehavior } from "../../scrapers/reserved-ids.ts";
import type { OfferCondition } from "../../scrapers/offer.ts";
import { cents, type Draw } from "./draw.ts";
import { type OfferStateA, retailerASeller, sellerAt } from "./retailer-a-offers.ts";
import { scriptedInStock, scriptedPrice } from "./script.ts";

const manyOffers = 45;
const manyConditions: readonly OfferCondition[] = [
  "new",
  "used_like_new",
  "new",
  "used_good",
  "refurbished",
  "collectible_good",
];

/**
 * Returns the offers at time `at` of an item with a reserved ID. With most behaviors, the item has
 * two offers: a new offer of the retailer, and a used offer of another seller at a higher price.
 * `draw` selects this seller. With the behavior `many_offers`, the item has 45 offers. A parent (a
 * listing without a buyable option) and a sold-out item have no offers.
 */
export function scriptedOffers(
  behavior: ScriptedBehavior,
  { at, draw }: { readonly at: Date; readonly draw: Draw },
): readonly OfferStateA[] {
  if (behavior === "parent" || !scriptedInStock(behavior, at)) return [];
  const own: OfferStateA = {
    index: 0,
    seller: retailerASeller,
    condition: "new",
    price: scriptedPrice(behavior, at),
    shipping: 0,
    isFba: true,
    availabilityType: "in_stock",
  };
  const count = behavior === "many_offers" ? manyOffers : 2;
  const others = Array.from({ length: count - 1 }, (_, n): OfferStateA => {
    const index = n + 1;
    return {
      index,
      seller: sellerAt(draw, index),
      condition: manyConditions[index % manyConditions.length] ?? "other",
      price: cents(own.price + index),
      shipping: 3.99,
      isFba: false,
      availabilityType: "in_stock",
    };
  });
  return [own, ...others];
}
