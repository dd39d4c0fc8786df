import { termOf } from "./schema-node.ts";

/** An availability term of schema.org, as `termOf` writes it. */
export type AvailabilityWord = keyof typeof words;

/** For each term, whether the item can be ordered, and the message for the result. */
const words = {
  instock: { inStock: true, message: "In stock" },
  onlineonly: { inStock: true, message: "Online only" },
  instoreonly: { inStock: true, message: "In store only" },
  limitedavailability: { inStock: true, message: "Limited availability" },
  preorder: { inStock: true, message: "Pre-order" },
  presale: { inStock: true, message: "Pre-sale" },
  backorder: { inStock: true, message: "Back order" },
  madetoorder: { inStock: true, message: "Made to order" },
  outofstock: { inStock: false, message: "Out of stock" },
  soldout: { inStock: false, message: "Sold out" },
  discontinued: { inStock: false, message: "Discontinued" },
  reserved: { inStock: false, message: "Reserved" },
} as const;

/**
 * Terms of other vocabularies and common misspellings, with the schema.org terms that they mean.
 */
const sameAs: Readonly<Record<string, AvailabilityWord>> = {
  available: "instock",
  availablefororder: "backorder",
  oos: "outofstock",
  unavailable: "outofstock",
};

const isWord = (word: string): word is AvailabilityWord => Object.hasOwn(words, word);

/**
 * Parses an availability term. Ignores case, spaces, hyphens, underscores and a schema.org prefix,
 * and accepts common synonyms. Returns undefined for an unknown term.
 */
export function availabilityWord(text: string): AvailabilityWord | undefined {
  const word = termOf(text).replaceAll(/[\s_-]/g, "");
  return isWord(word) ? word : Object.hasOwn(sameAs, word) ? sameAs[word] : undefined;
}

/** Returns the `availability` field of a product for an availability term. */
export const availabilityOf = (
  word: AvailabilityWord,
): { readonly inStock: boolean; readonly message: string } => words[word];
