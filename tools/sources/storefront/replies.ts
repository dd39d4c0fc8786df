/** The replies of the reference store, in the form of the protocol. */
import {
  lookUp,
  numberOf,
  type Prices,
  productWith,
  search,
  type StoreItem,
  type StoreProduct,
} from "./catalog.ts";

/** The content of a tool's result. */
export type ToolContent = Readonly<Record<string, unknown>> & {
  readonly products: readonly StoreProduct[];
};

interface Serving {
  readonly version: string;
  readonly prices: Prices;
}

const metaOf = (version: string, capability: "lookup" | "search"): object => ({
  version,
  capabilities: { [`dev.ucp.shopping.catalog.${capability}`]: [{ version }] },
});

/**
 * Returns the content of a reply to a lookup: each product once, with all of its requested
 * variants, and a message for each unknown ID. Each variant names the ID by which it was requested.
 * The content does not mention the ID of a `silent` item.
 */
export function lookupContent(ids: readonly string[], { version, prices }: Serving): ToolContent {
  const at = new Date();
  const items = new Map<string, StoreItem[]>();
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const number = numberOf(id);
    const lookup = number === undefined ? undefined : lookUp(number, { at, prices });
    if (lookup === undefined || lookup.kind === "not_found") missing.push(id);
    else if (lookup.kind === "found") {
      const { productId, variant } = lookup.item;
      const exact = { ...variant, inputs: [{ id, match: "exact" }] };
      items.set(productId, [...(items.get(productId) ?? []), { productId, variant: exact }]);
    }
  }
  return {
    ucp: metaOf(version, "lookup"),
    // The order is reversed, because the protocol promises none.
    products: [...items].toReversed().map(([productId, productItems]) =>
      productWith(
        productId,
        productItems.map(({ variant }) => variant),
      ),
    ),
    ...(missing.length > 0 && {
      messages: missing.map((content) => ({ type: "info", code: "not_found", content })),
    }),
  };
}

const pageSizeDefault = 10;
const pageSizeMax = 100;

/** The arguments of a search, as the official schema describes them. */
export interface SearchArguments {
  readonly query?: string;
  readonly pagination?: { readonly cursor?: string; readonly limit?: number };
}

/** Returns the content of one page of a search. A cursor is the number of products before the page. */
export function searchContent(
  { query = "", pagination = {} }: SearchArguments,
  { version, prices }: Serving,
): ToolContent {
  const at = new Date();
  const foundItems = search(query);
  const from = Number(pagination.cursor ?? 0) || 0;
  const to = from + Math.min(pagination.limit ?? pageSizeDefault, pageSizeMax);
  const hasNext = to < foundItems.length;
  return {
    ucp: metaOf(version, "search"),
    products: foundItems.slice(from, to).map(({ productId, numbers }) =>
      productWith(
        productId,
        numbers.flatMap((number) => {
          const one = lookUp(number, { at, prices });
          return one.kind === "found" ? [one.item.variant] : [];
        }),
      ),
    ),
    pagination: {
      has_next_page: hasNext,
      total_count: foundItems.length,
      ...(hasNext && { cursor: String(to) }),
    },
  };
}
