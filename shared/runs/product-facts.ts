import { limits } from "../base/limits.ts";
import type { OffersAnswer, ProductFields } from "../scrapers/scraper.ts";
import type { ProductFacts, SellerField } from "../watchlists/item-details.ts";

const { titleLengthMax, urlLengthMax, sellerNameLengthMax } = limits.productFacts;

/** The facts of a product read; undefined if it shows none. */
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

/** The facts of an offers read; undefined if it shows none. */
export const factsOfOffers = ({
  offers,
}: Extract<OffersAnswer, { status: "ok" }>): ProductFacts | undefined =>
  knownFacts(sellerFacts("buyboxSeller", offers.find(({ isBuybox }) => isBuybox)?.seller));

const knownFacts = (facts: ProductFacts): ProductFacts | undefined =>
  Object.keys(facts).length === 0 ? undefined : facts;

/** The name of a seller. Empty if the source does not name the seller. */
function sellerFacts(field: SellerField, seller: unknown): Pick<ProductFacts, "sellers"> {
  const id = at(seller, "id");
  const name = cutText(at(seller, "name"), sellerNameLengthMax);
  return typeof id === "string" && name !== undefined ? { sellers: { [field]: { id, name } } } : {};
}

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

/** Cuts a text of a source to a number of characters. Undefined if it is empty or not a text. */
function cutText(text: unknown, lengthMax: number): string | undefined {
  if (typeof text !== "string") return undefined;
  const visible = text.toWellFormed().trim();
  if (visible === "") return undefined;
  // A text has at most as many characters as code units.
  if (visible.length <= lengthMax) return visible;
  return Array.from(visible).slice(0, lengthMax).join("");
}

/** An address of a source. Undefined if it is not one, or too long to store. */
const shortUrl = (url: unknown): string | undefined =>
  typeof url === "string" && url.length <= urlLengthMax && /^https?:\/\/[^\s]+$/.test(url)
    ? url
    : undefined;
