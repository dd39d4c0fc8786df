import {
  statusOfFound,
  pulseStatus,
  type RetailerAFields,
  type RetailerAObject,
} from "../../scrapers/product-fields.ts";
import type { Answer } from "../../scrapers/scraper.ts";
import { attributesOf, descriptionOf, imagesOf, plainText } from "./details.ts";
import { type Listing, listingOf, type BuyBoxWinner } from "./listing.ts";
import { historyOfferId } from "./offer-id.ts";
import { type HistoryProduct, productTypes } from "./product.ts";
import type { SellerNames } from "./sellers.ts";
import { momentOf } from "./value.ts";

/** The tiers of the products scrapers of `retailer_a`. */
export type HistoryTier = "pulse" | "lite" | "full";

/** The values from which an answer is made, in addition to the product. */
export interface HistoryReading {
  readonly tier: HistoryTier;
  readonly currency: string;
  readonly now: Date;
  readonly retailerName: string;
  readonly pageBaseUrl: string | undefined;
  readonly imageBaseUrl: string | undefined;
  readonly names: SellerNames;
}

/**
 * Returns the ID of the seller in the buy box, if the name of this seller must be looked up.
 * Returns undefined if the buy box is empty or unknown, or if the retailer itself is the seller.
 */
export function sellerToName(product: HistoryProduct, currency: string): string | undefined {
  const winner = listingOf(product, currency).winner ?? undefined;
  return winner === undefined || winner.isOwn ? undefined : winner.sellerId;
}

/**
 * Converts a product of the reply to the answer for the product's ID. The status is `not_found` for
 * a product of type `invalid`, and `unavailable` if the reply does not show that the product
 * exists. Otherwise the status is `ok` or `partial`.
 */
export function historyAnswer(product: HistoryProduct, reading: HistoryReading): Answer {
  const { asin: id, productType, lastUpdate } = product;
  const fetchedAt = momentOf(lastUpdate, reading.now).toISOString();
  if (productType === productTypes.invalid) return { id, status: "not_found", fetchedAt };
  const listing = listingOf(product, reading.currency);
  if (!isProven(product, listing)) return { id, status: "unavailable", fetchedAt };
  if (reading.tier === "pulse") {
    const fields = { retailer_a: pulseObject(listing) };
    return { id, status: pulseStatus(fields), fetchedAt, fields };
  }
  const fields = fieldsOf(product, listing, reading);
  const isWhole = fields.retailer_a.buybox !== undefined;
  return { id, status: isWhole ? statusOfFound(fields) : "partial", fetchedAt, fields };
}

/**
 * Returns true if the reply shows that the item exists. For an unknown ID, the source returns a
 * product without a title, offers or a buy box.
 */
const isProven = (product: HistoryProduct, { newCount, newMinPrice, winner }: Listing): boolean =>
  product.productType !== productTypes.standard ||
  plainText(product.title) !== undefined ||
  (newCount ?? 0) > 0 ||
  typeof newMinPrice === "number" ||
  (winner ?? undefined) !== undefined;

const pulseObject = ({ newCount, newMinPrice }: Listing): RetailerAObject => ({
  ...(newCount !== undefined && { newCount }),
  ...(newMinPrice !== undefined && { newMinPrice }),
});

/** Returns the fields of a product for the tiers `lite` and `full`. */
function fieldsOf(
  product: HistoryProduct,
  listing: Listing,
  reading: HistoryReading,
): RetailerAFields {
  const title = plainText(product.title);
  const { pageBaseUrl } = reading;
  const images = reading.tier === "full" ? imagesOf(product, reading.imageBaseUrl) : [];
  return {
    ...(title !== undefined && { title }),
    ...(pageBaseUrl !== undefined && {
      url: `${pageBaseUrl.replace(/\/+$/, "")}/${product.asin}`,
    }),
    ...featuredFields(listing.winner, reading),
    ...(images.length > 0 && { images }),
    retailer_a: objectOf(product, listing, reading),
  };
}

type FeaturedFields = Pick<RetailerAFields, "price" | "availability" | "seller" | "fulfillment">;

/**
 * Returns the fields that describe the offer in the buy box. They are null for an empty buy box
 * (null), and absent for an unknown one (undefined).
 */
function featuredFields(
  winner: BuyBoxWinner | null | undefined,
  reading: HistoryReading,
): FeaturedFields {
  if (winner === undefined) return {};
  if (winner === null) {
    return {
      price: null,
      availability: { inStock: false, message: "Currently unavailable" },
      seller: null,
      fulfillment: null,
    };
  }
  const { price, inStock, message, isFba } = winner;
  const seller = nameOf(winner, reading);
  const shipper = isFba === true ? reading.retailerName : seller;
  return {
    price: { amount: price, currency: reading.currency },
    ...(inStock !== undefined && { availability: { inStock, message } }),
    ...(seller !== undefined && { seller: { name: seller } }),
    ...(isFba !== undefined && {
      fulfillment: { byPlatform: isFba, ...(shipper !== undefined && { name: shipper }) },
    }),
  };
}

const nameOf = (
  { isOwn, sellerId }: BuyBoxWinner,
  { names, retailerName }: HistoryReading,
): string | undefined => (isOwn ? retailerName : (names.get(sellerId ?? "") ?? undefined));

/** Returns the fields of a product that only retailer_a has. */
function objectOf(
  product: HistoryProduct,
  listing: Listing,
  reading: HistoryReading,
): RetailerAObject {
  const { listPrice, usedCount, usedMinPrice, rating, reviewsCount } = listing;
  const brand = plainText(product.brand);
  const displayCategory = plainText(product.categoryTree.at(-1)?.name);
  const buybox = buyboxOf(product.asin, listing.winner, reading);
  return {
    ...(brand !== undefined && { brand }),
    ...(displayCategory !== undefined && { displayCategory }),
    ...(listPrice !== undefined && { listPrice }),
    ...(buybox !== undefined && { buybox }),
    ...pulseObject(listing),
    ...(usedCount !== undefined && { usedCount }),
    ...(usedMinPrice !== undefined && { usedMinPrice }),
    ...(rating !== undefined && { rating }),
    ...(reviewsCount !== undefined && { reviewsCount }),
    // The source has no delivery dates.
    delivery: null,
    ...(reading.tier === "full" && detailsOf(product)),
  };
}

/** Returns the fields that only the tier `full` has. */
function detailsOf(product: HistoryProduct): RetailerAObject {
  const description = descriptionOf(product);
  return {
    ...(description.length > 0 && { description }),
    attributes: attributesOf(product),
    isParent: product.productType === productTypes.parent,
  };
}

/**
 * Returns the complete buy box; null if the listing has none; undefined if a part of it is unknown.
 */
function buyboxOf(
  listing: string,
  winner: BuyBoxWinner | null | undefined,
  reading: HistoryReading,
): RetailerAObject["buybox"] {
  if (winner === null || winner === undefined) return winner;
  const { price, condition, sellerId, isFba, availabilityType } = winner;
  const name = nameOf(winner, reading);
  if (sellerId === undefined || name === undefined || isFba === undefined) return undefined;
  return {
    offerListingId: historyOfferId({ listing, sellerId, condition, isFba }),
    price,
    condition,
    merchant: { id: sellerId, name },
    isFba,
    availabilityType,
  };
}
