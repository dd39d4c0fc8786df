import { readFileSync } from "node:fs";
import { extractProduct, type Extraction } from "../../../../shared/sources/web/extract-product.ts";
import type { ProductFacts } from "../../../../shared/sources/web/product-facts.ts";
import type { WantedProduct } from "../../../../shared/sources/web/wanted-product.ts";

/** Returns the small product page `name` of the fixtures, which was written for the tests. */
export const fixturePage = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/pages/${name}.html`, import.meta.url), "utf8");

/** A text that makes a page as long as the page of a shop. */
const filling = `<p>${"Words without meaning. ".repeat(1_000)}</p>`;

/** Builds a page with this head. Its canonical address contains the product ID 6501234. */
export const aPage = (head: string, body = ""): string =>
  `<html><head><title>Shop</title><link rel="canonical" href="/p/6501234">${head}</head>` +
  `<body>${body}${filling}</body></html>`;

/** Builds a page that does not state its address. */
export const aPageWithoutAddress = (head: string, body = ""): string =>
  `<html><head><title>Shop</title>${head}</head><body>${body}${filling}</body></html>`;

/**
 * Returns a `<script>` element with JSON-LD for each block. A block that is a string is inserted
 * unchanged.
 */
export const linkedData = (...blocks: readonly unknown[]): string =>
  blocks
    .map((block) => (typeof block === "string" ? block : JSON.stringify(block)))
    .map((text) => `<script type="application/ld+json">${text}</script>`)
    .join("");

/** Builds a JSON-LD offer in stock at 19.99 US dollars. `fields` replaces its fields. */
export const anOffer = (
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  "@type": "Offer",
  price: "19.99",
  priceCurrency: "USD",
  availability: "https://schema.org/InStock",
  ...fields,
});

/** Builds a JSON-LD product with one offer. `fields` replaces its fields. */
export const aProduct = (
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  "@context": "https://schema.org",
  "@type": "Product",
  name: "Kelwick Lamp",
  offers: anOffer(),
  ...fields,
});

/** Returns the result of extracting product 6501234 in US dollars from the markup of a page. */
export const extracted = (html: string, wanted: Partial<WantedProduct> = {}): Extraction =>
  extractProduct(
    html,
    { id: "6501234", url: new URL("https://shop.example/p/6501234"), currency: "USD", ...wanted },
    { fallbacks: new Set() },
  );

/**
 * Returns the facts that are extracted from a page.
 * @throws Error if the page is not that of the product
 */
export function factsOf(html: string, wanted: Partial<WantedProduct> = {}): ProductFacts {
  const extraction = extracted(html, wanted);
  if (extraction.proof !== "product") throw new Error(`the page proves ${extraction.proof}`);
  return extraction.facts;
}
