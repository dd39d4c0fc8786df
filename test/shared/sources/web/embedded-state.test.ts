import { describe, expect, it } from "vitest";
import { aPage, linkedData, anOffer, aProduct } from "./page.ts";
import { factsWith } from "./readers.ts";

const heading = "<h1>Kelwick Desk Lamp</h1>";
const shown = `${heading}<p class="x">USD 21.50</p>`;
const json = (value: unknown): string =>
  `<script id="__DATA__" type="application/json">${JSON.stringify(value)}</script>`;

const read = (script: string, body = shown): ReturnType<typeof factsWith> =>
  factsWith(aPage(script, body), { fallbacks: ["state"] });

const product = { sku: "6501234", price: 21.5, currency: "USD", inStock: true };

describe("the reader of product data in a page's scripts", () => {
  it.each([
    ["a JSON script", json({ props: { product } })],
    [
      "a data layer",
      `<script>dataLayer.push({ecommerce: {items: [${JSON.stringify(product)}]}});</script>`,
    ],
    ["a global", `<script>window.__STATE__ = ${JSON.stringify({ a: [product] })};</script>`],
    [
      "a parsed text",
      `<script>var s = JSON.parse(${JSON.stringify(JSON.stringify(product))});</script>`,
    ],
    [
      "an object literal of JavaScript",
      `<script>var s = {sku: '6501234', price: 21.50, currency: 'USD', inStock: true};</script>`,
    ],
    ["a function call", `<script>gtag('event', 'view_item', ${JSON.stringify(product)});</script>`],
  ])("reads the price and the stock from a script that contains %s", (_, script) => {
    expect(read(script)).toMatchObject({
      price: { amount: 21.5, currency: "USD" },
      availability: "instock",
    });
  });

  it.each([
    [
      "only the page's address as its identity",
      { url: "/p/6501234", price: 21.5, currency: "USD" },
    ],
    [
      "only the page's title as its identity",
      { name: "Kelwick Desk Lamp", price: 21.5, currency: "USD" },
    ],
    ["a nested price", { id: 6_501_234, price: { current: { value: 21.5, currency: "USD" } } }],
    ["a price in minor units", { id: 6_501_234, price: 2_150, currency: "USD" }],
    ["a sale price", { id: "6501234", price: 30, salePrice: 21.5, currency: "USD" }],
  ])("finds the price of a product in a JSON script if the product has %s", (_, value) => {
    expect(read(json(value)).price).toEqual({ amount: 21.5, currency: "USD" });
  });

  it.each([
    ["of another product", { sku: "65012345", price: 21.5, currency: "USD" }],
    ["that the page does not show", { sku: "6501234", price: 20, currency: "USD" }],
    [
      "of a related product",
      { sku: "6501234", related: [{ sku: "7", price: 21.5, currency: "USD" }] },
    ],
    [
      "that is a range",
      { sku: "6501234", price: 21.5, minPrice: 21.5, maxPrice: 30, currency: "USD" },
    ],
    ["in another currency", { sku: "6501234", price: 21.5, currency: "EUR" }],
    ["that is a former price", { sku: "6501234", regularPrice: 21.5, currency: "USD" }],
  ])("reports no price that may be wrong: a price %s", (_, value) => {
    expect(read(json(value))).not.toHaveProperty("price");
  });

  it("reports neither price nor stock if two objects of the product disagree", () => {
    const other = { ...product, price: 30, inStock: false };
    const facts = read(json([product, other]), `${shown}<p>USD 30.00</p>`);
    expect(facts).not.toHaveProperty("price");
    expect(facts).not.toHaveProperty("availability");
  });

  it("adds the stock to markup that has only a price, and does not replace the price in the markup", () => {
    const { availability: _word, ...offer } = anOffer();
    const html = aPage(
      linkedData(aProduct({ offers: offer })) + json(product),
      `${shown}<p>USD 19.99</p>`,
    );
    expect(factsWith(html, { fallbacks: ["state"] })).toMatchObject({
      price: { amount: 19.99, currency: "USD" },
      availability: "instock",
    });
  });

  it("accepts a page with unclosed values", () => {
    expect(() => read(`<script>var price = {"a": "${"\\".repeat(50)}</script>`)).not.toThrow();
    expect(() => read(`<script>x = {{{{{{price 6501234</script>`)).not.toThrow();
  });
});
