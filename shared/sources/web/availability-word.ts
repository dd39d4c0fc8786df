import { termOf } from "./schema-node.ts";

/** The vocabulary's words for whether something can be had. */
export type AvailabilityWord = keyof typeof words;

/** Whether each can be bought, and how a person says it. */
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

/** Words of other vocabularies and common slips. */
const sameAs: Readonly<Record<string, AvailabilityWord>> = {
  available: "instock",
  availablefororder: "backorder",
  oos: "outofstock",
  unavailable: "outofstock",
};

const isWord = (word: string): word is AvailabilityWord => Object.hasOwn(words, word);

/** The word that a text is, in any of its spellings; undefined when nobody knows it. */
export function availabilityWord(text: string): AvailabilityWord | undefined {
  const word = termOf(text).replaceAll(/[\s_-]/g, "");
  return isWord(word) ? word : Object.hasOwn(sameAs, word) ? sameAs[word] : undefined;
}

/** The word as a result shows it. */
export const availabilityOf = (
  word: AvailabilityWord,
): { readonly inStock: boolean; readonly message: string } => words[word];
