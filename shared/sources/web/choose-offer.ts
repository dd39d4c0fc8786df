import { amountOf } from "./amount.ts";
import { type AvailabilityWord, availabilityOf, availabilityWord } from "./availability-word.ts";
import { currencyIn } from "./currency-word.ts";
import { offersOf } from "./product-candidates.ts";
import { isNode, nodesOf, type SchemaNode, termOf, textOf, valuesOf } from "./schema-node.ts";
import { isNamed, type WantedProduct } from "./wanted-product.ts";

export interface OfferedPrice {
  readonly amount: number;
  /** ISO 4217; undefined when the page does not say. */
  readonly currency: string | undefined;
}

/** What the chosen offer of a product says. */
export interface ChosenOffer {
  readonly price?: OfferedPrice | undefined;
  readonly listPrice?: OfferedPrice | undefined;
  readonly availability?: AvailabilityWord | undefined;
  /** There is a price that cannot be read: what another markup says of it is not to be trusted. */
  readonly isPriceUnclear?: boolean;
  readonly node?: SchemaNode;
}

interface ReadOffer extends ChosenOffer {
  readonly node: SchemaNode;
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

/**
 * The offer to show of a product: in the wanted currency, of the wanted id, new, in stock; the
 * first of equals. Where equals differ in price, none of them is known to be the one.
 */
export function chooseOffer(product: SchemaNode, wanted: WantedProduct): ChosenOffer {
  const offers = offersOf(product).flatMap((node) => readOffers(node, wanted));
  const best = offers.reduce((most, offer) => Math.max(most, rank(offer, wanted)), 0);
  const equals = offers.filter((offer) => rank(offer, wanted) === best);
  const [first] = equals;
  if (first === undefined) return {};
  const amounts = new Set(equals.map(({ price }) => price?.amount).filter(Boolean));
  if (amounts.size === 1) return equals.find(({ price }) => price !== undefined) ?? first;
  if (amounts.size === 0) return { ...first, isPriceUnclear: hasUnreadPrice(first.node) };
  const stock = new Set(equals.map((offer) => isBuyable(offer)));
  return { availability: stock.size === 1 ? first.availability : undefined };
}

/** A price text that holds more than zeros. */
const hasUnreadPrice = (offer: SchemaNode): boolean =>
  valuesOf(offer, "price").some((value) => !isNode(value) && /[1-9]/.test(String(value)));

/** Higher is better; the order of the conditions is that of their weight. */
function rank(offer: ReadOffer, wanted: WantedProduct): number {
  const { price, node } = offer;
  const conditions = [
    price !== undefined && (wanted.currency === null || price.currency === wanted.currency),
    isNamed(node, wanted.id),
    isNew(node),
    isBuyable(offer) === true,
  ];
  return conditions.reduce((sum, holds) => sum * 2 + (holds ? 1 : 0), 0);
}

const isNew = (offer: SchemaNode): boolean =>
  termOf(textOf(offer, "itemcondition") ?? "newcondition").startsWith("new");

const isBuyable = ({ availability }: ReadOffer): boolean | undefined =>
  availability === undefined ? undefined : availabilityOf(availability).inStock;

/** An aggregate stands for the offers within it, if it holds any. */
function readOffers(node: SchemaNode, wanted: WantedProduct): ReadOffer[] {
  const within = nodesOf(node, "offers");
  if (within.length === 0) return [readOffer(node, wanted, undefined)];
  return within.map((offer) => readOffer(offer, wanted, node));
}

function readOffer(
  node: SchemaNode,
  wanted: WantedProduct,
  aggregate: SchemaNode | undefined,
): ReadOffer {
  const currency = textOf(node, "pricecurrency") ?? textOf(aggregate ?? node, "pricecurrency");
  const word =
    availabilityIn(node) ?? (aggregate === undefined ? undefined : availabilityIn(aggregate));
  const specifications = nodesOf(node, "pricespecification");
  const payable = specifications.filter(isPayable);
  const listed = specifications.filter((one) => listPriceTypes.has(priceTypeOf(one)));
  const price =
    priceIn(node, ["price"], { wanted, currency }) ??
    firstOf(payable, (one) => priceIn(one, ["price", "minprice"], { wanted, currency })) ??
    rangePrice(node, { wanted, currency });
  const listPrice = firstOf(listed, (one) => priceIn(one, ["price"], { wanted, currency }));
  return { node, price, listPrice, availability: word };
}

const availabilityIn = (node: SchemaNode): AvailabilityWord | undefined =>
  firstOf(valuesOf(node, "availability"), (value) =>
    availabilityWord(isNode(value) ? (value.id ?? "") : String(value)),
  );

/** Where the lowest is the highest, it is the price. */
function rangePrice(node: SchemaNode, reading: PriceReading): OfferedPrice | undefined {
  const low = priceIn(node, ["lowprice"], reading);
  const high = priceIn(node, ["highprice"], reading);
  return high === undefined || high.amount === low?.amount ? low : undefined;
}

/** Leaves out prices of a quantity, of members, and those that nobody pays now. */
function isPayable(specification: SchemaNode): boolean {
  const type = priceTypeOf(specification);
  if (listPriceTypes.has(type) || otherPriceTypes.has(type)) return false;
  return valuesOf(specification, "referencequantity", "validformembertier").length === 0;
}

const priceTypeOf = (specification: SchemaNode): string =>
  termOf(textOf(specification, "pricetype") ?? "");

interface PriceReading {
  readonly wanted: WantedProduct;
  /** What the offer around it says. */
  readonly currency: string | undefined;
}

function priceIn(
  node: SchemaNode,
  terms: readonly string[],
  { wanted, currency }: PriceReading,
): OfferedPrice | undefined {
  return firstOf(valuesOf(node, ...terms), (value) => {
    if (isNode(value) || typeof value === "boolean") return undefined;
    const stated = textOf(node, "pricecurrency") ?? currency;
    const unit = currencyIn(stated ?? "") ?? currencyIn(String(value));
    const amount = amountOf(value, unit ?? wanted.currency);
    return amount === undefined ? undefined : { amount, currency: unit };
  });
}

function firstOf<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
