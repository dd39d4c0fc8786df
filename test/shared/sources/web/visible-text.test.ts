import { describe, expect, it } from "vitest";
import { type ForestTable } from "../../../../shared/sources/web/visible/forest.ts";
import { featureNames } from "../../../../shared/sources/web/visible/price-features.ts";
import { anOffer, aPage, aPageWithoutAddress, aProduct, linkedData } from "./page.ts";
import { factsWith, readWith } from "./readers.ts";

const heading = "<h1>Kelwick Desk Lamp</h1>";
const button = `<button class="add">Add to cart</button>`;
const visible = (body: string, head = ""): ReturnType<typeof factsWith> =>
  factsWith(aPage(head, heading + body), { fallbacks: ["visible"] });

describe("the reader of the stock in a page's visible text", () => {
  it.each([
    ["an enabled control", button, "instock"],
    ["a control with a value", `<input type="submit" value="Add to basket">`, "instock"],
    ["a control with a known ID", `<a id="add-to-cart-button" href="#"><i></i></a>`, "instock"],
    ["a phrase", "<p>In stock.</p>", "instock"],
    ["a phrase in German", "<p>Auf Lager</p>", "instock"],
    ["a phrase for unavailable", "<p>Currently unavailable.</p>", "outofstock"],
    ["a sold-out phrase", "<p>Sold out</p>", "outofstock"],
    [
      "a disabled control and a phrase",
      `<button disabled>Add to cart</button><p>Out of stock</p>`,
      "outofstock",
    ],
    ["a disabled control alone", `<button disabled>Add to cart</button>`, undefined],
    ["a control and a phrase that disagree", `${button}<p>Out of stock</p>`, undefined],
    ["a hidden phrase", `<p style="display:none">Out of stock</p>${button}`, "instock"],
    ["a phrase about an image", `<p>Image not available</p>${button}`, "instock"],
    [
      "a phrase about another product",
      `<div class="related"><p>Sold out</p></div>${button}`,
      "instock",
    ],
    ["a control of another product", `<div class="carousel">${button}</div>`, undefined],
    ["neither a control nor a phrase", "<p>Nice lamp</p>", undefined],
  ])("for a page with %s reports the stock as %s", (_, body, availability) => {
    expect(visible(body).availability).toBe(availability);
  });
});

describe("the reader of prices and products in a page's visible text", () => {
  it.each([
    ["the only amount", "<p>$21.50</p>"],
    [
      "an amount in several elements",
      `<p class="price"><span>$</span><span>21</span><sup>50</sup></p>`,
    ],
    ["the amount beside a struck-out former price", `<p><del>$30.00</del> <b>$21.50</b></p>`],
    [
      "the amount beside a former price that its class names",
      `<p><i class="price-was">$30.00</i><i class="price">$21.50</i></p>`,
    ],
    ["the amount beside an instalment", `<p>$21.50</p><p>4 payments of $5.38</p>`],
    [
      "the amount before other products",
      `<p>$21.50</p><ul class="related-products"><li>$9.00</li></ul>`,
    ],
  ])("reports %s as the price", (_, body) => {
    expect(visible(body).price).toEqual({ amount: 21.5, currency: "USD" });
  });

  it.each([
    ["two amounts", "<p>$21.50</p><p>$30.00</p>"],
    ["a lowest price", "<p>from $21.50</p>"],
    ["another currency", "<p>21,50 €</p>"],
    ["a number without a currency", "<p>21.50</p>"],
    ["a unit price", "<p>$21.50 / lb</p>"],
  ])("reports no price for a text without a clear price: %s", (_, body) => {
    expect(visible(body)).not.toHaveProperty("price");
  });

  it("reports no price in US dollars if the page uses another country's dollars", () => {
    const script = `<script>var c = {"currency":"CAD"};</script>`;
    expect(visible("<p>$21.50</p>", script)).not.toHaveProperty("price");
  });

  it("reports the product of a page without markup under the title of the page", () => {
    expect(visible(`<p>$21.50</p>${button}`, `<meta property="og:title" content="Lamp">`)).toEqual({
      title: "Lamp",
      price: { amount: 21.5, currency: "USD" },
      availability: "instock",
    });
  });
});

describe("the identity of the product on a page without markup", () => {
  const body = `${heading}<p>$21.50</p>${button}`;

  it("is proven by the page's own address, or by the requested address if the page has none", () => {
    expect(readWith(aPage("", body)).proof).toBe("product");
    expect(readWith(aPageWithoutAddress("", body)).proof).toBe("product");
  });

  it.each([
    ["declares the address of another product", aPage("", body).replace("/p/6501234", "/p/777")],
    [
      "has the title of a missing page",
      aPage("", body).replace("<title>Shop", "<title>Page not found"),
    ],
    ["shows neither a price nor the stock", aPage("", heading)],
  ])("is not proven if the page %s", (_, html) => {
    expect(readWith(html).proof).toBe("nothing");
  });

  it("is not proven on a block page", () => {
    expect(readWith(aPage("", body).replace("<title>Shop", "<title>Robot Check")).proof).toBe(
      "blocked",
    );
  });

  it("is not proven if the requested address lacks the ID", () => {
    const wanted = { url: new URL("https://shop.example/search") };
    expect(readWith(aPageWithoutAddress("", body), { wanted }).proof).toBe("nothing");
  });
});

/** A forest that takes every amount in a `<strong>` for the price, with the score 0.9. */
const forest: ForestTable = {
  features: featureNames,
  threshold: 0.6,
  margin: 0.1,
  trees: [[featureNames.indexOf("isEmphasized"), 0.5, 1, 2, -1, 0.1, 0, 0, -1, 0.9, 0, 0]],
};
const learned = (body: string, head = ""): ReturnType<typeof factsWith> =>
  factsWith(aPage(head, heading + body), { forest });

describe("the trained price finder for pages without a clear price", () => {
  const several = "<p>$30.00</p><p>$9.00</p><strong>$21.50</strong>";

  it("reports the amount with the highest score", () => {
    expect(learned(several).price).toEqual({ amount: 21.5, currency: "USD" });
  });

  it("reports no amount with a score below its threshold", () => {
    expect(learned("<p>$30.00</p><p>$9.00</p>")).not.toHaveProperty("price");
  });

  it("reports no amount if two amounts have the same score", () => {
    expect(learned(`${several}<strong>$8.00</strong>`)).not.toHaveProperty("price");
  });

  it("reports no amount for a product that is out of stock", () => {
    expect(learned(`${several}<p>Sold out</p>`)).not.toHaveProperty("price");
  });

  it("reports no amount for a product that the page shows as sold out, even if the markup contradicts", () => {
    const { price: _price, ...offers } = anOffer();
    const markup = linkedData(aProduct({ offers }));
    expect(learned(several, markup)).toMatchObject({ price: { amount: 21.5 } });
    expect(learned(`${several}<p>Sold out</p>`, markup)).not.toHaveProperty("price");
  });

  it("never replaces a price in the markup", () => {
    const facts = learned(`${several}<i>$19.99</i>`, linkedData(aProduct()));
    expect(facts.price).toEqual({ amount: 19.99, currency: "USD" });
  });

  it("reports no amount if the price in the markup is unclear", () => {
    const offers = { "@type": "AggregateOffer", lowPrice: 5, highPrice: 9, priceCurrency: "USD" };
    expect(learned(several, linkedData(aProduct({ offers })))).not.toHaveProperty("price");
  });

  it("reports no amount on a page with several products", () => {
    const html = aPageWithoutAddress(
      linkedData(aProduct({ name: "A" }), aProduct({ name: "B" })),
      heading + several,
    );
    expect(readWith(html, { forest }).proof).not.toBe("product");
  });
});

describe("a price in a page's markup", () => {
  const markup = linkedData(aProduct({ offers: anOffer({ price: 24.9 }) }));

  it("is not reported if the page shows only another price", () => {
    expect(visible("<p>$21.50</p>", markup)).not.toHaveProperty("price");
    expect(visible("<p>$21.50</p>", markup)).toMatchObject({ availability: "instock" });
  });

  it("is reported if the page shows no price outside the markup", () => {
    expect(visible("<p>Nice lamp</p>", markup).price?.amount).toBe(24.9);
  });

  it.each(["$24.90", "24,90", "$<b>24</b><sup>90</sup>"])(
    "is reported if the page shows it in the form %s",
    (text) => {
      expect(visible(`<p>${text}</p><p>$21.50</p>`, markup).price?.amount).toBe(24.9);
    },
  );
});
