import { amountOf } from "./amount.ts";
import { currencyIn } from "./currency-word.ts";
import {
  isNode,
  nodesOf,
  type SchemaNode,
  type SchemaValue,
  termOf,
  textOf,
  valuesOf,
} from "./schema-node.ts";

export interface OfferedPrice {
  readonly amount: number;
  /** ISO 4217; undefined when the page does not say. */
  readonly currency: string | undefined;
}

/** A price; or one that is said but is not clearly the price of one piece; or none. */
type SaidPrice = OfferedPrice | "unclear" | undefined;

interface PriceReading {
  /** ISO 4217 of what was asked for; null accepts every currency. */
  readonly wantedCurrency: string | null;
  /** What stands around the price. */
  readonly currency: string | undefined;
}

/** Prices that nobody pays now. */
const listPriceTypes: ReadonlySet<string> = new Set([
  "listprice",
  "strikethroughprice",
  "regularprice",
  "srp",
  "msrp",
]);
const otherPriceTypes: ReadonlySet<string> = new Set(["invoiceprice", "minimumadvertisedprice"]);
/** What is paid beside the price. */
const chargeTypes: ReadonlySet<string> = new Set([
  "deliverychargespecification",
  "paymentchargespecification",
]);
/** Units that are the piece itself: words, and codes of UN/CEFACT. */
const pieceUnits: ReadonlySet<string> = new Set([
  "ea",
  "c62",
  "h87",
  "one",
  "pce",
  "each",
  "piece",
  "pieces",
  "pc",
  "pcs",
  "unit",
  "item",
]);

/**
 * The price of one piece by an offer: its own, else that of its specifications, else of its range.
 * Its own is unclear where a specification of one piece, or the range, says another.
 */
export function priceOf(offer: SchemaNode, reading: PriceReading): SaidPrice {
  if (isOfMany(offer)) return "unclear";
  if (isForSome(offer)) return undefined;
  const specifications = nodesOf(offer, "pricespecification");
  const own = oneOf(pricesIn(offer, "price", reading));
  if (own === undefined) {
    return specifiedPrice(specifications, reading) ?? rangePrice(offer, reading);
  }
  const specified = specifications.filter(isOfPiece).map((one) => pieceOrRange(one, reading));
  const bounds = ["lowprice", "highprice"] as const;
  const isBounded = bounds.every((term) => valuesOf(offer, term).length > 0);
  const range = isBounded ? between(offer, bounds, reading) : undefined;
  return oneOf([own, ...[...specified, range].filter((price) => isComparable(price, own))]);
}

/** Prices in two currencies do not contradict each other. */
const isComparable = (price: SaidPrice, own: SaidPrice): boolean =>
  typeof price !== "object" ||
  typeof own !== "object" ||
  (price.currency ?? own.currency) === (own.currency ?? price.currency);

/** The price that an offer says was or would be paid. */
export function listPriceOf(offer: SchemaNode, reading: PriceReading): OfferedPrice | undefined {
  const listed = nodesOf(offer, "pricespecification").filter((one) =>
    listPriceTypes.has(priceTypeOf(one)),
  );
  const said = listed.flatMap((one) => pricesIn(one, "price", reading));
  return said.find((price) => typeof price === "object");
}

function specifiedPrice(specifications: readonly SchemaNode[], reading: PriceReading): SaidPrice {
  const paid = specifications.filter(isPaid);
  const ofOne = paid.filter(isOfPiece);
  const price = oneOf(ofOne.map((one) => pieceOrRange(one, reading)));
  return price ?? (paid.length > ofOne.length ? "unclear" : undefined);
}

const pieceOrRange = (specification: SchemaNode, reading: PriceReading): SaidPrice =>
  oneOf(pricesIn(specification, "price", reading)) ??
  between(specification, ["minprice", "maxprice"], reading);

/**
 * An aggregate's lowest price is the price only where it is the highest too, or of one offer. An
 * offer among several of which nothing else is known is not the one to show.
 */
function rangePrice(aggregate: SchemaNode, reading: PriceReading): SaidPrice {
  const price = between(aggregate, ["lowprice", "highprice"], reading);
  const isBounded = valuesOf(aggregate, "highprice").length > 0;
  if (price === undefined || isBounded) return price;
  return textOf(aggregate, "offercount") === "1" ? price : "unclear";
}

/** Where the lowest is the highest, or there is no highest, it is the price. */
function between(
  node: SchemaNode,
  [lowest, highest]: readonly [string, string],
  reading: PriceReading,
): SaidPrice {
  const low = oneOf(pricesIn(node, lowest, reading));
  const high = oneOf(pricesIn(node, highest, reading));
  return high === undefined ? low : ((low && oneOf([low, high])) ?? "unclear");
}

/** The price that all say that say one; several, or one that cannot be read, are unclear. */
function oneOf(prices: readonly SaidPrice[]): SaidPrice {
  const said = prices.filter((price) => price !== undefined);
  const amounts = new Set(said.map((price) => (price === "unclear" ? price : price.amount)));
  return amounts.size > 1 ? "unclear" : said[0];
}

const pricesIn = (node: SchemaNode, term: string, reading: PriceReading): SaidPrice[] =>
  valuesOf(node, term).map((value) => priceIn(node, value, reading));

/** Zero is what pages say when they do not know; so are words without an amount. */
function priceIn(node: SchemaNode, value: SchemaValue, reading: PriceReading): SaidPrice {
  if (isNode(value) || typeof value === "boolean") return undefined;
  const stated = textOf(node, "pricecurrency") ?? reading.currency;
  const currency = currencyIn(stated ?? "") ?? currencyIn(String(value));
  const amount = amountOf(value, currency ?? reading.wantedCurrency);
  if (amount !== undefined) return { amount, currency };
  return /[1-9]/.test(String(value)) ? "unclear" : undefined;
}

/** Whether it is a price that everybody pays now for the thing itself. */
const isPaid = (specification: SchemaNode): boolean => {
  const type = priceTypeOf(specification);
  const isOther = listPriceTypes.has(type) || otherPriceTypes.has(type);
  const isBeside = specification.types.some((one) => chargeTypes.has(one));
  return !isOther && !isBeside && !isForSome(specification);
};

/** Whether it is such a price, and of one piece. */
const isOfPiece = (specification: SchemaNode): boolean =>
  isPaid(specification) && !isOfMany(specification) && !isOfMeasure(specification);

/** Only members pay it, or it is not for buying. */
const isForSome = (node: SchemaNode): boolean =>
  valuesOf(node, "validformembertier").length > 0 ||
  !["sell", undefined].includes(termIn(node, "businessfunction"));

/** Whoever buys one piece does not pay it. */
const isOfMany = (node: SchemaNode): boolean =>
  valuesOf(node, "eligiblequantity").some((value) => {
    const least = isNode(value) ? textOf(value, "minvalue", "value") : withoutPiece(String(value));
    return least !== undefined && Number(least) !== 1 && Number(least) !== 0;
  });

/** The number of a text such as "1 pc". */
function withoutPiece(quantity: string): string {
  const [, number, unit = ""] = /^\s*([\d.]+)\s*([a-z]+)\s*$/i.exec(quantity) ?? [];
  return number !== undefined && pieceUnits.has(unit.toLowerCase()) ? number : quantity;
}

/** It is the price of a weight, a length, a month; or a part of the price. */
const isOfMeasure = (specification: SchemaNode): boolean =>
  ["billingduration", "pricecomponenttype"].some(
    (term) => valuesOf(specification, term).length > 0,
  ) ||
  !valuesOf(specification, "referencequantity").every(isPiece) ||
  unitsOf(specification).some((unit) => !pieceUnits.has(unit));

/** Whether a quantity is one piece, and no measure stands behind it. */
const isPiece = (quantity: SchemaValue): boolean =>
  isNode(quantity) &&
  Number(textOf(quantity, "value")) === 1 &&
  unitsOf(quantity).length > 0 &&
  unitsOf(quantity).every((unit) => pieceUnits.has(unit)) &&
  valuesOf(quantity, "valuereference").length === 0;

const unitsOf = (node: SchemaNode): string[] =>
  ["unitcode", "unittext"].map((term) => termIn(node, term)).filter((unit) => unit !== undefined);

const priceTypeOf = (specification: SchemaNode): string => termIn(specification, "pricetype") ?? "";

function termIn(node: SchemaNode, term: string): string | undefined {
  const [value] = valuesOf(node, term);
  const text = isNode(value) ? (value.id ?? textOf(value, "name")) : value;
  return text === undefined ? undefined : termOf(String(text));
}
