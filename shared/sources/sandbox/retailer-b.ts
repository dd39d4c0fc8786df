import type {
  CommonFields,
  RetailerBFields,
  RetailerBObject,
} from "../../scrapers/product-fields.ts";
import type { ScriptedBehavior } from "../../scrapers/reserved-ids.ts";
import {
  brandOf,
  kindOf,
  modelOf,
  priceAt,
  type ItemMoment,
  stockDrawAt,
  titleOf,
} from "./catalog.ts";
import { type Draw, pick, pickWeighted } from "./draw.ts";
import { scriptedInStock, scriptedPrice, scriptedRegularPrice } from "./script.ts";

const soldOutShare = 0.07;
const preOrderShare = 0.02;
const storeOnlyShare = 0.05;
const thirdPartyShare = 0.3;
/** Share of clearance items among the items whose price is below the regular price. */
const clearanceShare = 0.25;
const withoutListPriceShare = 0.4;
const withoutUpcShare = 0.1;
const withoutParentShare = 0.5;
const withoutRatingShare = 0.12;
const withoutColorShare = 0.35;
const refurbishedShare = 0.15;
const twoDayShare = 0.6;
/** The price from which shipping is free, in the marketplace currency. */
const freeShippingFrom = 35;
const standardShipping = 6.99;

const thirdParties = ["Alder Goods", "Birch Outlet", "Cedar Direct", "Dune Supply"];
const orderLimits: readonly (readonly [number, number])[] = [
  [0.7, 12],
  [0.2, 6],
  [0.1, 1],
];

interface ProductState {
  readonly inStock: boolean;
  readonly amount: number;
  readonly listPrice: number | null;
  readonly isPreOrder: boolean;
  readonly isStoreOnly: boolean;
  readonly isThirdParty: boolean;
  readonly isClearance: boolean;
}

/**
 * Returns the fields of a `retailer_b` product at a given time. `behavior` is undefined unless the
 * sandbox reserves the ID for tests.
 */
export function retailerBFields(
  moment: ItemMoment,
  behavior: ScriptedBehavior | undefined,
): RetailerBFields {
  const { platform, id, currency, draw } = moment;
  const product = behavior === undefined ? productAt(moment) : scriptedProduct(behavior, moment);
  const seller = product.isThirdParty ? pick(thirdParties, draw("seller")) : "Retailer B";
  return {
    title: titleOf(platform, id, draw),
    url: `https://retailer-b.example/ip/${id}`,
    price: { amount: product.amount, currency },
    availability: availabilityOf(product),
    seller: { name: seller },
    fulfillment: { byPlatform: !product.isThirdParty || draw("fulfilled") < 0.5 },
    ...(draw("without image") >= 0.05 && {
      images: [`https://retailer-b.example/images/${id}.jpg`],
    }),
    retailer_b: objectOf(product, moment),
  };
}

/** Returns the fields of a product that only retailer_b has. */
function objectOf(product: ProductState, moment: ItemMoment): RetailerBObject {
  const { platform, id, currency, draw } = moment;
  const isOnline = product.inStock || product.isPreOrder;
  const isUsed = product.isThirdParty && draw("condition") < refurbishedShare;
  return {
    brand: brandOf(draw),
    ...identityOf(moment),
    listPrice: product.listPrice === null ? null : { amount: product.listPrice, currency },
    offerId: isOnline ? digits(draw, product.isThirdParty ? "their offer" : "offer", 16) : null,
    offerType: offerTypeOf(product, draw),
    thirdPartySeller: product.isThirdParty,
    onlineAvailable: isOnline,
    ...(isOnline && { shipping: shippingOf(product, moment) }),
    maxPerOrder: pickWeighted(orderLimits, draw("order limit")),
    clearance: product.isClearance,
    preOrder: product.isPreOrder,
    condition: isUsed ? "Refurbished" : "New",
    category: kindOf(platform, id, draw).category,
    ...reviewsOf(draw),
    ...(draw("without color") >= withoutColorShare && {
      color: pick(["Black", "White", "Silver", "Blue"], draw("color")),
    }),
  };
}

const identityOf = ({ id, draw }: ItemMoment): RetailerBObject => ({
  ...(draw("without upc") >= withoutUpcShare && { upc: digits(draw, "upc", 12) }),
  modelNumber: modelOf(id, draw),
  ...(draw("without parent") >= withoutParentShare && { parentId: digits(draw, "parent", 9) }),
});

const shippingOf = (
  { amount, isThirdParty }: ProductState,
  { currency, draw }: ItemMoment,
): RetailerBObject["shipping"] => ({
  standard: { amount: amount >= freeShippingFrom ? 0 : standardShipping, currency },
  twoDayEligible: !isThirdParty && draw("two days") < twoDayShare,
  freeOverThreshold: !isThirdParty,
});

const reviewsOf = (draw: Draw): RetailerBObject =>
  draw("without rating") < withoutRatingShare
    ? {}
    : {
        rating: Math.round((3 + draw("rating") * 2) * 10) / 10,
        reviewsCount: Math.ceil(10 ** (draw("reviews") * 4)),
      };

/** Returns the invented state of a product at a given time. */
function productAt(moment: ItemMoment): ProductState {
  const { draw } = moment;
  const { regularPrice, amount } = priceAt(moment);
  const stock = stockDrawAt(moment, "stock");
  const isPreOrder = draw("pre-order") < preOrderShare;
  const isStoreOnly = !isPreOrder && draw("store only") < storeOnlyShare;
  return {
    inStock: stock >= soldOutShare && !isPreOrder && !isStoreOnly,
    amount,
    listPrice: draw("without list price") < withoutListPriceShare ? null : regularPrice,
    isPreOrder,
    isStoreOnly,
    isThirdParty: draw("third party") < thirdPartyShare,
    isClearance: amount < regularPrice && stockDrawAt(moment, "clearance") < clearanceShare,
  };
}

const scriptedProduct = (behavior: ScriptedBehavior, { at }: ItemMoment): ProductState => ({
  inStock: scriptedInStock(behavior, at),
  amount: scriptedPrice(behavior, at),
  listPrice: scriptedRegularPrice,
  isPreOrder: false,
  isStoreOnly: false,
  isThirdParty: false,
  isClearance: false,
});

/** Returns the availability of a product. */
function availabilityOf({
  inStock,
  isPreOrder,
  isStoreOnly,
}: ProductState): NonNullable<CommonFields["availability"]> {
  if (isPreOrder) return { inStock, message: "Pre-order" };
  if (isStoreOnly) return { inStock, message: "In stores only" };
  return { inStock, message: inStock ? "In stock" : "Out of stock" };
}

/** Returns where the offer can be bought: online, in stores, or both. */
function offerTypeOf({ isStoreOnly, isThirdParty }: ProductState, draw: Draw): string {
  if (isStoreOnly) return "STORE_ONLY";
  return isThirdParty || draw("online only") < 0.4 ? "ONLINE_ONLY" : "ONLINE_AND_STORE";
}

const digits = (draw: Draw, what: string, length: number): string =>
  Array.from({ length }, (_, n) => Math.floor(draw(what, n + 1) * 10)).join("");
