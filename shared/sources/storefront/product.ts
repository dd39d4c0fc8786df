/**
 * Schemas of the parts of a store's products that the adapter reads. A wrong value counts as
 * absent.
 */
import * as v from "valibot";
import {
  amountMax,
  decimalNumber,
  foreignCount,
  foreignFlag,
  foreignText,
  foreignUrl,
  lenient,
  validEntries,
} from "../contract/foreign-value.ts";
import { plainLine } from "../contract/html-text.ts";
import { amountOfMinor } from "./minor-units.ts";

const text = v.pipe(
  foreignText,
  v.transform((value) => (value === undefined ? undefined : plainLine(value) || undefined)),
);

/** A list without its invalid entries; empty for any other value. */
const listOf = <Schema extends v.GenericSchema>(entry: Schema) =>
  v.fallback(v.optional(validEntries(entry), []), []);

/** An ID of a store. Longer IDs are invalid, because an answer contains the ID. */
const storeId = v.pipe(v.string(), v.minLength(1), v.maxLength(255));

/** A price in minor units of its currency. */
const price = v.pipe(
  v.object({ amount: foreignCount, currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)) }),
  v.transform(({ amount, currency }) =>
    amount === undefined || amountOfMinor(amount, currency) > amountMax
      ? undefined
      : { amount, currency },
  ),
);
export type MinorPrice = NonNullable<v.InferOutput<typeof price>>;

const number = lenient(v.pipe(decimalNumber, v.minValue(0)));
const rating = lenient(v.object({ value: number, scale_max: number, count: foreignCount }));
const medium = v.object({ type: v.literal("image"), url: foreignUrl });
const category = v.object({ value: text, taxonomy: text });

/** Metadata that many stores use. Its form is not standardized. */
const metadata = lenient(v.object({ brand: text, vendor: text }));

const variant = v.object({
  id: storeId,
  title: text,
  url: foreignUrl,
  categories: listOf(category),
  price: lenient(price),
  list_price: lenient(price),
  quantity_unit: lenient(v.object({ unit: text })),
  availability: lenient(v.object({ available: foreignFlag, status: text })),
  options: listOf(v.object({ name: text, label: text })),
  media: listOf(medium),
  rating,
  barcodes: listOf(v.object({ type: text, value: text })),
  metadata,
  seller: lenient(v.object({ name: text })),
  inputs: listOf(v.object({ id: storeId, match: text })),
});

/** A product in a reply to `lookup_catalog` or `search_catalog`. */
export const catalogProduct = v.object({
  id: storeId,
  title: text,
  url: foreignUrl,
  categories: listOf(category),
  media: listOf(medium),
  rating,
  metadata,
  variants: listOf(variant),
});

export type CatalogProduct = v.InferOutput<typeof catalogProduct>;
export type CatalogVariant = CatalogProduct["variants"][number];

/** A variant and the product to which it belongs. */
export interface FoundVariant {
  readonly product: CatalogProduct;
  readonly variant: CatalogVariant;
}

const defaultTitle = /^default(?: title)?$/i;

/**
 * Returns the title of a variant: the title of its product, followed by the variant's own title if
 * that title adds information. A product with only one variant often has the variant title "Default
 * Title", which is ignored. Returns undefined if neither has a title.
 */
export function titleOf({ product, variant: { title } }: FoundVariant): string | undefined {
  const own = title === undefined || defaultTitle.test(title) ? undefined : title;
  const { title: shared } = product;
  if (shared === undefined || own === undefined) return shared ?? own;
  return own.startsWith(shared) ? own : `${shared} - ${own}`;
}
