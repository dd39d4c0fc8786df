import { describe, expect, it } from "vitest";
import {
  anOffer,
  aPage,
  aPageWithoutAddress,
  aProduct,
  extracted,
  factsOf,
  fixturePage,
  linkedData,
} from "./page.ts";

const usd = (amount: number): object => ({ amount, currency: "USD" });
const ofJson = (...blocks: readonly unknown[]): string => aPage(linkedData(...blocks));

describe("the extraction of a product from a page", () => {
  it("returns all data about the product in JSON-LD, and no data about related products", () => {
    expect(factsOf(fixturePage("linked-data"))).toEqual({
      title: "Kelwick Desk Lamp & Clamp",
      price: usd(1249),
      listPrice: usd(1399),
      availability: "instock",
      condition: "New",
      seller: "Fjord Supply",
      images: ["https://shop.example/images/6501234.jpg", "https://img.example/2.jpg"],
      brand: "Kelwick",
      upc: "4006381333931",
      modelNumber: "KW-77",
      sku: "6501234",
      category: "Desk Lamps",
      color: "Slate",
      rating: 4.6,
      reviewsCount: 1204,
      shipping: usd(6.99),
      deliveryMethods: [],
    });
  });

  it("returns the requested product from microdata", () => {
    const wanted = { id: "7702468", url: new URL("https://shop.example/p/7702468") };
    expect(factsOf(fixturePage("microdata"), wanted)).toMatchObject({
      title: "Birch Stool",
      brand: "Alder",
      price: usd(49.5),
      availability: "outofstock",
      images: ["https://shop.example/images/stool.jpg"],
    });
  });
});

describe("the extraction of a product from invalid JSON-LD", () => {
  const json = JSON.stringify(aProduct());

  it.each([
    ["an HTML comment", `<!-- ${json} -->`],
    ["a CDATA section", `<![CDATA[ ${json} ]]>`],
    ["a CDATA section within comments", `/*<![CDATA[*/ ${json} /*]]>*/`],
    ["a CDATA section behind slashes", `//<![CDATA[\n${json}\n//]]>`],
    ["a closing semicolon", `${json};`],
    ["trailing commas", json.replaceAll("}", ",}")],
    ["a line break in a text", json.replace("Kelwick Lamp", "Kelwick\nLamp")],
    ["a comment", json.replace("{", "{ /* the product */ ")],
    ["a missing bracket", json.slice(0, -1)],
    ["single quotes", json.replaceAll('"', "'")],
  ])("parses the JSON-LD despite the text around or in it: %s", (_, block) => {
    expect(factsOf(ofJson(block))).toMatchObject({ title: "Kelwick Lamp", price: usd(19.99) });
  });

  it("drops a block that cannot be parsed, and parses the other blocks", () => {
    expect(factsOf(ofJson("nothing at all", "{{{", aProduct())).price).toEqual(usd(19.99));
  });

  it("finds the script element in upper or lower case, with any quotes and with other attributes", () => {
    const scripts = [
      `<SCRIPT TYPE='application/LD+JSON'>${json}</SCRIPT>`,
      `<script id=a data-x="1" type=application/ld+json async>${json}</script >`,
      `<script type="application/ld+json; charset=utf-8">${json}</script>`,
    ];
    for (const script of scripts) expect(factsOf(aPage(script)).title).toBe("Kelwick Lamp");
  });

  it("ignores JSON-LD in commented-out scripts and in elements that are not scripts", () => {
    const head = `<!-- <script type="application/ld+json">${json}</script> -->`;
    expect(extracted(aPage(`${head}<p>application/ld+json ${json}</p>`)).proof).toBe("nothing");
  });

  it("ignores a script inside a comment, whatever else the comment contains", () => {
    const old = linkedData(aProduct({ offers: anOffer({ price: 5 }) }));
    const page = aPage(`<!-- before: <p>x</p> ${old} ${old} -->${linkedData(aProduct())}`);
    expect(factsOf(page).price).toEqual(usd(19.99));
    expect(extracted(aPage(`<!-- <b>x</b> ${old}`)).proof).toBe("nothing");
  });

  it.each([
    ["an empty comment", "<!-->"],
    ["a conditional comment", "<!--[if !IE]><!--><p>x</p><!--<![endif]-->"],
    ["a script that contains a comment mark", '<script>const mark = "<!--";</script>'],
    ["a script after a comment mark", "<script><!--\nrun();\n//--></script>"],
  ])("parses the block after another part of the page: %s", (_, before) => {
    expect(factsOf(aPage(before + linkedData(aProduct()))).price).toEqual(usd(19.99));
  });

  it("ignores a block larger than a megabyte", () => {
    const long = aProduct({ description: "x".repeat(1_100_000) });
    expect(extracted(ofJson(long)).proof).toBe("nothing");
  });

  it("decodes texts, even texts that are escaped twice, and removes markup", () => {
    const title = "Salt &amp;amp; <b>Pepper</b> &quot;Set&quot;";
    expect(factsOf(ofJson(aProduct({ name: title }))).title).toBe('Salt & Pepper "Set"');
  });
});

describe("the search for products in JSON-LD", () => {
  it.each([
    ["Product"],
    ["product"],
    ["schema:Product"],
    ["http://schema.org/IndividualProduct"],
    [["Thing", "ProductModel"]],
    ["SomeProducts"],
    ["Vehicle"],
    ["Book"],
  ])("accepts the type %j", (type) => {
    expect(factsOf(ofJson(aProduct({ "@type": type }))).price).toEqual(usd(19.99));
  });

  it("ignores a book without an offer", () => {
    expect(extracted(ofJson(aProduct({ "@type": "Book", offers: [] }))).proof).toBe("nothing");
  });

  it("finds products in lists, in graphs and in the main entity of the page", () => {
    expect(factsOf(ofJson([[aProduct()]])).title).toBe("Kelwick Lamp");
    expect(factsOf(ofJson({ "@graph": [aProduct()] })).title).toBe("Kelwick Lamp");
    const page = { "@type": "WebPage", mainEntity: aProduct() };
    expect(factsOf(ofJson(page)).title).toBe("Kelwick Lamp");
  });

  it("resolves references within the page, and stops at circular references", () => {
    const graph = {
      "@graph": [
        { "@type": "Product", "@id": "#p", name: "Kelwick Lamp", offers: { "@id": "#o" } },
        { ...anOffer(), "@id": "#o", itemOffered: { "@id": "#p" } },
      ],
    };
    expect(factsOf(ofJson(graph))).toMatchObject({ title: "Kelwick Lamp", price: usd(19.99) });
  });

  it.each(["isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "review", "itemListElement"])(
    "does not follow the property '%s' to another product",
    (property) => {
      const page = { "@type": "WebPage", [property]: [aProduct({ sku: "6501234" })] };
      expect(extracted(ofJson(page)).proof).toBe("nothing");
    },
  );
});

describe("the choice of the product on a page", () => {
  const cheap = anOffer({ price: 5 });

  it.each(["sku", "productID", "mpn", "gtin", "gtin13", "url", "@id"])(
    "prefers the product with the requested ID in its property '%s'",
    (property) => {
      const id = property === "url" || property === "@id" ? "/p/x-6501234.html" : "6501234";
      const other = aProduct({ [property]: "/p/x-6509999.html", offers: cheap });
      const page = ofJson(other, aProduct({ [property]: id }));
      expect(factsOf(page).price).toEqual(usd(19.99));
    },
  );

  it("ignores product numbers that contain the ID with further digits", () => {
    const page = ofJson(
      aProduct({ sku: "16501234", offers: cheap }),
      aProduct({ sku: "65012345", offers: cheap }),
    );
    expect(extracted(page).proof).toBe("several");
  });

  it("falls back to the only product with offers, and otherwise to the main product", () => {
    const bare = aProduct({ name: "Other", offers: [] });
    expect(factsOf(ofJson(bare, aProduct())).title).toBe("Kelwick Lamp");
    const main = aProduct({ mainEntityOfPage: "https://shop.example/" });
    expect(factsOf(ofJson(aProduct({ offers: cheap }), main)).price).toEqual(usd(19.99));
  });

  it("falls back to the product in the page title if nothing else identifies the product", () => {
    const page = ofJson(aProduct({ name: "Oak Bookshelf", offers: cheap }), aProduct());
    const titled = page.replace("<title>Shop", "<title>Kelwick Lamp | Shop");
    expect(factsOf(titled).price).toEqual(usd(19.99));
  });

  it("returns no product if several exist and nothing identifies the requested one", () => {
    expect(extracted(ofJson(aProduct(), aProduct({ offers: cheap }))).proof).toBe("several");
  });

  it.each([
    ["its canonical address", '<link rel="canonical" href="/p/6509999">', {}],
    ["its Open Graph address", '<meta property="og:url" content="/p/6509999">', {}],
    ["the product's number", "", { sku: "6509999" }],
    ["the product's address", "", { url: "/p/6509999" }],
  ])("returns no product for the page of another product (recognized by %s)", (_, head, fields) => {
    const page = aPageWithoutAddress(head + linkedData(aProduct(fields)));
    expect(extracted(page).proof).toBe("another");
  });

  it("accepts the product if the requested address contains the ID and nothing on the page contradicts the ID", () => {
    const page = aPageWithoutAddress(linkedData(aProduct()));
    expect(factsOf(page).price).toEqual(usd(19.99));
    const home = new URL("https://shop.example/");
    expect(extracted(page, { url: home }).proof).toBe("another");
  });

  it("accepts a product with another number if the page's own address contains the ID", () => {
    expect(factsOf(ofJson(aProduct({ sku: "KW-77" }))).price).toEqual(usd(19.99));
  });
});

describe("the category of a page's product", () => {
  const step = (position: number, name: string): object => ({
    "@type": "ListItem",
    position,
    name,
  });
  const at = (...itemListElement: readonly object[]): string | undefined => {
    const breadcrumb = { "@type": "BreadcrumbList", itemListElement };
    return factsOf(ofJson({ "@graph": [{ "@type": "WebPage", breadcrumb }, aProduct()] })).category;
  };

  it("is the last breadcrumb before the product, ordered by position", () => {
    expect(at(step(3, "Kelwick Lamp"), step(1, "Home"), step(2, "Lamps"))).toBe("Lamps");
    expect(at(step(1, "Home"), step(2, "Lamps &amp; Bulbs"))).toBe("Lamps & Bulbs");
    expect(at(step(1, "Kelwick Lamp"))).toBeUndefined();
  });
});

describe("a group of variants in JSON-LD", () => {
  const page = fixturePage("variants");
  const at = (id: string): { id: string; url: URL } => ({
    id,
    url: new URL(`https://shop.example/p/80112233?variant=${id}`),
  });

  it("returns the requested variant with the values that its group shares", () => {
    expect(factsOf(page, at("80112235"))).toMatchObject({
      title: "Cedar Shirt",
      brand: "Cedar",
      color: "Blue",
      price: usd(22),
      availability: "soldout",
      parentId: "80112233",
    });
  });

  it("returns no price for the group if only a variant has a price", () => {
    const facts = factsOf(page, at("80112233"));
    expect(facts).toMatchObject({ title: "Cedar Shirt", brand: "Cedar" });
    expect(facts).not.toHaveProperty("price");
    expect(facts).not.toHaveProperty("availability");
  });

  it("returns the offers of the group if the group has offers", () => {
    const group = aProduct({ "@type": "ProductGroup", productGroupID: "6501234" });
    expect(factsOf(ofJson(group)).price).toEqual(usd(19.99));
  });
});

describe("the choice of the offer on a page", () => {
  const priceAmong = (...offers: readonly unknown[]): unknown =>
    factsOf(ofJson(aProduct({ offers }))).price;
  const low = anOffer({ price: 5 });

  it("prefers an offer in the currency of the marketplace", () => {
    expect(priceAmong(anOffer({ price: 5, priceCurrency: "EUR" }), anOffer())).toEqual(usd(19.99));
  });

  it("prefers the offer with the requested ID, then a new offer, then an offer in stock", () => {
    expect(priceAmong(low, anOffer({ sku: "6501234" }))).toEqual(usd(19.99));
    expect(priceAmong(anOffer({ price: 5, itemCondition: "UsedCondition" }), anOffer())).toEqual(
      usd(19.99),
    );
    expect(priceAmong(anOffer({ price: 5, availability: "SoldOut" }), anOffer())).toEqual(
      usd(19.99),
    );
  });

  it("returns only the common availability if equally good offers have different prices", () => {
    const facts = factsOf(ofJson(aProduct({ offers: [low, anOffer()] })));
    expect(facts).not.toHaveProperty("price");
    expect(facts.availability).toBe("instock");
  });

  it("prefers the single offers in an aggregate offer to the lowest price of the aggregate offer", () => {
    const aggregate = { "@type": "AggregateOffer", lowPrice: 5, priceCurrency: "USD" };
    expect(priceAmong({ ...aggregate, offers: [anOffer({ priceCurrency: undefined })] })).toEqual(
      usd(19.99),
    );
    expect(priceAmong({ ...aggregate, highPrice: 5 })).toEqual(usd(5));
    expect(priceAmong({ ...aggregate, highPrice: 9 })).toBeUndefined();
  });

  it("returns the price of the product if the product has no offer", () => {
    const product = aProduct({ offers: undefined, price: "19.99", priceCurrency: "USD" });
    expect(factsOf(ofJson(product)).price).toEqual(usd(19.99));
  });

  it.each(["0", "0.00", 0, "", "call us"])("returns no price if the price is %j", (price) => {
    expect(priceAmong(anOffer({ price }))).toBeUndefined();
  });

  it("returns the price of a price specification only if all buyers pay this price", () => {
    const of = (fields: object): object => ({ priceCurrency: "USD", ...fields });
    const offer = anOffer({
      price: undefined,
      priceSpecification: [
        of({ price: 30, priceType: "https://schema.org/StrikethroughPrice" }),
        of({ price: 1, referenceQuantity: { value: 100, unitCode: "GRM" } }),
        of({ price: 2, validForMemberTier: { name: "Gold" } }),
        of({ price: 3, priceType: "InvoicePrice" }),
        of({ minPrice: 19.99 }),
      ],
    });
    const facts = factsOf(ofJson(aProduct({ offers: offer })));
    expect(facts.price).toEqual(usd(19.99));
    expect(facts.listPrice).toEqual(usd(30));
  });

  it("rejects a page with a price in another currency", () => {
    const offers = anOffer({ priceCurrency: "CAD" });
    expect(extracted(ofJson(aProduct({ offers }))).proof).toBe("foreign_currency");
    const signed = anOffer({ price: "€19.99", priceCurrency: undefined });
    expect(extracted(ofJson(aProduct({ offers: signed }))).proof).toBe("foreign_currency");
  });

  it("returns no price if the page states no currency", () => {
    expect(priceAmong(anOffer({ price: "$19.99", priceCurrency: undefined }))).toBeUndefined();
  });
});

describe("the availability on a page", () => {
  it.each([
    ["https://schema.org/InStock", "instock"],
    ["http://schema.org/InStock/", "instock"],
    ["https://schema.org#InStock", "instock"],
    ["in stock", "instock"],
    ["IN_STOCK", "instock"],
    ["schema:PreOrder", "preorder"],
    ["LimitedAvailability", "limitedavailability"],
    ["oos", "outofstock"],
    ["Out of Stock", "outofstock"],
    ["Discontinued", "discontinued"],
    ["NOT SOLD", undefined],
    ["constructor", undefined],
    ["", undefined],
  ])('with the source value %j is the term "%s"', (availability, word) => {
    const product = aProduct({ offers: anOffer({ availability }) });
    expect(factsOf(ofJson(product)).availability).toBe(word);
  });
});

describe("the microdata extraction", () => {
  const product = (inner: string): string =>
    aPage("", `<div itemscope itemtype="https://schema.org/Product">${inner}</div>`);
  const offer = (inner: string): string =>
    product(`<p itemprop="offers" itemscope itemtype="https://schema.org/Offer">
      <meta itemprop="priceCurrency" content="USD">${inner}</p>`);

  it.each([
    ["the content of any element", '<b itemprop="price" content="7.50">1 for 7.50</b>'],
    ["a meta element", '<meta itemprop="price" content="7.50">'],
    ["a data element", '<data itemprop="price" value="7.50">seven and a half</data>'],
    ["an element's text", '<b itemprop="price"> 7.50 </b>'],
    ["whole and cents in separate elements", '<b itemprop="price">$<i>7</i><sup>.50</sup></b>'],
    ["an element with several property names", '<b itemprop="lowPrice price">7.50</b>'],
  ])("parses a price from an element of the form: %s", (_, inner) => {
    expect(factsOf(offer(inner)).price).toEqual(usd(7.5));
  });

  it.each([
    [
      "a struck-out element around the price element",
      "<del><b itemprop=price>$30.00</b></del><b itemprop=price>$7.50</b>",
    ],
    [
      "a struck-out element that is the price element",
      "<s itemprop=price>$30.00</s><b itemprop=price>$7.50</b>",
    ],
    [
      "a struck-out element around a price in an attribute",
      "<strike><meta itemprop=price content=30></strike><b itemprop=price>7.50</b>",
    ],
    [
      "a struck-out element inside the price element",
      "<b itemprop=price><del>$30.00</del> <ins>$7.50</ins></b>",
    ],
    [
      "a struck-out element that is not closed",
      "<span><s><i itemprop=price>$30.00</span><b itemprop=price>$7.50</b>",
    ],
  ])("ignores a struck-out price in the form: %s", (_, inner) => {
    expect(factsOf(offer(inner)).price).toEqual(usd(7.5));
  });

  it("returns no price if an offer has two different prices, and returns the price if the two are equal", () => {
    const one = "<b itemprop=price>$7.50</b>";
    expect(factsOf(offer(`<b itemprop=price>$30.00</b>${one}`)).price).toBeUndefined();
    expect(factsOf(offer(`${one}${one}`)).price).toEqual(usd(7.5));
  });

  it("returns no price if the microdata price cannot be parsed, even if Open Graph has a price", () => {
    const meta = '<meta property="product:price:amount" content="6">';
    const currency = '<meta property="product:price:currency" content="USD">';
    const page = offer('<b itemprop="price">7.50 9.90</b>');
    expect(factsOf(page.replace("</head>", `${meta}${currency}</head>`)).price).toBeUndefined();
  });

  it("adds only values that JSON-LD does not contain", () => {
    const json = linkedData(aProduct({ offers: anOffer({ availability: undefined }) }));
    const page = offer(
      '<b itemprop="price">7.50</b><link itemprop="availability" href="http://schema.org/SoldOut">',
    );
    const facts = factsOf(page.replace("</head>", `${json}</head>`));
    expect(facts.price).toEqual(usd(19.99));
    expect(facts.availability).toBe("soldout");
  });

  it("accepts element and property names that are also members of JavaScript objects", () => {
    const page = offer('<constructor itemprop="__proto__ constructor">x</constructor>');
    expect(extracted(page).proof).toBe("product");
  });
});

describe("the Open Graph extraction", () => {
  const meta = (property: string, content: string): string =>
    `<meta content="${content}" property='${property}'>`;

  it("returns price, currency, availability and title", () => {
    const head = [
      meta("og:type", "product"),
      meta("og:title", "Birch &amp; Oak Stool"),
      meta("product:price:amount", "1,049.00"),
      meta("product:price:currency", "USD"),
      meta("product:availability", "in stock"),
    ].join("");
    expect(factsOf(aPage(head))).toMatchObject({
      title: "Birch & Oak Stool",
      price: usd(1049),
      availability: "instock",
    });
  });

  it("returns a product if the page has no other product data", () => {
    const head = meta("og:type", "product") + meta("og:title", "Birch Stool");
    expect(extracted(aPage(head))).toMatchObject({
      proof: "product",
      facts: { title: "Birch Stool" },
    });
  });
});

describe("a page without a product", () => {
  it("counts as a block page if it is short or has the title of a block page", () => {
    expect(extracted("<title>Shop</title>").proof).toBe("blocked");
    expect(extracted("").proof).toBe("blocked");
    for (const title of ["Robot Check", "Access Denied", "Please verify", "Solve the CAPTCHA"]) {
      const page = aPage("").replace("<title>Shop", `<title>${title}`);
      expect(extracted(page).proof).toBe("blocked");
    }
  });

  it("is neither a block page nor a proof that the product is missing, if the page is long", () => {
    expect(extracted(aPage("")).proof).toBe("nothing");
  });
});
