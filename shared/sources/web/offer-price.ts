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
  "pce",
  "each",
  "piece",
  "pc",
  "unit",
  "item",
]);

/** The price of one piece by an offer: its own, else that of its specifications, else of its range. */
export function priceOf(offer: SchemaNode, reading: PriceReading): SaidPrice {
  if (isOfMany(offer)) return "unclear";
  if (isForSome(offer)) return undefined;
  return (
    oneOf(pricesIn(offer, "price", reading)) ??
    specifiedPrice(nodesOf(offer, "pricespecification"), reading) ??
    rangePrice(offer, reading)
  );
}

/** The price that an offer says was or would be paid. */
export function listPriceOf(offer: SchemaNode, reading: PriceReading): OfferedPrice | undefined {
  const listed = nodesOf(offer, "pricespecification").filter((one) =>
    listPriceTypes.has(priceTypeOf(one)),
  );
  const said = listed.flatMap((one) => pricesIn(one, "price", reading));
  return said.find((price) => typeof price === "object");
}

function specifiedPrice(specifications: readonly SchemaNode[], reading: PriceReading): SaidPrice {
  const paid = specifications.filter((one) => isPaid(one) && !isForSome(one));
  const ofOne = paid.filter((one) => !isOfMany(one) && !isOfMeasure(one));
  const price = oneOf(
    ofOne.map(
      (one) =>
        oneOf(pricesIn(one, "price", reading)) ?? between(one, ["minprice", "maxprice"], reading),
    ),
  );
  return price ?? (paid.length > ofOne.length ? "unclear" : undefined);
}

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

/** Whether it is a price that somebody pays now for the thing itself. */
const isPaid = (specification: SchemaNode): boolean => {
  const type = priceTypeOf(specification);
  const isOther = listPriceTypes.has(type) || otherPriceTypes.has(type);
  return !isOther && !specification.types.some((one) => chargeTypes.has(one));
};

/** Only members pay it, or it is not for buying. */
const isForSome = (node: SchemaNode): boolean =>
  valuesOf(node, "validformembertier").length > 0 ||
  !["sell", undefined].includes(termIn(node, "businessfunction"));

/** Whoever buys one piece does not pay it. */
const isOfMany = (node: SchemaNode): boolean =>
  valuesOf(node, "eligiblequantity").some((value) => {
    const least = isNode(value) ? textOf(value, "minvalue", "value") : String(value);
    return least !== undefined && Number(least) !== 1 && Number(least) !== 0;
  });

/** It is the price of a weight, a length, a month. */
const isOfMeasure = (specification: SchemaNode): boolean =>
  valuesOf(specification, "referencequantity", "billingduration").length > 0 ||
  ["unitcode", "unittext"].some((term) => {
    const unit = termIn(specification, term);
    return unit !== undefined && !pieceUnits.has(unit);
  });

const priceTypeOf = (specification: SchemaNode): string => termIn(specification, "pricetype") ?? "";

function termIn(node: SchemaNode, term: string): string | undefined {
  const [value] = valuesOf(node, term);
  const text = isNode(value) ? (value.id ?? textOf(value, "name")) : value;
  return text === undefined ? undefined : termOf(String(text));
}
