import { type ApiReaction, startApiDouble } from "../api-double.ts";

export interface DoubleCall {
  readonly skus: readonly string[];
  readonly url: URL;
  /** The position of this call among all calls, from 1. */
  readonly number: number;
}

export type Reaction = ApiReaction;

export interface ProductsDouble {
  readonly url: string;
  readonly calls: DoubleCall[];
  /** The highest number of calls that were handled at the same time. */
  atOnceMax(): number;
  stop(): Promise<void>;
}

/** Starts a local server in the role of the products API. `react` chooses its responses. */
export async function startProductsDouble(
  react: (call: DoubleCall) => Reaction,
): Promise<ProductsDouble> {
  const calls: DoubleCall[] = [];
  const double = await startApiDouble(({ path, query, number }) => {
    const skus = /sku in\(([\d,]*)\)/.exec(decodeURIComponent(path))?.[1]?.split(",") ?? [];
    const asked = new URL(`${path}?${query.toString()}`, "http://double.invalid");
    const call = { skus, url: asked, number };
    calls.push(call);
    return react(call);
  });
  return { ...double, calls };
}

/** Builds a product that is in stock, as a reply of the products API contains it. */
export const aProduct = (
  sku: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  sku: Number(sku),
  active: true,
  name: `Kelwick - Lamp ${sku}`,
  salePrice: 19.99,
  regularPrice: 24.99,
  onlineAvailability: true,
  orderable: "Available",
  ...fields,
});

/** Builds a complete reply with these products and their count. */
export const wholeReply = (products: readonly unknown[]): Record<string, unknown> => ({
  total: products.length,
  totalPages: 1,
  partial: false,
  products,
});
