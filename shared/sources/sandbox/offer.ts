/** Builds the offers of the sandbox's `retailer_a` as the offers endpoint returns them. */
import type { Offer } from "../../scrapers/offer.ts";
import { cents, type Draw, drawsOf, pick } from "./draw.ts";
import { type ItemStateA, offerListingIdOf } from "./retailer-a.ts";
import { deliveryOf, stockLine } from "./retailer-a-fields.ts";
import { type OfferStateA, retailerASeller, type SellerA } from "./retailer-a-offers.ts";

const justLaunchedShare = 0.08;
const withoutNoteShare = 0.3;
const withoutStockLineShare = 0.1;

const notes = [
  "Original box opened, item never used.",
  "Light wear on the housing; works as it should.",
  "Tested and cleaned. Manual is missing.",
  "Ships in plain packaging.",
  "Small scratch on the back, see the photos.",
];

interface OfferSetting {
  readonly seed: string;
  readonly marketplace: string;
  readonly currency: string;
  readonly at: Date;
}

/** The offers page of a listing at a given time. */
export interface OfferPage extends OfferSetting {
  readonly state: ItemStateA;
  readonly display: (price: number) => string;
}

/**
 * Returns the data from which `sandboxOffer` builds each offer of a listing: the state of the
 * listing, the settings, and the price format of the currency.
 */
export function offerPage(state: ItemStateA, setting: OfferSetting): OfferPage {
  return { ...setting, state, display: displayIn(setting.currency) };
}

const formats = new Map<string, Intl.NumberFormat>();

/**
 * Creates a function that formats prices in a currency. Formats are cached, because creating one is
 * slow.
 */
function displayIn(currency: string): (price: number) => string {
  const format =
    formats.get(currency) ?? new Intl.NumberFormat("en-US", { style: "currency", currency });
  formats.set(currency, format);
  return (price) => format.format(price);
}

/** Converts one invented offer of a listing to the form of offers in API responses. */
export function sandboxOffer(offer: OfferStateA, page: OfferPage): Offer {
  const { state, currency, at, display } = page;
  const { condition, seller, isFba } = offer;
  const isBuybox = offer === state.buybox;
  const own: Draw = (what, period = 0) => state.draw(what, period, offer.index + 1);
  // For the offer in the buy box, the offers page must show the same stock and delivery as the
  // product page.
  const shown = { at, draw: isBuybox ? state.draw : own };
  const price = cents(offer.price);
  const delivery = deliveryOf(offer, shown);
  const hasNote = condition !== "new" && own("note") >= withoutNoteShare;
  const hasStockLine = isBuybox || own("stock line") >= withoutStockLineShare;
  return {
    offerListingId: offerListingIdOf(state, offer),
    price,
    currency,
    priceDisplay: display(price),
    ...(offer.shipping !== null && { shipping: offer.shipping }),
    condition,
    ...(hasNote && { conditionNote: pick(notes, own("which note")) }),
    seller: { id: seller.id, name: seller.name, ...ratingOf(seller, page) },
    fulfillment: { isFba, fulfillerName: isFba ? retailerASeller.name : seller.name },
    isBuybox,
    ...(hasStockLine && { availability: stockLine(offer.availabilityType, shown) }),
    ...(delivery !== null && { delivery: delivery.message }),
  };
}

/**
 * Returns the rating of a seller; an empty object for the retailer itself and for new sellers. A
 * seller has the same rating on all listings.
 */
function ratingOf(
  seller: SellerA,
  { seed, marketplace }: OfferSetting,
): { readonly rating?: number; readonly ratingCount?: number } {
  const draw = drawsOf({ seed, marketplace, id: seller.id });
  if (seller.id === retailerASeller.id || draw("just launched") < justLaunchedShare) return {};
  return {
    rating: Math.round(35 + draw("rating") * 15) / 10,
    ratingCount: 1 + Math.floor(draw("rating count") ** 3 * 40_000),
  };
}
