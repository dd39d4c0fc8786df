import { amountOf } from "../amount.ts";
import { type AvailabilityWord, availabilityOf, availabilityWord } from "../availability-word.ts";
import { addressMentions } from "../wanted-product.ts";
import { plainText } from "../plain-text.ts";
import type { StateValue } from "./embedded-values.ts";

/** What embedded state says of the wanted product. Absent values are unknown or contradictory. */
export interface StateFacts {
  readonly amount?: number;
  readonly currency?: string;
  readonly availability?: AvailabilityWord;
}

export interface StateReading {
  readonly id: string;
  /** The titles of the page's product, in lower case. */
  readonly titles: readonly string[];
  /** An ISO 4217 code; null if every currency is accepted. */
  readonly currency: string | null;
  /** Returns true if the page shows the amount to its visitors. */
  readonly isShown: (amount: number) => boolean;
}

type Json = Readonly<Record<string, unknown>>;

const objectsMax = 20_000;
const depthMax = 14;
/** The maximum number of levels below a product object in which its price may be. */
const priceDepthMax = 3;
const titleLengthMin = 8;

/** Keys are compared in lower case without separators. */
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
/** Keys of other products than the one that has them. */
const otherKeys =
  /relat|recommend|similar|cross|upsell|accessor|recent|bundle|also|compare|sponsor|variant|variation|children|siblings|options|breadcrumb|review/i;

/**
 * Returns the facts of the wanted product in values that a page embeds. Only objects that name the
 * wanted product by number, address or title count. If these objects state several prices, the
 * price is unknown.
 */
export function stateProduct(values: readonly StateValue[], reading: StateReading): StateFacts {
  const amounts = new Set<number>();
  const stocks = new Set<AvailabilityWord>();
  const currencies = new Set<string>();
  for (const value of values) {
    const products = productsIn(value, reading);
    for (const product of products) {
      for (const amount of pricesOf(product, reading)) amounts.add(amount);
      for (const word of availabilitiesOf(product)) stocks.add(word);
    }
    if (products.length > 0) for (const code of currenciesIn(value)) currencies.add(code);
  }
  const [amount] = amounts;
  const [currency] = currencies;
  const isBuyable = new Set([...stocks].map((word) => availabilityOf(word).inStock));
  const [availability] = stocks;
  return {
    ...(amounts.size === 1 && amount !== undefined && { amount }),
    ...(currencies.size === 1 && currency !== undefined && { currency }),
    ...(isBuyable.size === 1 && availability !== undefined && { availability }),
  };
}

/** Returns the objects that name the wanted product. */
function productsIn(value: StateValue, reading: StateReading): Json[] {
  const found: Json[] = [];
  let left = objectsMax;
  const visit = (one: unknown, depth: number): void => {
    if (typeof one !== "object" || one === null || depth > depthMax || left <= 0) return;
    left -= 1;
    if (Array.isArray(one)) {
      for (const each of one) visit(each, depth + 1);
      return;
    }
    const json: Json = { ...one };
    if (isNamedProduct(json, reading)) found.push(json);
    for (const each of Object.values(json)) visit(each, depth + 1);
  };
  visit(value, 0);
  return found;
}

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

/** Returns the different prices that buyers now pay according to an object. */
function pricesOf(product: Json, reading: StateReading): number[] {
  const present: number[] = [];
  const plain: number[] = [];
  let isRange = false;
  const visit = (json: Json, depth: number, isPrice: boolean): void => {
    for (const [key, value] of Object.entries(json)) {
      const word = keyOf(key);
      if (boundKeys.has(word)) isRange = true;
      if (formerKeys.has(word) || otherKeys.test(key)) continue;
      const isPresent = presentKeys.has(word);
      if (
        isPlain(value) &&
        (isPresent || plainKeys.has(word) || (isPrice && amountKeys.has(word)))
      ) {
        const amount = shownAmount(value, reading);
        if (amount !== undefined) (isPresent ? present : plain).push(amount);
      }
      const isContainer = containerKeys.has(word) || (isPrice && amountKeys.has(word));
      if (depth >= priceDepthMax || !isContainer) continue;
      for (const one of [value].flat()) if (isJson(one)) visit(one, depth + 1, true);
    }
  };
  visit(product, 0, "contentids" in lowerKeys(product));
  if (isRange) return [];
  return [...new Set(present.length > 0 ? present : plain)];
}

const lowerKeys = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [keyOf(key), value]));

/**
 * Returns the amount of a value, which can be in minor units. Undefined if the page does not show
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

/** Returns the currency codes that a value states. */
function currenciesIn(value: StateValue): Set<string> {
  const codes = new Set<string>();
  let left = objectsMax;
  const visit = (one: unknown, depth: number): void => {
    if (typeof one !== "object" || one === null || depth > depthMax || left <= 0) return;
    left -= 1;
    for (const [key, each] of Object.entries(one)) {
      if (typeof each === "string" && /^[A-Z]{3}$/.test(each) && currencyKeys.has(keyOf(key)))
        codes.add(each);
      visit(each, depth + 1);
    }
  };
  visit(value, 0);
  return codes;
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
