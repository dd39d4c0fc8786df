import type { Platform } from "../../shared/platforms/catalog.ts";
import type { Snapshot } from "../../shared/scrapers/catalog.ts";
import type { ProductFields } from "../../shared/scrapers/scraper.ts";
import type { Offer } from "../../shared/scrapers/offer.ts";
import { type ItemLooks, lookAt, type OffersLook } from "./answers.ts";
import { nameOf, titleAt } from "./details.ts";
import type { ScriptedAnswers } from "../support/scripted-sources.ts";

type Shown = Readonly<Record<string, unknown>>;

/**
 * Sets the sources' answers to the scripted answers of one run. A read without a scripted answer
 * then throws Error.
 * @param at the index of the run, from 0
 */
export function showLooks(
  answers: ScriptedAnswers,
  { platform, items }: { platform: Platform; items: Readonly<Record<string, ItemLooks>> },
  at: number,
): void {
  answers.product = (id, scraper) => {
    const look = lookAt(items[id] ?? {}, scraper, at);
    if (look === undefined || !("fields" in look))
      throw new Error(`The scenario has no answer of ${scraper} about item ${id} in run ${at}.`);
    return look.status === "ok" || look.status === "partial"
      ? {
          status: look.status,
          fields: { title: titleAt(id, at), ...resultFields(platform, look.fields) },
        }
      : { status: look.status };
  };
  answers.offers = (id) => {
    const look = lookAt(items[id] ?? {}, "retailer_a.offers", at);
    if (look === undefined || !("offers" in look))
      throw new Error(`The scenario has no offers of item ${id} in run ${at}.`);
    return look.status === "ok"
      ? { status: "ok", totalOffers: look.total, offers: look.offers.map(fullOffer) }
      : { status: look.status };
  };
  answers.check = ({ asin, offerListingId }) => {
    const look = lookAt(items[asin] ?? {}, "retailer_a.offer_check", at);
    if (look === undefined || !("buyable" in look))
      throw new Error(`The scenario has no offer check of item ${asin} in run ${at}.`);
    return look.status === "ok"
      ? { status: "ok", buyable: look.buyable.includes(offerListingId) }
      : { status: "unavailable" };
  };
}

/** Converts snapshot fields to the fields of a result. Undefined fields are omitted. */
function resultFields(platform: Platform, shown: Snapshot): ProductFields {
  const { price, listPrice, regularPrice, inStock, seller, byPlatform } = shown;
  return shownFields({
    price: money(price),
    availability: inStock === undefined ? undefined : { inStock, message: "" },
    seller: seller === undefined || seller === null ? seller : { name: seller },
    fulfillment: byPlatform === undefined || byPlatform === null ? byPlatform : { byPlatform },
    ...(platform === "retailer_a" && { retailer_a: retailerAObject(shown) }),
    ...(platform === "retailer_b" && {
      retailer_b: shownFields({ ...shown, listPrice: money(listPrice) }),
    }),
    ...(platform === "retailer_c" && {
      retailer_c: shownFields({
        regularPrice,
        shipping: shown["shipping"],
        pickup: shown["pickup"],
      }),
    }),
    ...(platform === "retailer_d" && {
      retailer_d: shownFields({
        regularPrice,
        state: shown["state"],
        purchasable: shown["purchasable"],
      }),
    }),
  });
}

function retailerAObject(shown: Snapshot): Shown {
  const { newCount, newMinPrice, usedCount, usedMinPrice, listPrice, rating } = shown;
  const { deliveryDate: date } = shown;
  return shownFields({
    newCount,
    newMinPrice,
    usedCount,
    usedMinPrice,
    listPrice,
    rating,
    buybox: buybox(shown),
    delivery: date === undefined || date === null ? date : { date, message: "", free: true },
  });
}

function buybox(shown: Snapshot): Shown | null | undefined {
  const { availabilityType, merchant, isFba, offerListingId, condition } = shown;
  const fields = { availabilityType, isFba, offerListingId, condition, merchant };
  const known = Object.values(fields).filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  if (known.every((value) => value === null)) return null;
  return shownFields({
    ...fields,
    merchant: merchant === undefined ? undefined : { id: merchant, name: nameOf(String(merchant)) },
  });
}

const money = (amount: Snapshot[string] | undefined): unknown =>
  amount === undefined || amount === null ? amount : { amount, currency: "USD" };

const shownFields = (fields: Shown): Shown =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const fullOffer = ({ seller, ...offer }: OffersLook["offers"][number]): Offer => ({
  ...offer,
  currency: "USD",
  priceDisplay: `$${offer.price}`,
  seller: { id: seller, name: nameOf(seller) },
  fulfillment: { isFba: false, fulfillerName: "" },
});
