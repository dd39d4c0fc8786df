import type {
  CommonFields,
  FulfillmentState,
  RetailerCFields,
} from "../../scrapers/product-fields.ts";
import { featuredVariantTcin, type ScriptedBehavior } from "../../scrapers/reserved-ids.ts";
import { priceAt, type ItemMoment, stockDrawAt, titleOf } from "./catalog.ts";
import { pick, pickWeighted } from "./draw.ts";
import { scriptedInStock, scriptedPrice, scriptedRegularPrice } from "./script.ts";

const parentShare = 0.08;
const withoutPickupShare = 0.06;
const withoutImageShare = 0.04;
const thirdPartyShare = 0.12;
const thirdParties = ["Ember Mart", "Fjord Supply", "Grove Depot"];

const shippingStates: readonly (readonly [number, FulfillmentState])[] = [
  [0.8, "IN_STOCK"],
  [0.07, "LIMITED_STOCK"],
  [0.09, "OUT_OF_STOCK"],
  [0.02, "PRE_ORDER"],
  [0.02, "UNAVAILABLE"],
];
const pickupStates: readonly (readonly [number, FulfillmentState])[] = [
  [0.6, "IN_STOCK"],
  [0.15, "LIMITED_STOCK"],
  [0.15, "OUT_OF_STOCK"],
  [0.1, "UNAVAILABLE"],
];

interface ProductState {
  readonly tcin: string;
  readonly amount: number;
  readonly regularPrice: number;
  readonly shipping: FulfillmentState;
  /** The state of the pickup in a store; absent if the item cannot be picked up. */
  readonly pickup?: FulfillmentState;
  readonly seller: string;
}

/**
 * Returns the fields of a `retailer_c` product at a given time. `behavior` is undefined unless the
 * sandbox reserves the ID for tests.
 */
export function retailerCFields(
  moment: ItemMoment,
  behavior: ScriptedBehavior | undefined,
): RetailerCFields {
  const { platform, id, currency, draw } = moment;
  const product = behavior === undefined ? productAt(moment) : scriptedProduct(behavior, moment);
  const { amount, regularPrice, tcin, shipping, pickup, seller } = product;
  return {
    title: titleOf(platform, id, draw),
    url: `https://retailer-c.example/p/A-${id}`,
    price: { amount, currency },
    availability: availabilityOf(product),
    seller: { name: seller },
    fulfillment: { byPlatform: seller === "Retailer C" },
    ...(draw("without image") >= withoutImageShare && {
      images: [`https://retailer-c.example/images/${tcin}.jpg`],
    }),
    retailer_c: { tcin, regularPrice, shipping, ...(pickup !== undefined && { pickup }) },
  };
}

/** Returns the invented state of a product at a given time. */
function productAt(moment: ItemMoment): ProductState {
  const { id, draw } = moment;
  const isThirdParty = draw("third party") < thirdPartyShare;
  const hasPickup = !isThirdParty && draw("without pickup") >= withoutPickupShare;
  return {
    ...priceAt(moment),
    tcin: draw("parent") < parentShare ? variantOf(id) : id,
    shipping: pickWeighted(shippingStates, stockDrawAt(moment, "shipping")),
    ...(hasPickup && { pickup: pickWeighted(pickupStates, stockDrawAt(moment, "pickup")) }),
    seller: isThirdParty ? pick(thirdParties, draw("seller")) : "Retailer C",
  };
}

/** Returns the state of a product with a reserved ID at a given time. */
function scriptedProduct(behavior: ScriptedBehavior, { id, at }: ItemMoment): ProductState {
  const state = scriptedInStock(behavior, at) ? "IN_STOCK" : "OUT_OF_STOCK";
  return {
    tcin: behavior === "variation_parent" ? featuredVariantTcin : id,
    amount: scriptedPrice(behavior, at),
    regularPrice: scriptedRegularPrice,
    shipping: state,
    pickup: state,
    seller: "Retailer C",
  };
}

/**
 * Returns the item number of the variant that a parent features: the parent's ID with another last
 * digit.
 */
const variantOf = (id: string): string => id.slice(0, -1) + String((Number(id.slice(-1)) + 1) % 10);

const isThere = (state: FulfillmentState | undefined): boolean =>
  state === "IN_STOCK" || state === "LIMITED_STOCK";

/** Returns the availability of an item. The item is in stock if it can be shipped or picked up. */
function availabilityOf({
  shipping,
  pickup,
}: ProductState): NonNullable<CommonFields["availability"]> {
  if (isThere(shipping)) {
    const isLimited = shipping === "LIMITED_STOCK";
    return { inStock: true, message: isLimited ? "Limited stock" : "In stock" };
  }
  if (isThere(pickup)) return { inStock: true, message: "Store pickup only" };
  return { inStock: false, message: shipping === "PRE_ORDER" ? "Pre-order" : "Out of stock" };
}
