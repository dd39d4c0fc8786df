import { type AvailabilityWord, availabilityOf, availabilityWord } from "./availability-word.ts";
import { listPriceOf, type OfferedPrice, priceOf } from "./offer-price.ts";
import { offersOf } from "./product-candidates.ts";
import { isNode, nodesOf, type SchemaNode, termOf, textOf, valuesOf } from "./schema-node.ts";
import { isNamed, type WantedProduct } from "./wanted-product.ts";

/** The values of the offer that represents a product. Absent values are unknown. */
export interface ChosenOffer {
  readonly price?: OfferedPrice | undefined;
  readonly listPrice?: OfferedPrice | undefined;
  readonly availability?: AvailabilityWord | undefined;
  /**
   * True if the page has a price that cannot be determined. Prices from other markup are then
   * ignored.
   */
  readonly isPriceUnclear?: boolean;
  readonly node?: SchemaNode;
}

interface ReadOffer extends ChosenOffer {
  readonly node: SchemaNode;
  readonly isPriceUnclear: boolean;
}

/**
 * Chooses the offer that represents a product. Prefers offers in this order: in the currency of the
 * marketplace, with the requested ID, new, in stock, first on the page. If equally good offers, or
 * the variants of the product, have different prices, the result has no price. Returns an empty
 * object if there is no offer.
 */
export function chooseOffer(product: SchemaNode, wanted: WantedProduct): ChosenOffer {
  const chosen = bestOffer(product, wanted);
  const variants = nodesOf(product, "hasvariant").map((variant) => bestOffer(variant, wanted));
  const amounts = new Set([chosen, ...variants].map(({ price }) => price?.amount).filter(Boolean));
  const isUnclear = amounts.size > 1 || variants.some((variant) => variant.isPriceUnclear === true);
  if (!isUnclear) return chosen;
  const { price: _price, listPrice: _listPrice, ...others } = chosen;
  return { ...others, isPriceUnclear: true };
}

/**
 * Returns the best offer of a product, without its variants; an empty object if it has no offer.
 */
function bestOffer(product: SchemaNode, wanted: WantedProduct): ChosenOffer {
  const offers = offersOf(product).flatMap((node) => readOffers(node, wanted));
  const best = offers.reduce((most, offer) => Math.max(most, rank(offer, wanted)), 0);
  const equals = offers.filter((offer) => rank(offer, wanted) === best);
  const [first] = equals;
  if (first === undefined) return {};
  const amounts = new Set(equals.map(({ price }) => price?.amount).filter(Boolean));
  if (amounts.size === 1) return equals.find(({ price }) => price !== undefined) ?? first;
  if (amounts.size === 0) {
    return { ...first, isPriceUnclear: equals.some(({ isPriceUnclear }) => isPriceUnclear) };
  }
  const stock = new Set(equals.map((offer) => isBuyable(offer)));
  const availability = stock.size === 1 ? first.availability : undefined;
  return { availability, isPriceUnclear: true };
}

/**
 * Returns the rank of an offer; the highest rank is best. Each condition outweighs all conditions
 * below it.
 */
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

/**
 * Returns the offers inside an aggregate offer. If the node contains no offers, returns the node
 * itself as the only offer.
 */
function readOffers(node: SchemaNode, wanted: WantedProduct): ReadOffer[] {
  const within = nodesOf(node, "offers");
  if (within.length === 0) return [readOffer(node, wanted, undefined)];
  return within.map((offer) => readOffer(offer, wanted, node));
}

/**
 * Reads the price, the list price and the availability of an offer.
 * @param aggregate the aggregate offer that contains the offer, for values that the offer lacks
 */
function readOffer(
  node: SchemaNode,
  wanted: WantedProduct,
  aggregate: SchemaNode | undefined,
): ReadOffer {
  const currency = textOf(node, "pricecurrency") ?? textOf(aggregate ?? node, "pricecurrency");
  const word =
    availabilityIn(node) ?? (aggregate === undefined ? undefined : availabilityIn(aggregate));
  const reading = { wantedCurrency: wanted.currency, currency };
  const stated = isAuction(node) ? "unclear" : priceOf(node, reading);
  const price = typeof stated === "object" ? stated : undefined;
  const listPrice = listPriceOf(node, reading);
  return { node, price, listPrice, availability: word, isPriceUnclear: stated === "unclear" };
}

/** Returns true for an offer in an auction, whose price is a bid or an estimate. */
const isAuction = (offer: SchemaNode): boolean =>
  /\b(?:for|live|online|timed) auction\b/i.test(textOf(offer, "itemoffered") ?? "");

const availabilityIn = (node: SchemaNode): AvailabilityWord | undefined =>
  firstOf(valuesOf(node, "availability"), (value) =>
    availabilityWord(isNode(value) ? (value.id ?? "") : String(value)),
  );

/** Returns the first result that is not undefined; undefined if there is none. */
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
