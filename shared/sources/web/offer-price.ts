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

/** A price that a page states, in units of its currency. */
export interface OfferedPrice {
  readonly amount: number;
  /** The currency of the price as an ISO 4217 code; undefined if the page does not state it. */
  readonly currency: string | undefined;
}

/**
 * A price in a page. "unclear": a price is stated, but may not be the price of one piece.
 * Undefined: no price is stated.
 */
type StatedPrice = OfferedPrice | "unclear" | undefined;

interface PriceReading {
  /** ISO 4217 code of the marketplace's currency; null if every currency is accepted. */
  readonly wantedCurrency: string | null;
  /** The currency that the page states for the offer; undefined if it states none. */
  readonly currency: string | undefined;
}

/** Types of former or recommended prices, which buyers do not pay now. */
const listPriceTypes: ReadonlySet<string> = new Set([
  "listprice",
  "strikethroughprice",
  "regularprice",
  "srp",
  "msrp",
]);
const otherPriceTypes: ReadonlySet<string> = new Set(["invoiceprice", "minimumadvertisedprice"]);
/** Types of charges that are added to the price. */
const chargeTypes: ReadonlySet<string> = new Set([
  "deliverychargespecification",
  "paymentchargespecification",
]);
/** Units that mean one piece: words and UN/CEFACT codes. */
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
 * Returns the price of one piece in an offer: the price of the offer, otherwise the price in its
 * price specifications, otherwise the price in its price range. Returns undefined if no price is
 * stated, or if the offer is only for members or not a sale (such as a rent). Returns `unclear` in
 * these cases:
 * - The offer applies only from a quantity of more than one piece.
 * - A price specification for one piece, or the price range, contradicts the price of the offer.
 * - No single price can be read.
 */
export function priceOf(offer: SchemaNode, reading: PriceReading): StatedPrice {
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

/** Returns true if two prices can contradict each other. Prices in different currencies cannot. */
const isComparable = (price: StatedPrice, own: StatedPrice): boolean =>
  typeof price !== "object" ||
  typeof own !== "object" ||
  (price.currency ?? own.currency) === (own.currency ?? price.currency);

/**
 * Returns the first former or recommended price in the price specifications of an offer; undefined
 * if there is none.
 */
export function listPriceOf(offer: SchemaNode, reading: PriceReading): OfferedPrice | undefined {
  const listed = nodesOf(offer, "pricespecification").filter((one) =>
    listPriceTypes.has(priceTypeOf(one)),
  );
  const stated = listed.flatMap((one) => pricesIn(one, "price", reading));
  return stated.find((price) => typeof price === "object");
}

/**
 * Returns the price of one piece in price specifications; undefined if none of them is paid now.
 */
function specifiedPrice(specifications: readonly SchemaNode[], reading: PriceReading): StatedPrice {
  const paid = specifications.filter(isPaid);
  const ofOne = paid.filter(isOfPiece);
  const price = oneOf(ofOne.map((one) => pieceOrRange(one, reading)));
  return price ?? (paid.length > ofOne.length ? "unclear" : undefined);
}

const pieceOrRange = (specification: SchemaNode, reading: PriceReading): StatedPrice =>
  oneOf(pricesIn(specification, "price", reading)) ??
  between(specification, ["minprice", "maxprice"], reading);

/**
 * Returns the price of an aggregate offer: its lowest price, if this equals the highest price or
 * there is only one offer. Returns undefined if no lowest price is stated, and "unclear" in all
 * other cases.
 */
function rangePrice(aggregate: SchemaNode, reading: PriceReading): StatedPrice {
  const price = between(aggregate, ["lowprice", "highprice"], reading);
  const isBounded = valuesOf(aggregate, "highprice").length > 0;
  if (price === undefined || isBounded) return price;
  return textOf(aggregate, "offercount") === "1" ? price : "unclear";
}

/**
 * Returns the lowest price, if it equals the highest price or no highest price is stated. Returns
 * undefined if no price is stated, and "unclear" in all other cases.
 * @param lowest schema.org term of the lowest price
 * @param highest schema.org term of the highest price
 */
function between(
  node: SchemaNode,
  [lowest, highest]: readonly [string, string],
  reading: PriceReading,
): StatedPrice {
  const low = oneOf(pricesIn(node, lowest, reading));
  const high = oneOf(pricesIn(node, highest, reading));
  return high === undefined ? low : ((low && oneOf([low, high])) ?? "unclear");
}

/**
 * Returns the price if all stated prices have the same amount. Returns undefined if no price is
 * stated, and "unclear" if the prices differ or one of them is unclear.
 */
function oneOf(prices: readonly StatedPrice[]): StatedPrice {
  const stated = prices.filter((price) => price !== undefined);
  const amounts = new Set(stated.map((price) => (price === "unclear" ? price : price.amount)));
  return amounts.size > 1 ? "unclear" : stated[0];
}

const pricesIn = (node: SchemaNode, term: string, reading: PriceReading): StatedPrice[] =>
  valuesOf(node, term).map((value) => priceIn(node, value, reading));

/**
 * Parses one price. Returns undefined for 0 and for strings without a number, which pages show for
 * an unknown price. Returns "unclear" for any other string that is not one amount.
 */
function priceIn(node: SchemaNode, value: SchemaValue, reading: PriceReading): StatedPrice {
  if (isNode(value) || typeof value === "boolean") return undefined;
  const stated = textOf(node, "pricecurrency") ?? reading.currency;
  const currency = currencyIn(stated ?? "") ?? currencyIn(String(value));
  const amount = amountOf(value, currency ?? reading.wantedCurrency);
  if (amount !== undefined) return { amount, currency };
  return /[1-9]/.test(String(value)) ? "unclear" : undefined;
}

/**
 * Returns true for a price that every buyer pays now for the item itself. Returns false for a list
 * price or another type of price, for an additional charge, and for a price for some buyers only.
 */
const isPaid = (specification: SchemaNode): boolean => {
  const type = priceTypeOf(specification);
  const isOther = listPriceTypes.has(type) || otherPriceTypes.has(type);
  const isBeside = specification.types.some((one) => chargeTypes.has(one));
  return !isOther && !isBeside && !isForSome(specification);
};

/**
 * Returns true for the current price of one piece for every buyer. Returns false for the price of
 * several pieces, or of a measure such as a liter.
 */
const isOfPiece = (specification: SchemaNode): boolean =>
  isPaid(specification) && !isOfMany(specification) && !isOfMeasure(specification);

/**
 * Returns true for a price for members only, or for something other than a purchase (such as a
 * rent).
 */
const isForSome = (node: SchemaNode): boolean =>
  valuesOf(node, "validformembertier").length > 0 ||
  !["sell", undefined].includes(termIn(node, "businessfunction"));

/** Returns true for a price that applies only from a quantity of more than one piece. */
const isOfMany = (node: SchemaNode): boolean =>
  valuesOf(node, "eligiblequantity").some((value) => {
    const least = isNode(value) ? textOf(value, "minvalue", "value") : withoutPiece(String(value));
    return least !== undefined && Number(least) !== 1 && Number(least) !== 0;
  });

/** Returns the number in a string such as "1 pc"; returns any other string unchanged. */
function withoutPiece(quantity: string): string {
  const [, number, unit = ""] = /^\s*([\d.]+)\s*([a-z]+)\s*$/i.exec(quantity) ?? [];
  return number !== undefined && pieceUnits.has(unit.toLowerCase()) ? number : quantity;
}

/** Returns true for a price by weight, length or month, and for a component of a price. */
const isOfMeasure = (specification: SchemaNode): boolean =>
  ["billingduration", "pricecomponenttype"].some(
    (term) => valuesOf(specification, term).length > 0,
  ) ||
  !valuesOf(specification, "referencequantity").every(isPiece) ||
  unitsOf(specification).some((unit) => !pieceUnits.has(unit));

/** Returns true if a quantity is one piece and is not defined by another quantity. */
const isPiece = (quantity: SchemaValue): boolean =>
  isNode(quantity) &&
  Number(textOf(quantity, "value")) === 1 &&
  unitsOf(quantity).length > 0 &&
  unitsOf(quantity).every((unit) => pieceUnits.has(unit)) &&
  valuesOf(quantity, "valuereference").length === 0;

const unitsOf = (node: SchemaNode): string[] =>
  ["unitcode", "unittext"].map((term) => termIn(node, term)).filter((unit) => unit !== undefined);

const priceTypeOf = (specification: SchemaNode): string => termIn(specification, "pricetype") ?? "";

/** Returns the value of a property as a term (see `termOf`); undefined if the node lacks it. */
function termIn(node: SchemaNode, term: string): string | undefined {
  const [value] = valuesOf(node, term);
  const text = isNode(value) ? (value.id ?? textOf(value, "name")) : value;
  return text === undefined ? undefined : termOf(String(text));
}
