import { describe, expect, it } from "vitest";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import {
  parseCatalogReply,
  isReportedMissing,
  variantFor,
} from "../../../../shared/sources/storefront/catalog-reply.ts";
import {
  storefrontAnswer,
  type StorefrontPlatform,
} from "../../../../shared/sources/storefront/fields.ts";
import { amountOfMinor } from "../../../../shared/sources/storefront/minor-units.ts";
import { violationsOf } from "../../../../tools/sources/storefront/official-schemas.ts";

const storeId = "gid://store/ProductVariant/44123456789012";

/** Returns a hand-written reply with a variant that has every part that the adapter reads. */
const completeReply = (
  changes: Readonly<Record<string, unknown>> = {},
  ofProduct: Readonly<Record<string, unknown>> = {},
): object => ({
  ucp: {
    version: "2026-08-25",
    capabilities: { "dev.ucp.shopping.catalog.lookup": [{ version: "2026-08-25" }] },
  },
  products: [
    {
      id: "gid://store/Product/7712345678901",
      handle: "trail-master",
      title: "Trail Master X",
      description: { plain: "Shoes for trails." },
      url: "https://store.example/products/trail-master",
      categories: [
        { value: "187", taxonomy: "google_product_category" },
        { value: "Shoes > Trail", taxonomy: "merchant" },
      ],
      price_range: {
        min: { amount: 15_000, currency: "USD" },
        max: { amount: 15_000, currency: "USD" },
      },
      media: [
        { type: "image", url: "https://cdn.store.example/shared.jpg" },
        { type: "video", url: "https://cdn.store.example/film.mp4" },
      ],
      metadata: { vendor: "Trailhouse" },
      variants: [
        {
          id: storeId,
          sku: "TMX-GRN-11",
          title: "Green / 11",
          description: { plain: "Green, size 11" },
          url: "https://store.example/products/trail-master?variant=44123456789012",
          price: { amount: 12_999, currency: "USD" },
          list_price: { amount: 15_000, currency: "USD" },
          availability: { available: true, status: "in_stock" },
          barcodes: [{ type: "GTIN", value: "00012345678905" }],
          options: [
            { name: "Color", label: "Green" },
            { name: "Size", label: "11" },
          ],
          media: [{ type: "image", url: "https://cdn.store.example/green.jpg" }],
          rating: { value: 8.6, scale_max: 10, count: 128 },
          seller: { name: "Trail Store" },
          inputs: [{ id: storeId, match: "exact" }],
          ...changes,
        },
      ],
      ...ofProduct,
    },
  ],
});

function answerTo(
  reply: object,
  {
    platform = "retailer_b",
    retailerName,
  }: { readonly platform?: StorefrontPlatform; readonly retailerName?: string } = {},
): Answer {
  const catalog = parseCatalogReply(reply);
  const found = catalog === null ? undefined : variantFor(storeId, catalog, true);
  if (found === undefined) throw new Error("The reply has no variant for the ID");
  return storefrontAnswer(found, {
    id: "44123456789012",
    platform,
    currency: "USD",
    fetchedAt: "2026-11-27T00:00:00.000Z",
    retailerName,
  });
}

const fieldsIn = (answer: Answer): Readonly<Record<string, unknown>> =>
  "fields" in answer ? answer.fields : {};
const changed = (changes: Readonly<Record<string, unknown>>): Answer =>
  answerTo(completeReply(changes));

describe("the fields of an item that the storefront adapter reads from a store", () => {
  it("are parsed in these tests from a reply that matches the protocol's official schema of lookup responses", () => {
    expect(violationsOf("lookupResponse", completeReply())).toEqual([]);
  });

  it("contain every field of retailer_b that the protocol provides", () => {
    expect(answerTo(completeReply(), { retailerName: "Trail Store" })).toEqual({
      id: "44123456789012",
      status: "ok",
      fetchedAt: "2026-11-27T00:00:00.000Z",
      fields: {
        title: "Trail Master X - Green / 11",
        url: "https://store.example/products/trail-master?variant=44123456789012",
        price: { amount: 129.99, currency: "USD" },
        availability: { inStock: true, message: "In stock" },
        seller: { name: "Trail Store" },
        fulfillment: { byPlatform: true },
        images: ["https://cdn.store.example/green.jpg", "https://cdn.store.example/shared.jpg"],
        retailer_b: {
          brand: "Trailhouse",
          upc: "012345678905",
          parentId: "7712345678901",
          listPrice: { amount: 150, currency: "USD" },
          thirdPartySeller: false,
          onlineAvailable: true,
          preOrder: false,
          category: "Shoes > Trail",
          rating: 4.3,
          reviewsCount: 128,
          color: "Green",
        },
      },
    });
  });

  it("contain the price and the stock in the form of the platforms retailer_c and retailer_d", () => {
    expect(fieldsIn(answerTo(completeReply(), { platform: "retailer_c" }))["retailer_c"]).toEqual({
      regularPrice: 150,
      shipping: "IN_STOCK",
    });
    expect(fieldsIn(answerTo(completeReply(), { platform: "retailer_d" }))["retailer_d"]).toEqual({
      state: "ADD_TO_CART",
      regularPrice: 150,
      savings: 20.01,
      brand: "Trailhouse",
      category: "Shoes > Trail",
      purchasable: true,
    });
  });

  it.each([
    ["the product's title, for the only variant of a product", "Default Title", "Trail Master X"],
    [
      "the variant's title, if it begins with the product's",
      "Trail Master X 11",
      "Trail Master X 11",
    ],
    ["both titles in any other case", "11", "Trail Master X - 11"],
  ])("have as their title, depending on the variant, %s", (_, title, expected) => {
    expect(fieldsIn(changed({ title }))["title"]).toBe(expected);
  });

  it.each([
    [
      { available: true, status: "in_stock" },
      { inStock: true, message: "In stock" },
    ],
    [{ available: true }, { inStock: true, message: "In stock" }],
    [{ available: false }, { inStock: false, message: "Out of stock" }],
    [{ status: "out_of_stock" }, { inStock: false, message: "Out of stock" }],
    [
      { available: true, status: "backorder" },
      { inStock: true, message: "Back order" },
    ],
    [
      { available: true, status: "preorder" },
      { inStock: true, message: "Pre-order" },
    ],
    [
      { available: false, status: "preorder" },
      { inStock: false, message: "Out of stock" },
    ],
    [
      { available: false, status: "discontinued" },
      { inStock: false, message: "Discontinued" },
    ],
    [
      { available: true, status: "in_warehouse" },
      { inStock: true, message: "In stock" },
    ],
    [{ available: true, status: "discontinued" }, undefined],
    [{ available: false, status: "in_stock" }, undefined],
    [{ status: "in_warehouse" }, undefined],
    [undefined, undefined],
  ])("have the availability that matches the store's value %j", (availability, expected) => {
    const answer = changed({ availability });
    expect(fieldsIn(answer)["availability"]).toEqual(expected);
    expect(answer.status).toBe(expected === undefined ? "partial" : "ok");
  });

  it("show a seller who is not the store's owner as a third party, and no shipper", () => {
    const fields = fieldsIn(answerTo(completeReply(), { retailerName: "Another Store" }));
    expect(fields["seller"]).toEqual({ name: "Trail Store" });
    expect(fields).not.toHaveProperty("fulfillment");
    expect(fields["retailer_b"]).toMatchObject({ thirdPartySeller: true });
  });

  it("show the store's owner as the seller if the store names no seller", () => {
    const reply = completeReply({ seller: undefined });
    const fields = fieldsIn(answerTo(reply, { retailerName: "Trail Store" }));
    expect(fields).toMatchObject({
      seller: { name: "Trail Store" },
      fulfillment: { byPlatform: true },
    });
    expect(fieldsIn(answerTo(reply))).not.toHaveProperty("seller");
  });

  it.each([
    ["a UPC", [{ type: "UPC", value: "012345678905" }], "012345678905"],
    ["an EAN that is a UPC with a zero", [{ type: "EAN", value: "0012345678905" }], "012345678905"],
    ["an EAN of another country", [{ type: "EAN", value: "4006381333931" }], undefined],
    ["an ISBN", [{ type: "ISBN", value: "9783161484100" }], undefined],
  ])("have the UPC that results if the store has the barcode: %s", (_, barcodes, upc) => {
    expect((fieldsIn(changed({ barcodes }))["retailer_b"] as { upc?: string }).upc).toBe(upc);
  });

  it("have no rating outside the scale of the rating", () => {
    const rating = { value: 12, scale_max: 10, count: 3 };
    expect(fieldsIn(changed({ rating }))["retailer_b"]).not.toHaveProperty("rating");
  });

  it.each([
    ["a price in another currency", { price: { amount: 12_999, currency: "EUR" } }, "partial"],
    ["no price", { price: undefined }, "partial"],
    ["a price of 0", { price: { amount: 0, currency: "USD" } }, "partial"],
    [
      "a price with decimals, which is not in minor units",
      { price: { amount: 129.99, currency: "USD" } },
      "partial",
    ],
    ["a price above a billion", { price: { amount: 100_000_000_001, currency: "USD" } }, "partial"],
    ["a price for a pound", { quantity_unit: { unit: "LBR", scale: 2 } }, "partial"],
    ["a price for one piece", { quantity_unit: { unit: "C62", scale: 0 } }, "ok"],
  ])('give an item with $0 the status "$2"', (_, changes, status) => {
    expect(changed(changes).status).toBe(status);
  });
});

describe("an amount in minor units", () => {
  it.each([
    [12_999, "USD", 129.99],
    [1_999, "JPY", 1_999],
    [1_999, "KWD", 1.999],
    [1_999, "IQD", 1.999],
    [1_999, "COP", 19.99],
    [12_345, "CLF", 1.2345],
    [9_007_199_254_740_991, "USD", 90_071_992_547_409.91],
  ])(
    "is converted to the main unit: the amount %i of the currency %s is %d",
    (minor, currency, amount) => {
      expect(amountOfMinor(minor, currency)).toBe(amount);
    },
  );
});

describe("a reply of a store", () => {
  const missing = (content: string, type = "info", others: readonly object[] = []): object => ({
    ucp: { version: "2026-08-25" },
    products: [],
    messages: [{ type, code: "not_found", content }, ...others],
  });
  const reports = (reply: object): boolean => {
    const catalog = parseCatalogReply(reply);
    return catalog !== null && isReportedMissing(storeId, catalog);
  };

  it.each([
    ["its ID", storeId],
    ["a sentence with its ID", `Product not found: ${storeId}.`],
    ["its ID and a colon", `${storeId}: no such variant`],
  ])("reports an item as missing if a message names the item exactly (by %s)", (_, content) => {
    expect(reports(missing(content))).toBe(true);
    expect(reports(missing(content, "error"))).toBe(true);
  });

  it.each([
    ["a longer ID", `${storeId}3`],
    ["an ID that ends with it", `https://${storeId}`],
    ["no ID", "Some items were not found"],
  ])(
    "does not report an item as missing if no message names the item exactly (a message with %s)",
    (_, content) => {
      expect(reports(missing(content))).toBe(false);
    },
  );

  it("reports an item as missing by a message whose path contains its ID", () => {
    const message = { type: "info", code: "not_found", path: `$.ids['${storeId}']` };
    expect(reports({ ucp: { version: "2026-08-25" }, products: [], messages: [message] })).toBe(
      true,
    );
  });

  it("does not report an item as missing if a message is only a warning, or if the reply contains a variant with the item's ID", () => {
    expect(reports(missing(storeId, "warning"))).toBe(false);
    expect(reports({ ...missing(storeId), ...completeReply() })).toBe(false);
  });

  it("does not report an item as missing if the reply also contains another error", () => {
    const error = { type: "error", code: "search_down", content: "x", severity: "recoverable" };
    expect(reports(missing(storeId, "info", [error]))).toBe(false);
  });

  it("contains an item only if the store marks a match of the item's ID as exact", () => {
    const inputs = (match: string, id = storeId): object =>
      completeReply({ inputs: [{ id, match }] });
    const found = (reply: object): boolean => {
      const catalog = parseCatalogReply(reply);
      return catalog !== null && variantFor(storeId, catalog, true) !== undefined;
    };
    expect(found(inputs("exact"))).toBe(true);
    expect(found(inputs("featured"))).toBe(false);
    expect(found(inputs("nearest"))).toBe(false);
    expect(found(inputs("exact", "gid://store/Product/7712345678901"))).toBe(false);
    expect(found(completeReply({ inputs: undefined }))).toBe(false);
  });

  it.each([
    ["two variants with this ID", { price: { amount: 99, currency: "USD" } }, {}],
    ["two variants with other IDs", { id: "1" }, { id: "2" }],
  ])("contains no item for an ID with several exact matches (%s)", (_, one, other) => {
    const productsIn = (changes: object): readonly object[] =>
      (completeReply({ ...changes }) as { products: readonly object[] }).products;
    const products = [...productsIn(one), ...productsIn(other)];
    const catalog = parseCatalogReply({ ucp: { version: "2026-08-25" }, products });
    expect(catalog?.products).toHaveLength(2);
    expect(catalog && variantFor(storeId, catalog, false)).toBeUndefined();
  });

  it("contains an exact match with another ID only if the store's IDs do not name variants", () => {
    const catalog = parseCatalogReply(completeReply({ id: "gid://store/ProductVariant/1" }));
    expect(catalog && variantFor(storeId, catalog, true)).toBeUndefined();
    expect(catalog && variantFor(storeId, catalog, false)?.variant.id).toMatch(/1$/);
  });

  it("contains no product and no variant with an ID of more than 255 characters", () => {
    const long = `${"9".repeat(120_000)}x`;
    expect(parseCatalogReply(completeReply({}, { id: long }))?.products).toEqual([]);
    expect(parseCatalogReply(completeReply({ id: long }))?.products[0]?.variants).toEqual([]);
  });

  it("contains the variant with the requested ID if an ID has several exact matches", () => {
    const twin = { ...completeReply({ id: "gid://store/ProductVariant/1", title: "Twin" }) };
    const [other] = (twin as { products: readonly object[] }).products;
    const [own] = (completeReply() as { products: readonly object[] }).products;
    const catalog = parseCatalogReply({ ucp: { version: "2026-08-25" }, products: [other, own] });
    expect(catalog && variantFor(storeId, catalog, true)?.variant.id).toBe(storeId);
  });
});
