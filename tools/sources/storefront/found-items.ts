import { itemIdPattern } from "../../../shared/platforms/item-id.ts";
import type { Platform } from "../../../shared/platforms/catalogue.ts";
import { shortIdOf } from "../../../shared/sources/storefront/item-id.ts";
import { amountOfMinor } from "../../../shared/sources/storefront/minor-units.ts";
import { type CatalogProduct, titleOf } from "../../../shared/sources/storefront/product.ts";

/** A variant that a search found. */
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

/** Lists the variants of products. */
export const itemsOf = (products: readonly CatalogProduct[]): FoundItem[] =>
  products.flatMap((product) =>
    product.variants.map((variant) => ({
      id: shortIdOf(variant.id),
      store_id: variant.id,
      title: titleOf({ product, variant }) ?? "",
      price: variant.price ? amountOfMinor(variant.price.amount, variant.price.currency) : null,
      currency: variant.price?.currency ?? null,
      in_stock: variant.availability?.available ?? null,
      url: variant.url ?? product.url ?? null,
    })),
  );

/**
 * Returns the template that converts item IDs to store IDs; undefined if the IDs of
 * the store have no common form.
 */
export function idTemplateOf(items: readonly FoundItem[]): string | undefined {
  const templates = new Set(
    items.map(({ id, store_id: storeId }) => `${storeId.slice(0, storeId.length - id.length)}{id}`),
  );
  const [template] = templates;
  return templates.size === 1 ? template : undefined;
}

/** Returns true for an ID that a platform accepts. */
export const fitsPlatform = (id: string, platform: Platform): boolean =>
  new RegExp(itemIdPattern(platform)).test(id);
