import { isNode, nodesOf, type SchemaNode, textOf, valuesOf } from "./schema-node.ts";

/** The requested product, with the address of its page. */
export interface WantedProduct {
  readonly id: string;
  /** The address of the page after redirects. */
  readonly url: URL;
  /**
   * The currency of the marketplace (ISO 4217), in which prices must be. Null accepts prices in
   * every currency: only the training of the forest and the benchmarks use null.
   */
  readonly currency: string | null;
}

const numberTerms = ["sku", "productid", "gtin", "gtin13", "gtin12", "gtin14", "gtin8", "mpn"];

/**
 * Returns true if a string contains an item ID, ignoring case. An ID of digits must not be part of
 * a longer number. Any other ID must not be next to a letter or digit.
 */
export function mentions(text: string, id: string): boolean {
  const within = text.toLowerCase();
  const wanted = id.toLowerCase();
  const more = /^\d+$/.test(id) ? /\d/ : /[\p{L}\d]/u;
  for (let at = within.indexOf(wanted); at !== -1; at = within.indexOf(wanted, at + 1)) {
    const before = within[at - 1] ?? "";
    const after = within[at + wanted.length] ?? "";
    if (!more.test(before) && !more.test(after)) return true;
  }
  return false;
}

/**
 * Returns true if an address contains the ID as `mentions` defines it. Also finds an ID that is
 * percent-encoded in the address.
 */
export function addressMentions(address: string, id: string): boolean {
  return mentions(address, id) || mentions(unescapeAddress(address), id);
}

/** Returns true if a product number of a schema.org node, such as its SKU, equals the ID. */
export const isNumbered = (node: SchemaNode, id: string): boolean =>
  numberTerms.some((term) =>
    valuesOf(node, term).some((value) => !isNode(value) && isSame(String(value), id)),
  );

/**
 * Returns true if a product number or an address of a schema.org node contains the ID, as
 * `mentions` defines it.
 */
export function isNamed(node: SchemaNode, id: string): boolean {
  if (isNumbered(node, id)) return true;
  const numbers = [...numberTerms, "productgroupid"].flatMap((term) => valuesOf(node, term));
  if (numbers.some((value) => !isNode(value) && mentions(String(value), id))) return true;
  return addressesOf(node).some((address) => addressMentions(address, id));
}

/**
 * Returns true if a product number or an address of a schema.org node, or of one of its offers,
 * contains the ID, as `isNamed` defines it.
 */
export const isNamedWithOffers = (node: SchemaNode, id: string): boolean =>
  isNamed(node, id) || nodesOf(node, "offers").some((offer) => isNamed(offer, id));

/**
 * Returns true if a schema.org node states an SKU, a product ID or an address, so that it can be
 * compared with the requested product.
 */
export const hasIdentity = (node: SchemaNode): boolean =>
  textOf(node, "sku", "productid", "url") !== undefined;

/** Returns the addresses and the ID of a node. */
function addressesOf(node: SchemaNode): string[] {
  const addresses = valuesOf(node, "url").map((value) =>
    isNode(value) ? value.id : String(value),
  );
  return [...addresses, node.id].filter((address) => address !== undefined);
}

const isSame = (value: string, id: string): boolean =>
  value.trim().toLowerCase() === id.toLowerCase();

/** Decodes the percent-encoding of an address. Returns an invalid address unchanged. */
function unescapeAddress(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
