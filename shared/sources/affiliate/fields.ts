import {
  type CommonFields,
  statusOfFound,
  type RetailerBFields,
  type RetailerBObject,
} from "../../scrapers/product-fields.ts";
import type { Answer } from "../../scrapers/scraper.ts";
import { omitUndefined } from "../contract/defined.ts";
import type { AffiliateItem } from "./item.ts";

/** The values from which an answer is built, in addition to the item. */
export interface AffiliateReading {
  readonly id: string;
  readonly fetchedAt: string;
  readonly currency: string;
  /** Seller name for items that the retailer itself sells, if the reply contains no seller name. */
  readonly retailerName: string;
  /** True if results contain tracking links instead of plain page links. */
  readonly isTracking: boolean;
}

const imagesMax = 20;
/**
 * Matches a placeholder such as `|PUBID|`, which a tracking link without a publisher ID contains.
 */
const placeholder = /\|\w+\||%7C\w+%7C/i;
const mainPicture = "PRIMARY";
const storeOnly = "STORE_ONLY";

/** Values of `stock` for items that can be bought, in lower case without spaces. */
const buyableWords: ReadonlySet<string> = new Set([
  "available",
  "instock",
  "limitedsupply",
  "limitedsupplies",
  "lastfewitems",
]);
const soldOutWords: ReadonlySet<string> = new Set(["notavailable", "unavailable", "outofstock"]);

/**
 * Converts an item of the source's reply to the answer for the item ID `reading.id`, with status
 * `ok` or `partial` (see `statusOfFound`).
 */
export function affiliateAnswer(item: AffiliateItem, reading: AffiliateReading): Answer {
  const { id, fetchedAt } = reading;
  const fields = fieldsOf(item, reading);
  return { id, status: statusOfFound(fields), fetchedAt, fields };
}

/** Returns the fields of an item, without those that the reply does not state. */
function fieldsOf(item: AffiliateItem, reading: AffiliateReading): RetailerBFields {
  const { currency } = reading;
  const url = linkOf(item, reading);
  const availability = availabilityOf(item);
  const seller = sellerOf(item, reading);
  const byPlatform = item.shippedByRetailer ?? opposite(item.marketplace);
  const images = imagesOf(item);
  return {
    ...(item.name !== undefined && { title: item.name }),
    ...(url !== undefined && { url }),
    ...(item.salePrice !== undefined && { price: { amount: item.salePrice, currency } }),
    ...(availability !== undefined && { availability }),
    ...(seller !== undefined && { seller: { name: seller } }),
    ...(byPlatform !== undefined && { fulfillment: { byPlatform } }),
    ...(images.length > 0 && { images }),
    retailer_b: objectOf(item, currency),
  };
}

/** Returns the fields of an item that only retailer_b has. */
function objectOf(item: AffiliateItem, currency: string): RetailerBObject {
  const shipping = shippingOf(item, currency);
  return omitUndefined<RetailerBObject>({
    brand: item.brandName,
    upc: item.upc,
    modelNumber: item.modelNumber,
    parentId: item.parentItemId,
    listPrice: item.msrp === undefined ? undefined : { amount: item.msrp, currency },
    offerId: item.offerId,
    offerType: item.offerType,
    thirdPartySeller: item.marketplace,
    onlineAvailable: item.availableOnline,
    shipping: Object.keys(shipping).length === 0 ? undefined : shipping,
    maxPerOrder: item.maxItemsInOrder,
    clearance: item.clearance,
    preOrder: item.preOrder,
    condition: item.condition,
    category: item.categoryPath,
    rating: item.customerRating,
    reviewsCount: item.numReviews,
    color: item.color,
  });
}

const shippingOf = (
  item: AffiliateItem,
  currency: string,
): NonNullable<RetailerBObject["shipping"]> =>
  omitUndefined<NonNullable<RetailerBObject["shipping"]>>({
    standard:
      item.standardShipRate === undefined ? undefined : { amount: item.standardShipRate, currency },
    twoDayEligible: item.isTwoDayShippingEligible,
    freeOverThreshold: item.freeOverThreshold,
  });

/**
 * Returns the availability of an item; undefined if the reply does not show it. Uses the source's
 * stock text as the message, unless the text contradicts the stock.
 */
function availabilityOf(item: AffiliateItem): CommonFields["availability"] {
  if (item.preOrder === true) return { inStock: false, message: "Pre-order" };
  const stock = (item.stock ?? "").toLowerCase().replaceAll(/[^a-z]/g, "");
  const inStock = inStockOf(item, stock);
  if (inStock === undefined) return undefined;
  const contradicts = inStock ? soldOutWords.has(stock) : buyableWords.has(stock);
  if (item.stock !== undefined && !contradicts) return { inStock, message: item.stock };
  if (inStock) return { inStock, message: "In stock" };
  return { inStock, message: item.offerType === storeOnly ? "In stores only" : "Out of stock" };
}

/**
 * Returns whether the item is in stock; undefined if neither `availableOnline` nor the stock word
 * shows it.
 */
function inStockOf({ availableOnline }: AffiliateItem, stock: string): boolean | undefined {
  if (soldOutWords.has(stock)) return false;
  return availableOnline ?? (buyableWords.has(stock) ? true : undefined);
}

/** Returns the name of the seller; undefined for a third party without a name. */
function sellerOf(
  { sellerInfo, marketplace }: AffiliateItem,
  { retailerName }: AffiliateReading,
): string | undefined {
  return sellerInfo ?? (marketplace === true ? undefined : retailerName);
}

const opposite = (flag: boolean | undefined): boolean | undefined =>
  flag === undefined ? undefined : !flag;

/**
 * Returns the link of an item: the tracking link if `isTracking` is true, otherwise the plain page
 * link. If this link is missing or contains a placeholder, returns the other link. Returns
 * undefined if neither link is usable.
 */
function linkOf(item: AffiliateItem, { isTracking }: AffiliateReading): string | undefined {
  const counting = item.productTrackingUrl;
  const filled = counting !== undefined && !placeholder.test(counting) ? counting : undefined;
  const page = item.productUrl ?? pageBehind(counting);
  return isTracking ? (filled ?? page) : (page ?? filled);
}

/**
 * Returns the page address inside a tracking link; undefined if there is no link or the address is
 * invalid.
 */
function pageBehind(counting: string | undefined): string | undefined {
  const target = counting === undefined ? null : new URL(counting).searchParams.get("u");
  return target !== null && /^https?:\/\//i.test(target) && URL.canParse(target)
    ? target
    : undefined;
}

/** Returns the addresses of at most 20 different pictures, the main picture first. */
function imagesOf(item: AffiliateItem): string[] {
  const pictures = item.imageEntities.filter((picture) => picture != null);
  const main = pictures.filter(({ entityType }) => entityType === mainPicture);
  const others = pictures.filter(({ entityType }) => entityType !== mainPicture);
  const urls = [...main, ...others].map(largestOf).filter((url) => url !== undefined);
  const own = largestOf(item);
  // The item's top-level picture is the main picture in another size, so it is used only if there
  // are no other pictures.
  const all = urls.length === 0 && own !== undefined ? [own] : urls;
  return [...new Set(all)].slice(0, imagesMax);
}

const largestOf = ({
  largeImage,
  mediumImage,
  thumbnailImage,
}: Pick<AffiliateItem, "largeImage" | "mediumImage" | "thumbnailImage">): string | undefined =>
  largeImage ?? mediumImage ?? thumbnailImage;
