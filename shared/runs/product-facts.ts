import { limits } from "../base/limits.ts";
import type { OffersAnswer, ProductFields } from "../scrapers/scraper.ts";
import type { ProductFacts, SellerField } from "../watchlists/item-details.ts";

const { titleLengthMax, urlLengthMax, sellerNameLengthMax } = limits.productFacts;

/**
 * Extracts the product facts (title, address, image, sellers) from the fields of a product read;
 * undefined if there are none. Truncates a title or seller name that is too long, and leaves out an
 * address that is too long.
 */
export function factsOfProduct(fields: ProductFields): ProductFacts | undefined {
  const title = cutText(fields["title"], titleLengthMax);
  const url = shortUrl(fields["url"]);
  const images: unknown = fields["images"];
  const image = Array.isArray(images) ? shortUrl(images[0]) : undefined;
  const merchant = at(at(at(fields, "retailer_a"), "buybox"), "merchant");
  return knownFacts({
    ...(title !== undefined && { title }),
    ...(url !== undefined && { url }),
    ...(image !== undefined && { image }),
    ...sellerFacts("merchant", merchant),
  });
}

/**
 * Extracts the name of the seller in the buy box from an offers read, as product facts. Returns
 * undefined if the offers do not name this seller.
 */
export const factsOfOffers = ({
  offers,
}: Extract<OffersAnswer, { status: "ok" }>): ProductFacts | undefined =>
  knownFacts(sellerFacts("buyboxSeller", offers.find(({ isBuybox }) => isBuybox)?.seller));

const knownFacts = (facts: ProductFacts): ProductFacts | undefined =>
  Object.keys(facts).length === 0 ? undefined : facts;

/** Returns the ID and name of a seller as facts; empty if the source lacks one of the two. */
function sellerFacts(field: SellerField, seller: unknown): Pick<ProductFacts, "sellers"> {
  const id = at(seller, "id");
  const name = cutText(at(seller, "name"), sellerNameLengthMax);
  return typeof id === "string" && name !== undefined ? { sellers: { [field]: { id, name } } } : {};
}

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

/**
 * Trims a text of a source, and cuts it to `lengthMax` characters. Returns undefined if the value
 * is not a string or is empty.
 */
function cutText(text: unknown, lengthMax: number): string | undefined {
  if (typeof text !== "string") return undefined;
  const visible = text.toWellFormed().trim();
  if (visible === "") return undefined;
  // A string has at most as many characters as code units, so this text is short enough.
  if (visible.length <= lengthMax) return visible;
  return Array.from(visible).slice(0, lengthMax).join("");
}

/** Returns a URL of a source; undefined if it is not an HTTP URL or is too long to store. */
const shortUrl = (url: unknown): string | undefined =>
  typeof url === "string" && url.length <= urlLengthMax && /^https?:\/\/[^\s]+$/.test(url)
    ? url
    : undefined;
