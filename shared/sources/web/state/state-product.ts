import { amountOf } from "../amount.ts";
import { type AvailabilityWord, availabilityOf, availabilityWord } from "../availability-word.ts";
import { omitUndefined } from "../../contract/defined.ts";
import { addressMentions } from "../wanted-product.ts";
import { plainText } from "../plain-text.ts";
import type { StateValue } from "./embedded-values.ts";

/**
 * The facts about the requested product in embedded state. A value is absent if it is unknown or
 * contradictory.
 */
export interface StateFacts {
  readonly amount?: number;
  readonly currency?: string;
  readonly availability?: AvailabilityWord;
}

/** How to recognize the requested product, and its price, in embedded state. */
export interface StateReading {
  readonly id: string;
  /** The titles of the page's product, in lower case. */
  readonly titles: readonly string[];
  /**
   * The currency in which prices must be, as an ISO 4217 code; null if every currency is accepted.
   */
  readonly currency: string | null;
  /** Returns true if the page shows the amount to its visitors. */
  readonly isShown: (amount: number) => boolean;
}

type Json = Readonly<Record<string, unknown>>;

const objectsMax = 20_000;
const depthMax = 14;
/** Maximum number of levels between a product object and its price. */
const priceDepthMax = 3;
const titleLengthMin = 8;

/** Converts a key for comparison: to lower case, without separators. */
const keyOf = (key: string): string => key.toLowerCase().replaceAll(/[^a-z\d]/g, "");

const numberKeys = new Set(
  "id sku skuid productid productcode productsku product_id itemid itemno itemnumber itemcode code partnumber ean gtin gtin13 upc mpn prodid ecommprodid dynxitemid articleid articlenumber listingid adid offerid contentids contentid modelid masterid styleid tcin usitemid"
    .split(" ")
    .map(keyOf),
);
const addressKeys = new Set([
  "url",
  "slug",
  "handle",
  "link",
  "canonicalurl",
  "producturl",
  "pdpurl",
  "permalink",
]);
const nameKeys = new Set([
  "name",
  "title",
  "productname",
  "displayname",
  "itemname",
  "producttitle",
]);
const presentKeys = new Set(
  "saleprice finalprice currentprice discountedprice discountprice specialprice sellingprice offerprice nowprice pricenow actualprice promoprice activeprice customerprice pricetopay".split(
    " ",
  ),
);
const plainKeys = new Set(
  "price priceamount priceinclvat pricewithtax grossprice productprice itemprice pricevalue unitprice adprice ecommtotalvalue dynxtotalvalue".split(
    " ",
  ),
);
const amountKeys = new Set(
  "value amount current now price final sale number raw gross decimalprice centamount".split(" "),
);
const formerKeys = new Set(
  "regularprice listprice originalprice msrp rrp wasprice baseprice oldprice compareatprice fullprice strikeprice retailprice previousprice".split(
    " ",
  ),
);
const containerKeys = new Set(
  "price prices pricing offers offer priceinfo pricedata currentprice saleprice finalprice displayprice productprice priceobject pricesummary buybox".split(
    " ",
  ),
);
const boundKeys = new Set([
  "minprice",
  "maxprice",
  "lowprice",
  "highprice",
  "pricerange",
  "pricemin",
  "pricemax",
]);
const currencyKeys = new Set(
  "currency currencycode pricecurrency currencyiso currencyisocode isocurrency".split(" "),
);
const wordKeys = new Set(
  "availability availabilitystatus stockstatus inventorystatus stockstate availabilitystate availabilitytype".split(
    " ",
  ),
);
const stockFlags = new Map<string, boolean>([
  ...[
    "instock",
    "isinstock",
    "available",
    "isavailable",
    "availableforsale",
    "purchasable",
    "isbuyable",
    "buyable",
    "ispurchasable",
    "isorderable",
    "orderable",
    "onlineavailable",
    "hasstock",
  ].map((key) => [key, true] as const),
  ...["soldout", "issoldout", "outofstock", "isoutofstock"].map((key) => [key, false] as const),
]);
const countKeys = new Set(
  "stock stocklevel stockquantity availablequantity quantityavailable qtyavailable".split(" "),
);
/** Matches keys whose values are other products. */
const otherKeys =
  /relat|recommend|similar|cross|upsell|accessor|recent|bundle|also|compare|sponsor|variant|variation|children|siblings|options|breadcrumb|review/i;

/**
 * Returns the facts of the requested product from values that a page embeds for its scripts. Uses
 * only objects that name the product by its number, address or title. If these objects state
 * several prices, the price is unknown.
 */
export function stateProduct(values: readonly StateValue[], reading: StateReading): StateFacts {
  const foundProducts = values.map((value) => {
    const objects = objectsIn(value);
    return { objects, products: objects.filter((json) => isNamedProduct(json, reading)) };
  });
  const products = foundProducts.flatMap((one) => one.products);
  const stated = foundProducts.filter((one) => one.products.length > 0);
  const stocks = products.flatMap((product) => availabilitiesOf(product));
  const isBuyable = only(stocks.map((word) => availabilityOf(word).inStock));
  return omitUndefined<StateFacts>({
    amount: only(products.flatMap((product) => pricesOf(product, reading))),
    currency: only(stated.flatMap(({ objects }) => currenciesIn(objects))),
    availability: isBuyable === undefined ? undefined : stocks[0],
  });
}

/** Returns the value if all values are equal; undefined otherwise. */
function only<Value>(values: readonly Value[]): Value | undefined {
  const [first] = values;
  return new Set(values).size === 1 ? first : undefined;
}

/** Returns all objects in a value. An object precedes the objects inside it. */
function objectsIn(value: StateValue): Json[] {
  const foundObjects: Json[] = [];
  let left = objectsMax;
  const visit = (one: unknown, depth: number): void => {
    if (typeof one !== "object" || one === null || depth > depthMax || left <= 0) return;
    left -= 1;
    if (isJson(one)) foundObjects.push(one);
    for (const each of Object.values(one)) visit(each, depth + 1);
  };
  visit(value, 0);
  return foundObjects;
}

/** Returns true for an object that names the requested product. */
function isNamedProduct(json: Json, { id, titles }: StateReading): boolean {
  return Object.entries(json).some(([key, value]) => {
    const word = keyOf(key);
    if (numberKeys.has(word)) {
      return [value]
        .flat()
        .some((one) => isPlain(one) && String(one).toLowerCase() === id.toLowerCase());
    }
    if (typeof value !== "string" || value.length > 1_000) return false;
    if (addressKeys.has(word)) return addressMentions(value, id);
    return (
      nameKeys.has(word) &&
      value.length >= titleLengthMin &&
      titles.includes(plainText(value).toLowerCase())
    );
  });
}

/** The prices in an object, and in the objects inside it that describe its price. */
interface StatedPrices {
  /** The prices whose names indicate a current price. */
  readonly present: number[];
  readonly plain: number[];
  isRange: boolean;
}

/** Returns the different current prices in an object. */
function pricesOf(product: Json, reading: StateReading): number[] {
  const stated: StatedPrices = { present: [], plain: [], isRange: false };
  const isEvent = "contentids" in lowerKeys(product);
  addPrices(product, { depth: 0, isPrice: isEvent, stated }, reading);
  if (stated.isRange) return [];
  return [...new Set(stated.present.length > 0 ? stated.present : stated.plain)];
}

interface PricePlace {
  readonly depth: number;
  /**
   * True if the object describes a price, so that the value of a key such as `value` is a price.
   */
  readonly isPrice: boolean;
  readonly stated: StatedPrices;
}

/**
 * Adds the prices in an object, and in the inner objects that describe its price, to
 * `place.stated`.
 */
function addPrices(json: Json, place: PricePlace, reading: StateReading): void {
  for (const [key, value] of Object.entries(json)) {
    const word = keyOf(key);
    if (boundKeys.has(word)) place.stated.isRange = true;
    if (formerKeys.has(word) || otherKeys.test(key)) continue;
    if (isPlain(value)) addPrice(word, value, { place, reading });
    else if (place.depth < priceDepthMax && (containerKeys.has(word) || isInner(word, place))) {
      const inner = { depth: place.depth + 1, isPrice: true, stated: place.stated };
      for (const one of jsonsIn(value)) addPrices(one, inner, reading);
    }
  }
}

/**
 * Adds a value to `place.stated` if its key names a price and the page shows the amount.
 * @param word the key, as `keyOf` writes it
 */
function addPrice(
  word: string,
  value: string | number | boolean,
  { place, reading }: { readonly place: PricePlace; readonly reading: StateReading },
): void {
  const { present, plain } = place.stated;
  const isPlainPrice = plainKeys.has(word) || isInner(word, place);
  const prices = presentKeys.has(word) ? present : isPlainPrice ? plain : undefined;
  const amount = prices && shownAmount(value, reading);
  if (amount !== undefined) prices?.push(amount);
}

const isInner = (word: string, { isPrice }: PricePlace): boolean => isPrice && amountKeys.has(word);

const jsonsIn = (value: unknown): Json[] => [value].flat().filter(isJson);

const lowerKeys = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [keyOf(key), value]));

/**
 * Returns the amount of a value, which may be in minor units; undefined if the page does not show
 * the amount.
 */
function shownAmount(
  value: string | number | boolean,
  { isShown, currency }: StateReading,
): number | undefined {
  if (typeof value === "boolean") return undefined;
  const amount = amountOf(value, currency);
  if (amount === undefined) return undefined;
  if (isShown(amount)) return amount;
  const major = amountOf(amount / 100, currency);
  return Number.isInteger(amount) && major !== undefined && isShown(major) ? major : undefined;
}

/** Returns the availabilities that the keys of an object state. */
function availabilitiesOf(product: Json): AvailabilityWord[] {
  return Object.entries(product).flatMap(([key, value]) => {
    const word = keyOf(key);
    if (wordKeys.has(word) && typeof value === "string") return availabilityWord(value) ?? [];
    if (countKeys.has(word) && typeof value === "number")
      return value > 0 ? "instock" : "outofstock";
    const isStock = stockFlags.get(word);
    if (isStock === undefined || typeof value !== "boolean") return [];
    return isStock === value ? "instock" : "outofstock";
  });
}

/** Returns the currency codes that objects state. */
const currenciesIn = (objects: readonly Json[]): string[] =>
  objects.flatMap((json) =>
    Object.entries(json).flatMap(([key, value]) =>
      typeof value === "string" && /^[A-Z]{3}$/.test(value) && currencyKeys.has(keyOf(key))
        ? [value]
        : [],
    ),
  );

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
