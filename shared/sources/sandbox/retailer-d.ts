import type { RetailerDFields, RetailerDState } from "../../scrapers/product-fields.ts";
import type { ScriptedBehavior } from "../../scrapers/reserved-ids.ts";
import { brandOf, kindOf, priceAt, type ItemMoment, stockDrawAt, titleOf } from "./catalog.ts";
import { cents, pick } from "./draw.ts";
import { scriptedInStock, scriptedPrice, scriptedRegularPrice } from "./script.ts";

const conditions = ["New", "New", "New", "New", "New", "New", "Refurbished", "Open-Box"] as const;
const soldOutStates = ["SOLD_OUT", "SOLD_OUT", "COMING_SOON", "CHECK_STORES"] as const;
const soldOutShare = 0.06;
const preOrderShare = 0.02;
const notAvailableShare = 0.01;
const withoutImageShare = 0.1;
const withoutBrandShare = 0.05;

/**
 * Returns the fields of a `retailer_d` product at a given time. `behavior` is undefined unless the
 * sandbox reserves the ID for tests.
 */
export function retailerDFields(
  moment: ItemMoment,
  behavior: ScriptedBehavior | undefined,
): RetailerDFields {
  const { platform, id, currency, draw } = moment;
  const { state, regularPrice, amount } =
    behavior === undefined ? productAt(moment) : scriptedProduct(behavior, moment);
  const inStock = state === "ADD_TO_CART";
  const hasBrand = draw("without brand") >= withoutBrandShare;
  const hasImage = draw("without image") >= withoutImageShare;
  return {
    title: titleOf(platform, id, draw),
    url: `https://retailer-d.example/product/${id}`,
    price: { amount, currency },
    availability: { inStock, message: messages[state] },
    seller: { name: "Retailer D" },
    fulfillment: { byPlatform: true },
    ...(hasImage && { images: [`https://retailer-d.example/images/${id}.jpg`] }),
    retailer_d: {
      state,
      regularPrice,
      savings: Math.max(0, cents(regularPrice - amount)),
      ...(hasBrand && { brand: brandOf(draw) }),
      condition: pick(conditions, draw("condition")),
      category: kindOf(platform, id, draw).category,
      purchasable: inStock || state === "PRE_ORDER",
    },
  };
}

const messages: Readonly<Record<RetailerDState, string>> = {
  ADD_TO_CART: "In stock",
  PRE_ORDER: "Pre-order",
  SOLD_OUT: "Out of stock",
  COMING_SOON: "Coming soon",
  CHECK_STORES: "Check stores",
  NOT_AVAILABLE: "Not available",
};

interface ProductState {
  readonly state: RetailerDState;
  readonly regularPrice: number;
  readonly amount: number;
}

const productAt = (moment: ItemMoment): ProductState => ({
  state: stateAt(moment),
  ...priceAt(moment),
});

/** Returns the state of a product at a given time. */
function stateAt(moment: ItemMoment): RetailerDState {
  const fraction = stockDrawAt(moment, "sold out");
  if (fraction < soldOutShare) return pick(soldOutStates, moment.draw("sold out state"));
  if (fraction < soldOutShare + preOrderShare) return "PRE_ORDER";
  return fraction < soldOutShare + preOrderShare + notAvailableShare
    ? "NOT_AVAILABLE"
    : "ADD_TO_CART";
}

const scriptedProduct = (behavior: ScriptedBehavior, { at }: ItemMoment): ProductState => ({
  state: scriptedInStock(behavior, at) ? "ADD_TO_CART" : "SOLD_OUT",
  regularPrice: scriptedRegularPrice,
  amount: scriptedPrice(behavior, at),
});
