import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { extractOption } from "../../../../shared/sources/web/rules/extract-option.ts";
import { anOffer, aPage, aProduct, linkedData } from "./page.ts";
import { factsWith, readWith } from "./readers.ts";

const state = `<script id="state" type="application/json">{"item":{"now":"17.25","a/b":{"left":3}}}</script>`;
const global = `<script>window.shop = window.shop || {}; window.shop.page = {item: {now: 16.5, 'sold': false}};</script>`;
const body =
  `<div class="buy"><b class="now">$18.75</b><s class="old">$25.00</s>` +
  `<meta itemprop="x" content="18.75"><p class="stock">Only 3 left</p><p class="by">Fjord Supply</p></div>` +
  `<i class="twice">$1.00</i><i class="twice">$2.00</i><i class="open">from $9.00</i>`;
const page = aPage(state + global, body);

const amountBy = (...price: readonly string[]): number | undefined =>
  factsWith(page, { fallbacks: [], rules: { price, currency: ["= USD"] } }).price?.amount;

const issueOf = (extract: unknown): string | undefined =>
  v.safeParse(extractOption, extract).issues?.[0].message;

describe("an extraction rule of the deployer", () => {
  it.each([
    ["the text of an element", ".buy .now", 18.75],
    ["an attribute", '.buy meta[itemprop="x"] @content', 18.75],
    ["a value in a JSON script", "script#state => /item/now", 17.25],
    ["a value in an object that a script assigns", "window.shop.page => /item/now", 16.5],
  ])("reads a value from a place of the form: %s", (_, rule, amount) => {
    expect(amountBy(rule)).toBe(amount);
  });

  it("is skipped if it finds nothing, and the next rule for the same field is used", () => {
    expect(amountBy(".missing", "script#state => /item/later", ".now")).toBe(18.75);
  });

  it("is skipped if it finds several different values", () => {
    expect(amountBy(".twice", ".now")).toBe(18.75);
    expect(amountBy(".twice")).toBeUndefined();
  });

  it("reads each supported field, and decodes the steps of a JSON pointer", () => {
    const rules = {
      price: [".now"],
      listPrice: [".old"],
      availability: ["script#state => /item/a~1b/left"],
      seller: [".by"],
      brand: ["= Kelwick"],
      image: ["= /lamp.jpg"],
    };
    expect(factsWith(page, { fallbacks: [], rules })).toMatchObject({
      price: { amount: 18.75, currency: "USD" },
      listPrice: { amount: 25, currency: "USD" },
      availability: "instock",
      seller: "Fjord Supply",
      brand: "Kelwick",
      images: ["https://shop.example/lamp.jpg"],
    });
  });

  it.each([
    ["Only 3 left", "instock"],
    ["https://schema.org/PreOrder", "preorder"],
    ["Sold out", "soldout"],
    ["Nicht lieferbar", "outofstock"],
    ["false", "outofstock"],
    ["0", "outofstock"],
    ["Ask us", undefined],
  ])('reads the availability text %j as "%s"', (text, availability) => {
    const facts = factsWith(page, {
      fallbacks: [],
      rules: { availability: [`= ${text}`], title: ["= Lamp"] },
    });
    expect(facts.availability).toBe(availability);
  });

  it("overrides the value in the page's markup", () => {
    const html = aPage(linkedData(aProduct()), body);
    expect(factsWith(html, { rules: { price: [".now"] } }).price?.amount).toBe(18.75);
    expect(factsWith(html, { rules: { price: [".missing"] } }).price?.amount).toBe(19.99);
  });

  it("returns no price if it finds a text that is not a single amount", () => {
    const html = aPage(linkedData(aProduct()), body);
    expect(factsWith(html, { rules: { price: [".open"] } })).not.toHaveProperty("price");
  });

  it("does not make the page of another product count as the page of the requested product", () => {
    const other = page.replace("/p/6501234", "/p/777");
    const wanted = { url: new URL("https://shop.example/p/6501234") };
    expect(readWith(other, { rules: { price: [".now"] }, wanted }).proof).toBe("nothing");
  });

  it("returns no price in a currency other than the marketplace's", () => {
    const euros = aPage("", body.replaceAll("$18.75", "18,75 €"));
    expect(readWith(euros, { fallbacks: [], rules: { price: [".now"] } }).proof).toBe(
      "foreign_currency",
    );
  });
});

describe("the option 'extract' of the web adapter", () => {
  it.each([
    [{ price: [".a["] }, /valid CSS selector \(got "\.a\["/],
    [{ price: [".a:unheard-of"] }, /valid CSS selector/],
    [{ price: ["script => product/price"] }, /valid JSON pointer \(got "product\/price"\)/],
    [{ price: ["window.state"] }, /must have a JSON pointer/],
    [{ price: ["a => /b => /c"] }, /must contain "=>" at most once/],
    [{ price: ["="] }, /must have a value/],
    [{ price: ["= 5"] }, /must not be a constant/],
    [{ listPrice: [".was", "= 5"] }, /must not be a constant/],
    [{ currency: ["= dollars"] }, /the code of a currency, such as USD \(got "dollars"\)/],
    [{ price: [] }, /at least one rule/],
    [{ price: ".now" }, /must be an array of rules \(got a string\)/],
    [{ price: Array.from({ length: 7 }, () => ".now") }, /at most 6 rules/],
    [{ price: ["a ".repeat(20)] }, /at most 12 parts \(got 20\)/],
    [{ price: ["a".repeat(400)] }, /at most 300 characters/],
    [{ prize: [".now"] }, /is not a field\. Rules can read price, currency/],
  ])("rejects the rules %j", (extract, message) => {
    expect(issueOf(extract)).toMatch(message);
  });

  it("accepts rules of every form", () => {
    const price = [".now", ".now @content", "script#x => /a/0", "window.a.b => /c"];
    expect(issueOf({ price, currency: ["= USD"] })).toBeUndefined();
  });

  it("leaves the price of the page's offer unchanged if the option contains no rules", () => {
    const html = aPage(linkedData(aProduct({ offers: anOffer({ price: 5 }) })));
    expect(factsWith(html, { rules: {} }).price?.amount).toBe(5);
  });
});
