import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  availabilityOf,
  availabilityWord,
} from "../../../../shared/sources/web/availability-word.ts";
import { amountOf } from "../../../../shared/sources/web/amount.ts";
import { aPage, linkedData } from "./page.ts";
import { lowForest, readWith } from "./readers.ts";

/**
 * A time limit: longer than any page takes on a slow machine, and shorter than an extraction that
 * takes exponential time.
 */
const longMs = 1_500;

const piece = fc.oneof(
  fc.constantFrom(
    '<script type="application/ld+json">',
    "</script>",
    '<div itemscope itemtype="http://schema.org/Product">',
    '<p itemprop="offers" itemscope itemtype="Offer">',
    '<b itemprop="price">',
    "</b></p></div>",
    '<meta property="product:price:amount" content="',
    '<link rel="canonical" href="',
    "<![CDATA[",
    "<!--",
    "-->",
    '{"@type":"Product","offers":',
    '{"@graph":[',
    '"@id":"#a",',
    "[[[[[[[[",
    "}]}]",
    "&amp;&#0;",
    "\u0000\u0001",
    "<script>window.a = {price: [",
    '<p class="price">$',
    "12",
    ".50 €",
    "<del>",
    '<button class="add-to-cart">',
    "Out of stock",
    ",",
    '">',
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const junk = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

const rules = { price: ["b", "script => /0", "window.a => /b"] };
/** Extracts with every reader. */
const extracted = (html: string): ReturnType<typeof readWith> =>
  readWith(html, { forest: lowForest, rules });

const words = (text: string): string[] => text.split(" ");

/** JSON-LD objects of any depth with the properties that the extraction reads. */
const thing = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom("Product", "19.99", "USD", "InStock", "6501234", "#a", "", null),
    fc.double(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        ...words("@type @id @graph @value @list name sku url offers price hasVariant"),
        ...words("priceSpecification availability image brand __proto__"),
      ),
      tie("value"),
      { maxKeys: 6 },
    ),
  ),
})).value;

function inTime<Result>(work: () => Result): Result {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(longMs);
  return result;
}

describe("the extraction of a product from a random page", () => {
  it("never throws", () => {
    fc.assert(
      fc.property(junk, fc.boolean(), (html, isOwnPage) => {
        inTime(() => extracted(isOwnPage ? aPage("", `<h1>Lamp</h1>${html}`) : html));
      }),
      { numRuns: 800 },
    );
  });

  it("returns only prices in the requested currency that are valid amounts", () => {
    fc.assert(
      fc.property(thing, (value) => {
        const extraction = inTime(() =>
          extracted(linkedData({ "@type": "Product", value }, value)),
        );
        if (extraction.proof !== "product" || extraction.facts.price === undefined) return;
        expect(extraction.facts.price.currency).toBe("USD");
        expect(extraction.facts.price.amount).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["nested lists that are not closed", linkedData("[".repeat(200_000))],
    ["nested lists that are closed", linkedData(`${"[".repeat(9_000)}${"]".repeat(9_000)}`)],
    ["nested objects", linkedData(`${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`)],
    ["scripts", '<script type="application/ld+json">'.repeat(50_000)],
    ["products", linkedData(Array.from({ length: 30_000 }, () => ({ "@type": "Product" })))],
    ["meta elements", "<meta ".repeat(500_000)],
    ["long attributes", `<meta ${"a".repeat(4_000)}`.repeat(1_000)],
    ["open item elements", '<div itemscope itemtype="Product">'.repeat(100_000)],
    [
      "open property values",
      `<div itemscope itemtype="Product">${"<b itemprop=name>".repeat(200_000)}`,
    ],
    ["spaces", `<div itemtype=${" ".repeat(4_000_000)}`],
    ["quotation marks", `<link rel="canonical" ${"'\"".repeat(1_000_000)}`],
    ["commas", linkedData(`{${", ".repeat(400_000)}`)],
    ["letters and no tag", "x".repeat(6_000_000)],
  ])("takes a short time for a page with a very large number of %s", (_, html) => {
    inTime(() => extracted(html));
  });
});

describe("a random text on a page", () => {
  it("is parsed as an amount of whole cents, or as no amount", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...words("0 1 2 3 4 5 6 7 8 9 . , ' - $ €"), " ") }),
        (text) => {
          const amount = amountOf(text, null) ?? 1;
          expect(amount).toBeGreaterThan(0);
          expect(amount).toBe(Math.round(amount * 100) / 100);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is parsed as a known availability term, or as none", () => {
    const names = words("constructor toString __proto__ http://schema.org/valueOf Sold_Out oos");
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...names)), (text) => {
        const word = availabilityWord(text);
        expect(word === undefined || availabilityOf(word).message !== "").toBe(true);
      }),
    );
  });
});
