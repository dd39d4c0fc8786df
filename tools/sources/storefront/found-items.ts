import { itemIdPattern } from "../../../shared/platforms/item-id.ts";
import type { Platform } from "../../../shared/platforms/catalog.ts";
import { fieldsOf } from "../../../shared/sources/storefront/fields.ts";
import { shortIdOf } from "../../../shared/sources/storefront/item-id.ts";
import type { CatalogProduct, FoundVariant } from "../../../shared/sources/storefront/product.ts";

/** A variant in the result of a search. */
export interface FoundItem {
  /** The item's ID in this service. */
  readonly id: string;
  /** The ID in the store. */
  readonly store_id: string;
  readonly title: string;
  readonly price: number | null;
  readonly currency: string | null;
  /** Null if the store does not report it. */
  readonly in_stock: boolean | null;
  readonly url: string | null;
}

/**
 * Lists the variants of products, with the values that the adapter returns for them. The ID of a
 * variant is the number at the end of its store ID. If several store IDs end with the same number,
 * each of these variants has its store ID as its ID.
 */
export function itemsOf(products: readonly CatalogProduct[]): FoundItem[] {
  const foundItems = products.flatMap((product) =>
    product.variants.map((variant): FoundVariant => ({ product, variant })),
  );
  const storeIds = Map.groupBy(new Set(foundItems.map(({ variant }) => variant.id)), (storeId) =>
    shortIdOf(storeId),
  );
  return foundItems.map((one) => {
    const id = shortIdOf(one.variant.id);
    return itemOf(one, storeIds.get(id)?.length === 1 ? id : one.variant.id);
  });
}

function itemOf(foundVariant: FoundVariant, id: string): FoundItem {
  const { variant } = foundVariant;
  const currency = variant.price?.currency ?? null;
  const reading = { platform: "retailer_b", retailerName: undefined } as const;
  const fields = fieldsOf(foundVariant, { ...reading, currency: currency ?? "" });
  return {
    id,
    store_id: variant.id,
    title: fields.title ?? "",
    price: fields.price?.amount ?? null,
    currency,
    in_stock: fields.availability?.inStock ?? null,
    url: fields.url ?? null,
  };
}

/**
 * Returns the template that converts item IDs to store IDs; undefined if the store IDs have no
 * common form.
 */
export function idTemplateOf(items: readonly FoundItem[]): string | undefined {
  const templates = new Set(
    items.map(({ store_id: storeId }) => {
      const { length } = shortIdOf(storeId);
      return `${storeId.slice(0, storeId.length - length)}{id}`;
    }),
  );
  const [template] = templates;
  return templates.size === 1 ? template : undefined;
}

/** Returns true for an ID in the form of a platform's item IDs. */
export const fitsPlatform = (id: string, platform: Platform): boolean =>
  new RegExp(itemIdPattern(platform)).test(id);
