import * as v from "valibot";
import { catalogProduct, type CatalogProduct, type FoundVariant } from "./product.ts";

const message = v.object({
  type: v.string(),
  code: v.fallback(v.optional(v.string()), undefined),
  content: v.fallback(v.string(), ""),
});

const replySchema = v.object({
  ucp: v.fallback(v.object({ status: v.fallback(v.optional(v.string()), undefined) }), {
    status: undefined,
  }),
  products: v.optional(v.array(v.unknown())),
  messages: v.fallback(v.array(v.unknown()), []),
});

/** The reply to a tool of the catalog. */
export interface CatalogReply {
  readonly products: readonly CatalogProduct[];
  /** The texts of the messages that report an unknown ID. */
  readonly notFound: readonly string[];
  /** The codes and the texts of all other errors. */
  readonly errors: readonly { readonly code: string | undefined; readonly text: string }[];
}

const notFoundCode = "not_found";

const isMissing = ({ code }: v.InferOutput<typeof message>): boolean =>
  code?.toLowerCase() === notFoundCode;

/**
 * Parses the content of a tool's reply. Returns null if it has neither products nor the report of
 * an error.
 */
export function parseCatalogReply(content: unknown): CatalogReply | null {
  const parsed = v.safeParse(replySchema, content);
  if (!parsed.success) return null;
  const { ucp, products, messages: sent } = parsed.output;
  const messages = sent.flatMap((one) => {
    const read = v.safeParse(message, one);
    return read.success ? [read.output] : [];
  });
  const errors = messages.filter((one) => one.type === "error" && !isMissing(one));
  const isError = ucp.status === "error";
  if (products === undefined && !isError) return null;
  return {
    products: (products ?? []).flatMap((one) => {
      const read = v.safeParse(catalogProduct, one);
      return read.success ? [read.output] : [];
    }),
    notFound: messages.filter(isMissing).map(({ content: text }) => text),
    errors: errors.map(({ code, content: text }) => ({ code, text })),
  };
}

/**
 * Returns the variant that the store marks as the exact match of a store ID; undefined if it marks
 * none. If it marks several variants, returns the variant with this ID, or else the first one.
 * Ignores variants that the store only chose to represent a product.
 */
export function variantFor(storeId: string, { products }: CatalogReply): FoundVariant | undefined {
  const exact = products.flatMap((product) =>
    product.variants.flatMap((variant) =>
      variant.inputs.some(({ id, match }) => id === storeId && match === "exact")
        ? [{ product, variant }]
        : [],
    ),
  );
  return exact.find(({ variant }) => variant.id === storeId) ?? exact[0];
}

/**
 * Returns true if the reply reports that a store's ID does not exist. A reply with another error
 * proves nothing, because the store may not have searched for the item.
 */
export const isReportedMissing = (storeId: string, { notFound, errors }: CatalogReply): boolean =>
  errors.length === 0 && notFound.some((text) => mentions(text, storeId));

/** Characters that can be part of an ID. */
const idCharacter = /[\w/:-]/;

/** Returns true if a text contains an ID that is not a part of a longer ID. */
function mentions(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + id.length);
    if (!idCharacter.test(before) && !idCharacter.test(after)) return true;
  }
  return false;
}
