import type { Platform } from "../../platforms/catalog.ts";
import type {
  CommonFields,
  FulfillmentState,
  RetailerBObject,
  RetailerCObject,
  RetailerDObject,
  RetailerDState,
} from "../../scrapers/product-fields.ts";
import { type AvailabilityWord, availabilityOf } from "./availability-word.ts";
import { omitUndefined } from "../contract/defined.ts";
import type { OfferedPrice } from "./offer-price.ts";
import type { ProductFacts } from "./extract-product.ts";

/** A platform whose pages the adapter `web` can read. */
export type WebPlatform = Exclude<Platform, "retailer_a">;

interface PageContext {
  readonly platform: WebPlatform;
  readonly currency: string;
  /** The address of the page after redirects. */
  readonly url: URL;
}

interface Money {
  readonly amount: number;
  readonly currency: string;
}

/**
 * Converts facts of a page to the fields of a product on a platform. Omits fields that the page
 * does not state, and prices that are not in the currency of the marketplace.
 * @param shown platform, currency and final address of the page
 */
export function webFields(
  facts: ProductFacts,
  shown: PageContext,
): CommonFields & Readonly<Record<string, unknown>> {
  const { title, price, availability, seller, images } = facts;
  return {
    ...omitUndefined<CommonFields>({
      title,
      url: ownAddress(facts, shown.url),
      price: moneyIn(price, shown.currency),
      availability: availability && availabilityOf(availability),
      seller: seller === undefined ? undefined : { name: seller },
      images,
    }),
    [shown.platform]: objectOf(facts, shown),
  };
}

/** Returns the fields that only this platform has. */
function objectOf(facts: ProductFacts, { platform, currency }: PageContext): object {
  if (platform === "retailer_b") return retailerB(facts, currency);
  return platform === "retailer_c" ? retailerC(facts) : retailerD(facts);
}

/** Returns the fields that only retailer_b has. */
function retailerB(facts: ProductFacts, currency: string): RetailerBObject {
  const { brand, upc, modelNumber, parentId, listPrice, shipping, availability } = facts;
  const { condition, category, rating, reviewsCount, color } = facts;
  const standard = shipping && moneyIn(shipping, currency);
  return omitUndefined<RetailerBObject>({
    brand,
    upc,
    modelNumber,
    parentId,
    listPrice: moneyIn(listPrice, currency),
    offerType: availability && offerTypes[availability],
    onlineAvailable: availability && isOnline(availability),
    shipping: standard && { standard },
    preOrder: availability && preOrders.has(availability),
    condition,
    category,
    rating,
    reviewsCount,
    color,
  });
}

/** Returns the fields that only retailer_c has. */
function retailerC({
  sku,
  listPrice,
  availability,
  deliveryMethods,
}: ProductFacts): RetailerCObject {
  const state = availability && fulfillmentStates[availability];
  const methods = deliveryMethods ?? [];
  const isShipped = methods.some((method) => shippingMethods.has(method));
  const isPickedUp = methods.some((method) => pickupMethods.has(method));
  return omitUndefined({
    tcin: sku !== undefined && /^\d{6,10}$/.test(sku) ? sku : undefined,
    regularPrice: listPrice?.amount,
    shipping: onlyAt(availability, "onlineonly") ?? (isShipped ? state : undefined),
    pickup: onlyAt(availability, "instoreonly") ?? (isPickedUp ? state : undefined),
  });
}

/**
 * Returns the state of one delivery method, for a term such as "online only": `IN_STOCK` if the
 * term means this method, otherwise `UNAVAILABLE`. Returns undefined for any other term.
 */
function onlyAt(
  availability: AvailabilityWord | undefined,
  way: "onlineonly" | "instoreonly",
): FulfillmentState | undefined {
  if (availability !== "onlineonly" && availability !== "instoreonly") return undefined;
  return availability === way ? "IN_STOCK" : "UNAVAILABLE";
}

/** Returns the fields that only retailer_d has. */
function retailerD(facts: ProductFacts): RetailerDObject {
  const { price, listPrice, availability, brand, condition, category } = facts;
  const savedCents =
    price && listPrice && Math.round(listPrice.amount * 100) - Math.round(price.amount * 100);
  return omitUndefined<RetailerDObject>({
    state: availability && states[availability],
    regularPrice: listPrice?.amount,
    savings: savedCents !== undefined && savedCents >= 0 ? savedCents / 100 : undefined,
    brand,
    condition,
    category,
    purchasable: availability && isOnline(availability),
  });
}

const preOrders: ReadonlySet<AvailabilityWord> = new Set(["preorder", "presale"]);
const shippingMethods: ReadonlySet<string> = new Set(["parcelservice", "deliverymodemail", "mail"]);
const pickupMethods: ReadonlySet<string> = new Set(["onsitepickup", "deliverymodepickup"]);

const offerTypes: Partial<Record<AvailabilityWord, string>> = {
  onlineonly: "ONLINE_ONLY",
  instoreonly: "STORE_ONLY",
};

const fulfillmentStates: Readonly<Record<AvailabilityWord, FulfillmentState>> = {
  instock: "IN_STOCK",
  onlineonly: "IN_STOCK",
  instoreonly: "IN_STOCK",
  limitedavailability: "LIMITED_STOCK",
  preorder: "PRE_ORDER",
  presale: "PRE_ORDER",
  backorder: "IN_STOCK",
  madetoorder: "IN_STOCK",
  outofstock: "OUT_OF_STOCK",
  soldout: "OUT_OF_STOCK",
  discontinued: "UNAVAILABLE",
  reserved: "OUT_OF_STOCK",
};

const states: Readonly<Record<AvailabilityWord, RetailerDState>> = {
  instock: "ADD_TO_CART",
  onlineonly: "ADD_TO_CART",
  instoreonly: "CHECK_STORES",
  limitedavailability: "ADD_TO_CART",
  preorder: "PRE_ORDER",
  presale: "PRE_ORDER",
  backorder: "ADD_TO_CART",
  madetoorder: "ADD_TO_CART",
  outofstock: "SOLD_OUT",
  soldout: "SOLD_OUT",
  discontinued: "NOT_AVAILABLE",
  reserved: "SOLD_OUT",
};

const isOnline = (word: AvailabilityWord): boolean =>
  word !== "instoreonly" && availabilityOf(word).inStock;

const moneyIn = (price: OfferedPrice | undefined, currency: string): Money | undefined =>
  price?.currency === currency ? { amount: price.amount, currency } : undefined;

/**
 * Returns the address of the product. If the page states none, or one on another host, returns the
 * address of the page.
 */
const ownAddress = ({ url }: ProductFacts, page: URL): string =>
  url !== undefined && new URL(url).hostname === page.hostname ? url : page.href;
