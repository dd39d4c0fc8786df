import * as v from "valibot";
import { lenient, validEntries } from "../contract/foreign-value.ts";
import { catalogProduct, type CatalogProduct, type FoundVariant } from "./product.ts";

const message = v.object({
  type: v.string(),
  code: lenient(v.string()),
  content: v.fallback(v.string(), ""),
  path: lenient(v.string()),
});

const replySchema = v.object({
  ucp: lenient(v.object({ status: lenient(v.string()) })),
  products: v.optional(validEntries(catalogProduct)),
  messages: v.fallback(validEntries(message), []),
});

/** The reply to a tool of the catalog. */
export interface CatalogReply {
  readonly products: readonly CatalogProduct[];
  /** The texts and paths of the messages that report an unknown ID. */
  readonly notFound: readonly string[];
  /** The errors that do not report an unknown ID, each with its code and text. */
  readonly errors: readonly { readonly code: string | undefined; readonly text: string }[];
}

const notFoundCode = "not_found";

/**
 * Returns true for a message that reports an unknown ID. A warning with the same code is about an
 * item that exists in the store, such as an item with a replacement.
 */
const isMissing = ({ type, code }: v.InferOutput<typeof message>): boolean =>
  type !== "warning" && code?.toLowerCase() === notFoundCode;

/**
 * Parses the content of a tool's reply. Returns null if the content has neither products nor the
 * report of an error.
 */
export function parseCatalogReply(content: unknown): CatalogReply | null {
  const parsed = v.safeParse(replySchema, content);
  if (!parsed.success) return null;
  const { ucp, products, messages } = parsed.output;
  const errors = messages.filter((one) => one.type === "error" && !isMissing(one));
  const isError = ucp?.status === "error";
  if (products === undefined && !isError) return null;
  return {
    products: products ?? [],
    notFound: messages
      .filter(isMissing)
      .flatMap(({ content: text, path }) => (path === undefined ? [text] : [text, path])),
    errors: errors.map(({ code, content: text }) => ({ code, text })),
  };
}

/**
 * Returns the variant that a store's ID identifies. Considers only variants that the store marks as
 * exact matches of the ID, not variants that the store chose for a product. Variants whose own ID
 * is `storeId` take precedence; if `isVariantId` is true, only they count. Returns undefined if no
 * variant is left, or if the remaining variants differ, because the store then contradicts itself.
 * @param isVariantId true if the ID is the ID of a variant, false if it is another key, such as a
 * stock number
 */
export function variantFor(
  storeId: string,
  { products }: CatalogReply,
  isVariantId: boolean,
): FoundVariant | undefined {
  const exact = products.flatMap((product) =>
    product.variants.flatMap((variant) =>
      variant.inputs.some(({ id, match }) => id === storeId && match === "exact")
        ? [{ product, variant }]
        : [],
    ),
  );
  const own = exact.filter(({ variant }) => variant.id === storeId);
  const named = own.length > 0 || isVariantId ? own : exact;
  const different = new Set(named.map(({ variant }) => JSON.stringify(variant)));
  return different.size === 1 ? named[0] : undefined;
}

/**
 * Returns true if a reply proves that a store's ID does not exist. A reply with another error
 * proves nothing, because the store may not have searched for the item. A reply with a variant for
 * the ID proves nothing either.
 */
export const isReportedMissing = (
  storeId: string,
  { products, notFound, errors }: CatalogReply,
): boolean =>
  errors.length === 0 &&
  notFound.some((text) => mentions(text, storeId)) &&
  !products.some(({ variants }) =>
    variants.some(({ id, inputs }) => id === storeId || inputs.some((one) => one.id === storeId)),
  );

/** Matches a character of an ID. A colon is part of an ID only if another part follows. */
const idCharacter = /^(?:[\w/-]|:(?=[\w/-]))/;

/** Returns true if a string contains an ID that is not part of a longer ID. */
function mentions(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    const isLonger = at > 0 && idCharacter.test(text.slice(at - 1, at + 1));
    const end = at + id.length;
    if (!isLonger && !idCharacter.test(text.slice(end, end + 2))) return true;
  }
  return false;
}
