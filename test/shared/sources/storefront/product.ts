/**
 * Builds a product with one variant, which is in stock, as the reply to a lookup contains it.
 * `changes` replaces fields of the variant.
 */
export const aProduct = (
  storeId: string,
  { title, amount }: { readonly title: string; readonly amount: number },
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  id: storeId.replace("Variant", ""),
  title,
  description: { plain: title },
  price_range: {
    min: { amount, currency: "USD" },
    max: { amount, currency: "USD" },
  },
  variants: [
    {
      id: storeId,
      title: "Default Title",
      description: { plain: title },
      price: { amount, currency: "USD" },
      availability: { available: true, status: "in_stock" },
      rating: { value: 4.5, scale_max: 5, count: 12 },
      inputs: [{ id: storeId, match: "exact" }],
      ...changes,
    },
  ],
});
