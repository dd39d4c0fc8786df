/** Converts the state of a `retailer_a` listing to the fields of each tier. */
import type {
  AvailabilityType,
  CommonFields,
  RetailerAFields,
  RetailerAObject,
} from "../../scrapers/product-fields.ts";
import { brandOf, kindOf, type ItemMoment, titleOf } from "./catalog.ts";
import { hourMs } from "./draw.ts";
import { attributesOf, descriptionOf, imagesOf } from "./retailer-a-details.ts";
import { type ItemStateA, offerListingIdOf } from "./retailer-a.ts";
import type { OfferStateA } from "./retailer-a-offers.ts";

const withoutBrandShare = 0.06;
const withoutCategoryShare = 0.04;
const withoutListPriceShare = 0.3;
const withoutRatingShare = 0.08;
const withoutImagesShare = 0.02;
const withoutDescriptionShare = 0.15;
const withoutPromiseShare = 0.12;

/**
 * Returns the fields of a `retailer_a` product in the tier `pulse`, from the invented state of the
 * item.
 */
export const pulseFields = ({ newCount, newMinPrice }: ItemStateA): RetailerAFields => ({
  retailer_a: { newCount, newMinPrice },
});

/**
 * Returns the fields of a `retailer_a` product in the tier `lite`, from the invented state of the
 * item.
 */
export function liteFields(state: ItemStateA, item: ItemMoment): RetailerAFields {
  const { currency, id, draw } = item;
  const { buybox } = state;
  return {
    title: titleOf("retailer_a", id, draw),
    url: `https://retailer-a.example/dp/${id}`,
    price: buybox === null ? null : { amount: buybox.price, currency },
    availability: availabilityOf(buybox, item),
    seller: buybox === null ? null : { name: buybox.seller.name },
    fulfillment:
      buybox === null
        ? null
        : {
            byPlatform: buybox.isFba,
            name: buybox.isFba ? "Retailer A" : buybox.seller.name,
          },
    retailer_a: liteObject(state, item),
  };
}

/**
 * Returns the fields of a `retailer_a` product in the tier `full`, from the invented state of the
 * item.
 */
export function fullFields(state: ItemStateA, item: ItemMoment): RetailerAFields {
  const { retailer_a: object, ...common } = liteFields(state, item);
  const { draw } = item;
  const hasImages = draw("without images") >= withoutImagesShare;
  return {
    ...common,
    ...(hasImages && {
      images: imagesOf(item),
    }),
    retailer_a: {
      ...object,
      ...(draw("without description") >= withoutDescriptionShare && {
        description: descriptionOf(item),
      }),
      attributes: attributesOf(item),
      isParent: state.isParent,
    },
  };
}

/** Returns the fields of the tier `lite` that only retailer_a has. */
function liteObject(state: ItemStateA, item: ItemMoment): RetailerAObject {
  const { id, draw } = item;
  const { buybox } = state;
  const hasRating = draw("without rating") >= withoutRatingShare;
  return {
    ...(draw("without brand") >= withoutBrandShare && { brand: brandOf(draw) }),
    ...(draw("without category") >= withoutCategoryShare && {
      displayCategory: kindOf("retailer_a", id, draw).category,
    }),
    listPrice: draw("without list price") < withoutListPriceShare ? null : state.listPrice,
    buybox:
      buybox === null
        ? null
        : {
            offerListingId: offerListingIdOf(state, buybox),
            price: buybox.price,
            condition: buybox.condition,
            merchant: buybox.seller,
            isFba: buybox.isFba,
            availabilityType: buybox.availabilityType,
          },
    newCount: state.newCount,
    newMinPrice: state.newMinPrice,
    usedCount: state.usedCount,
    usedMinPrice: state.usedMinPrice,
    ...(hasRating && {
      rating: Math.round((3 + draw("rating") * 2) * 10) / 10,
      reviewsCount: Math.ceil(10 ** (draw("reviews") * 4.5)),
    }),
    delivery: deliveryOf(buybox, item),
  };
}

const inStockTypes: ReadonlySet<AvailabilityType> = new Set([
  "in_stock",
  "in_stock_scarce",
  "leadtime",
  "unknown",
]);

/**
 * Returns the availability of a listing.
 * @param buybox the offer in the buy box; null if the buy box is empty
 */
function availabilityOf(
  buybox: OfferStateA | null,
  item: ItemMoment,
): NonNullable<CommonFields["availability"]> {
  if (buybox === null) return { inStock: false, message: "Currently unavailable" };
  const { availabilityType } = buybox;
  return {
    inStock: inStockTypes.has(availabilityType),
    message: stockLine(availabilityType, item),
  };
}

/**
 * Returns the stock message that a product page and an offer show for an availability type.
 * @param at time of the read, from which the date in a message is calculated
 * @param draw pseudorandom function of the item, which chooses the number of pieces in a message
 */
export function stockLine(
  type: AvailabilityType,
  { at, draw }: Pick<ItemMoment, "at" | "draw">,
): string {
  switch (type) {
    case "in_stock":
      return "In Stock";
    case "in_stock_scarce":
      return `Only ${1 + Math.floor(draw("left") * 9)} left in stock - order soon.`;
    case "leadtime":
      return "Usually ships within 2 to 3 weeks";
    case "preorder":
      return "This item will be released soon. Pre-order now.";
    case "available_date":
      return `In stock on ${longDay(dayAfter(at, 9))}.`;
    case "out_of_stock":
      return "Temporarily out of stock.";
    case "unavailable":
      return "Currently unavailable";
    case "unknown":
      return "See offer for availability";
    default:
      return type satisfies never;
  }
}

type Delivery = NonNullable<RetailerAObject["delivery"]>;

/**
 * Invents the delivery promise of an offer: its date or dates, its message, and whether delivery is
 * free. Returns null if there is no offer or the offer is not in stock. Also returns null for 12%
 * of the items, so that clients also meet items without a promise.
 * @param at time of the read, from which the dates are calculated
 * @param draw pseudorandom function of the item, which chooses among the possible promises
 */
export function deliveryOf(
  offer: OfferStateA | null,
  { at, draw }: Pick<ItemMoment, "at" | "draw">,
): Delivery | null {
  if (offer === null || !inStockTypes.has(offer.availabilityType)) return null;
  if (draw("without promise") < withoutPromiseShare) return null;
  const days = (offer.availabilityType === "leadtime" ? 16 : 1) + (offer.isFba ? 0 : 3);
  const first = dayAfter(at, days + Math.floor(draw("delivery days") * 4));
  const isRange = !offer.isFba || draw("delivery range") < 0.2;
  const last = dayAfter(first, 3);
  const free = offer.shipping === 0;
  const promise = isRange ? `${shortDay(first)} - ${shortDay(last)}` : longDay(first);
  return {
    date: isoDay(first),
    ...(isRange && { latestDate: isoDay(last) }),
    message: `${free ? "FREE delivery" : "Delivery"} ${promise}`,
    free,
  };
}

const dayAfter = (at: Date, days: number): Date => new Date(at.getTime() + days * 24 * hourMs);
const isoDay = (day: Date): string => day.toISOString().slice(0, 10);

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const shortDay = (day: Date): string =>
  `${months[day.getUTCMonth()]?.slice(0, 3)} ${day.getUTCDate()}`;
const longDay = (day: Date): string =>
  `${weekdays[day.getUTCDay()]}, ${months[day.getUTCMonth()]} ${day.getUTCDate()}`;
