import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import type { ProductScraperId } from "../../../../shared/scrapers/catalog.ts";
import type { Answer, Scraper } from "../../../../shared/scrapers/scraper.ts";
import { sourceClient } from "../../../../shared/sources/http/polite-client.ts";
import { localRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { type WebDependencies, webScraper } from "../../../../shared/sources/web/scraper.ts";
import { isBlockAnswer } from "../../../../shared/sources/web/block-answer.ts";
import type { WebOptions } from "../../../../shared/sources/web/options.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import { type PageCall, type PageReaction, type ShopDouble, startShop } from "./double.ts";
import { anOffer, aPage, aProduct, linkedData } from "./page.ts";

const userAgent = "lamp-reader/1.0 (+https://reader.example/about)";
/** No jitter: retries follow immediately. */
const random = { bytes: (length: number) => new Uint8Array(length), fraction: () => 0 };
const temporary = new Set([429, 500, 502, 503, 504]);

interface Trial extends Partial<WebOptions> {
  readonly withinMs?: number;
  readonly scraper?: ProductScraperId;
}

function scraperOn(
  url: string,
  options: Partial<WebOptions> = {},
  { clock = systemClock, note }: Partial<Pick<WebDependencies, "clock" | "note">> = {},
): Scraper {
  const whole: WebOptions = {
    adapter: "web",
    urlTemplate: `${url}/p/{id}`,
    userAgent,
    notFoundStatus: false,
    callsPerSecond: 1_000,
    callsAtOnceMax: 4,
    ...options,
  };
  const client = sourceClient(
    {
      name: url,
      callsPerSecond: 1_000,
      burst: 1_000,
      callsAtOnce: 4,
      tryTimeoutMs: 2_000,
      bytesMax: 5 * 1024 * 1024,
      isTemporary: (status) => temporary.has(status),
      isBlock: isBlockAnswer,
      userAgent,
    },
    { clock, random, budget: localRateBudget(), note: () => undefined },
  );
  return webScraper(whole, { client, clock, ...(note && { note }) });
}

let shop: ShopDouble;
const started: ShopDouble[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

async function readFrom(
  react: (call: PageCall, number: number) => PageReaction | undefined,
  ids: readonly string[] = ["6501234"],
  { withinMs = 10_000, scraper = "retailer_d.standard", ...options }: Trial = {},
): Promise<readonly Answer[]> {
  shop = await startShop(react);
  started.push(shop);
  return readAgain(scraperOn(shop.url, options), ids, { withinMs, scraper });
}

const readAgain = (
  scraper: Scraper,
  ids: readonly string[],
  { withinMs = 10_000, scraper: id = "retailer_d.standard" }: Trial = {},
): Promise<readonly Answer[]> =>
  scraper.read({
    scraper: id,
    marketplace: "us",
    ids,
    deadline: new Date(Date.now() + withinMs),
  });

const statusOf = async (answers: Promise<readonly Answer[]>): Promise<string | undefined> =>
  (await answers)[0]?.status;

const idIn = (path: string): string => /\/p\/([^/?]+)/.exec(path)?.[1] ?? "";
const pageOf = (id: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  aPage(linkedData(aProduct({ sku: id, ...fields })));
const lamp: PageReaction = { body: pageOf("6501234") };
/**
 * A shop that answers robots.txt with `robots`, and every other address with the page of its ID.
 */
const withRobots =
  (robots: PageReaction) =>
  ({ path }: PageCall): PageReaction =>
    path === "/robots.txt" ? robots : { body: pageOf(idIn(path)).replace("/p/6501234", path) };
const rules = (body: string): PageReaction => ({ headers: { "Content-Type": "text/plain" }, body });
/** A shop that has no robots.txt, and that answers with `reaction` at every other address. */
const always =
  (reaction: PageReaction) =>
  ({ path }: PageCall): PageReaction | undefined =>
    path === "/robots.txt" ? undefined : reaction;

describe.each(["retailer_b.standard", "retailer_c.standard", "retailer_d.standard"] as const)(
  "with the scraper %s,",
  (scraperId) => {
    scraperContract("web", async () => {
      const source = await startShop(({ path }) => {
        const id = idIn(path);
        const stages: Record<string, PageReaction> = {
          "10005": { body: pageOf(id, { offers: anOffer({ price: 0 }) }) },
          "10006": { status: 500 },
          "10007": { status: 410, body: "<title>Gone</title>" },
          "10008": "hang",
          "10009": { body: "<title>Robot Check</title>" },
          "10010": { body: pageOf("10011") },
          "10012": { body: pageOf(id, { offers: anOffer({ priceCurrency: "EUR" }) }) },
          "10013": { status: 404 },
        };
        if (id === "") return undefined;
        return stages[id] ?? { body: pageOf(id, { secretCost: 3 }) };
      });
      return {
        scraper: scraperOn(source.url),
        scraperId,
        marketplace: "us",
        ids: {
          ok: ["10001", "10002"],
          partial: ["10005"],
          not_found: ["10007"],
          unavailable: ["10006", "10009", "10012", "10013"],
        },
        slowId: "10008",
        stop: () => source.stop(),
      };
    });
  },
);

describe("the web scraper", () => {
  it("requests the address that results from the template and the ID, with the configured User-Agent", async () => {
    const [answer] = await readFrom(() => lamp);
    expect(answer).toMatchObject({ id: "6501234", status: "ok" });
    expect(shop.pages()).toEqual(["/p/6501234"]);
    const headers = shop.calls.find(({ path }) => path === "/p/6501234")?.headers;
    expect(headers).toMatchObject({ "user-agent": userAgent, accept: "text/html" });
    expect(headers).not.toHaveProperty("cookie");
  });

  it("percent-encodes the ID", async () => {
    await readFrom(always({ status: 404 }), ["../a?b#c", "$&"]);
    expect(shop.pages().toSorted()).toEqual(["/p/%24%26", "/p/..%2Fa%3Fb%23c"]);
  });

  it("throws an error for a read of retailer_a", async () => {
    await expect(
      readFrom(() => lamp, ["B000000000"], { scraper: "retailer_a.lite" }),
    ).rejects.toThrow(/retailer_a/);
  });

  it("throws an error for an invalid template", () => {
    expect(() => scraperOn("ftp://shop.example")).toThrow(/urlTemplate/);
  });
});

describe("a result of the web scraper", () => {
  const product = {
    brand: "Kelwick",
    mpn: "KW-77",
    gtin13: "4006381333931",
    color: "Slate",
    category: "Home > Lamps",
    inProductGroupWithID: "77001",
    image: "/lamp.jpg",
    aggregateRating: { "@type": "AggregateRating", ratingValue: 4.5, reviewCount: 12 },
    offers: anOffer({
      availability: "OnlineOnly",
      itemCondition: "NewCondition",
      seller: { name: "Fjord Supply" },
      priceSpecification: { priceType: "ListPrice", price: 25, priceCurrency: "USD" },
      shippingDetails: { shippingRate: { value: 0, currency: "USD" } },
    }),
  };
  const read = async (scraper: ProductScraperId): Promise<unknown> => {
    const [answer] = await readFrom(() => ({ body: pageOf("6501234", product) }), undefined, {
      scraper,
    });
    return answer !== undefined && "fields" in answer ? answer.fields : answer;
  };
  const shared = (): object => ({
    title: "Kelwick Lamp",
    url: `${shop.url}/p/6501234`,
    price: { amount: 19.99, currency: "USD" },
    availability: { inStock: true, message: "Online only" },
    seller: { name: "Fjord Supply" },
    images: [`${shop.url}/lamp.jpg`],
  });

  it("for retailer_b contains the values on the page", async () => {
    expect(await read("retailer_b.standard")).toEqual({
      ...shared(),
      retailer_b: {
        brand: "Kelwick",
        upc: "4006381333931",
        modelNumber: "KW-77",
        parentId: "77001",
        listPrice: { amount: 25, currency: "USD" },
        offerType: "ONLINE_ONLY",
        onlineAvailable: true,
        shipping: { standard: { amount: 0, currency: "USD" } },
        preOrder: false,
        condition: "New",
        category: "Lamps",
        rating: 4.5,
        reviewsCount: 12,
        color: "Slate",
      },
    });
  });

  it("for retailer_c contains the values on the page", async () => {
    expect(await read("retailer_c.standard")).toEqual({
      ...shared(),
      retailer_c: {
        tcin: "6501234",
        regularPrice: 25,
        shipping: "IN_STOCK",
        pickup: "UNAVAILABLE",
      },
    });
  });

  it("for retailer_d contains the values on the page", async () => {
    expect(await read("retailer_d.standard")).toEqual({
      ...shared(),
      retailer_d: {
        state: "ADD_TO_CART",
        regularPrice: 25,
        savings: 5.01,
        brand: "Kelwick",
        condition: "New",
        category: "Lamps",
        purchasable: true,
      },
    });
  });

  it('is "partial" if the page has several products and does not show which one is requested', async () => {
    const page = aPage(linkedData(aProduct(), aProduct({ offers: anOffer({ price: 5 }) })));
    const [answer] = await readFrom(always({ body: page }));
    expect(answer).toMatchObject({ status: "partial", fields: { retailer_d: {} } });
    expect(answer).not.toHaveProperty("fields.price");
  });

  it('is "unavailable" for a page of another product', async () => {
    const page = pageOf("6509999").replace("/p/6501234", "/p/6509999");
    expect(await statusOf(readFrom(always({ body: page })))).toBe("unavailable");
  });
});

describe('the web scraper\'s status "not_found"', () => {
  const statusFor = (status: number, trial: Trial = {}, body = "<title>Gone</title>") =>
    statusOf(readFrom(always({ status, body }), undefined, trial));

  it("is returned for a response 410", async () => {
    expect(await statusFor(410)).toBe("not_found");
  });

  it("is returned for a response 404 only if the deployer set 'notFoundStatus'", async () => {
    expect(await statusFor(404)).toBe("unavailable");
    expect(await statusFor(404, { notFoundStatus: true })).toBe("not_found");
  });

  it("is never returned for a block page, whatever the HTTP status is", async () => {
    for (const title of ["Access denied", "Pardon Our Interruption", "Robot or human?"]) {
      const block = `<title>${title}</title>`;
      expect(await statusFor(410, {}, block)).toBe("unavailable");
      expect(await statusFor(404, { notFoundStatus: true }, block)).toBe("unavailable");
    }
  });

  it.each([
    ["a page whose path contains the ID", "/lamps/6501234", "not_found"],
    ["a login page whose query contains the ID", "/login?next=/p/6501234", "unavailable"],
    ["a general page for delisted items", "/gone?from=6501234", "unavailable"],
  ])(
    "is returned for a redirect to a missing page only if the ID is in the path of the missing page's address (%s)",
    async (_, Location, status) => {
      for (const end of [404, 410]) {
        const react = ({ path }: PageCall): PageReaction | undefined => {
          if (path === "/robots.txt") return undefined;
          return path === "/p/6501234" ? { status: 302, headers: { Location } } : { status: end };
        };
        const read = readFrom(react, undefined, { notFoundStatus: true });
        expect(await statusOf(read)).toBe(status);
        expect(shop.pages()).toHaveLength(2);
      }
    },
  );

  it("is returned for a response 410 at the requested address if the ID is in the query of the address", async () => {
    shop = await startShop(always({ status: 410 }));
    started.push(shop);
    const scraper = scraperOn(shop.url, { urlTemplate: `${shop.url}/item?sku={id}` });
    expect(await statusOf(readAgain(scraper, ["6501234"]))).toBe("not_found");
  });

  it.each([301, 302])(
    "is not returned for a redirect with the status %d to the home page",
    async (status) => {
      const home = (end: PageReaction): Promise<string | undefined> =>
        statusOf(
          readFrom(({ path }) => {
            if (path === "/robots.txt") return undefined;
            return path === "/" ? end : { status, headers: { Location: "/" } };
          }),
        );
      expect(await home({ body: aPage("") })).toBe("unavailable");
      expect(await home({ status: 410 })).toBe("unavailable");
    },
  );
});

describe("the robots.txt of a site", () => {
  it.each([
    ["forbids the page to every robot", "User-agent: *\nDisallow: /p/", "unavailable"],
    [
      "forbids this robot",
      "User-agent: lamp-reader\nDisallow: /\n\nUser-agent: *\nAllow: /",
      "unavailable",
    ],
    ["forbids another robot", "User-agent: other\nDisallow: /", "ok"],
    ["allows a longer path than it forbids", "User-agent: *\nDisallow: /\nAllow: /p/", "ok"],
    ["forbids the page by a pattern", "User-agent: *\nDisallow: /*1234$", "unavailable"],
    ["forbids the page in another encoding", "User-agent: *\nDisallow: /%70/", "unavailable"],
    ["forbids another path, which has an encoded slash", "User-agent: *\nDisallow: /p%2f", "ok"],
    ["is empty", "", "ok"],
    ["is not a robots.txt", "<html><body>Shop</body></html>", "ok"],
  ])(
    "allows or prevents a read of the page according to its rules (it %s)",
    async (_, body, status) => {
      expect(await statusOf(readFrom(withRobots(rules(body))))).toBe(status);
      expect(shop.pages()).toHaveLength(status === "ok" ? 1 : 0);
    },
  );

  it.each([401, 403, 404, 410])(
    "with the status %d allows the robot to read every page",
    async (status) => {
      expect(await statusOf(readFrom(withRobots({ status })))).toBe("ok");
    },
  );

  it.each([429, 500, 503])(
    'with the status %d makes pages "unavailable", and the scraper requests no page',
    async (status) => {
      expect(await statusOf(readFrom(withRobots({ status })))).toBe("unavailable");
      expect(shop.pages()).toEqual([]);
    },
  );

  it('makes pages "unavailable" if the request for it gets no response, and the scraper requests no page', async () => {
    for (const reaction of ["hang", "reset"] as const) {
      const read = readFrom(withRobots(reaction), undefined, { withinMs: 1_000 });
      expect(await statusOf(read)).toBe("unavailable");
      expect(shop.pages()).toEqual([]);
    }
  });

  it("delays a call no longer than until the deadline of the call", async () => {
    shop = await startShop(withRobots("hang"));
    started.push(shop);
    const scraper = scraperOn(shop.url);
    let isPatientDone = false;
    const patient = readAgain(scraper, ["6501234"], { withinMs: 3_000 }).finally(() => {
      isPatientDone = true;
    });
    expect(await statusOf(readAgain(scraper, ["6501235"], { withinMs: 200 }))).toBe("unavailable");
    expect(isPatientDone).toBe(false);
    expect(await statusOf(patient)).toBe("unavailable");
  });

  it("is requested once a day, and again a minute after a failure", async () => {
    let nowMs = Date.now();
    const clock = { ...systemClock, now: () => new Date(nowMs) };
    let status = 500;
    shop = await startShop(({ path }) => (path === "/robots.txt" ? { status } : lamp));
    started.push(shop);
    const scraper = scraperOn(shop.url, {}, { clock });
    const read = async (): Promise<string | undefined> =>
      (
        await scraper.read({
          scraper: "retailer_d.standard",
          marketplace: "us",
          ids: ["6501234"],
          deadline: new Date(nowMs + 90_000_000),
        })
      )[0]?.status;

    expect(await read()).toBe("unavailable");
    const tries = shop.robotsCalls();
    expect(await read()).toBe("unavailable");
    expect(shop.robotsCalls()).toBe(tries);
    nowMs += 61_000;
    status = 404;
    expect([await read(), await read()]).toEqual(["ok", "ok"]);
    expect(shop.robotsCalls()).toBe(tries + 1);
    nowMs += 24 * 3_600_000;
    expect(await read()).toBe("ok");
    expect(shop.robotsCalls()).toBe(tries + 2);
  });

  it("is requested once for concurrent reads of pages", async () => {
    await readFrom(always(lamp), ["6501234", "6501235", "6501236", "6501237"]);
    expect(shop.robotsCalls()).toBe(1);
  });

  it("sets the interval between page requests with its crawl delay", async () => {
    const delayed = withRobots(rules("User-agent: *\nCrawl-delay: 0.3"));
    await readFrom(delayed, ["6501234", "6501235", "6501236"]);
    const times = shop.calls.filter(({ path }) => path !== "/robots.txt").map(({ at }) => at);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(500);
  });

  it("has the same effect whether or not its rules are URL-encoded", async () => {
    const forbids = (rule: string, path: string): Promise<string | undefined> => {
      const read = async (): Promise<readonly Answer[]> => {
        shop = await startShop(withRobots(rules(`User-agent: *\nDisallow: ${rule}`)));
        started.push(shop);
        const urlTemplate = `${shop.url}${path}/p/{id}`;
        return readAgain(scraperOn(shop.url, { urlTemplate }), ["6501234"]);
      };
      return statusOf(read());
    };
    expect(await forbids("/[a]|b/", "/[a]|b")).toBe("unavailable");
    expect(await forbids("/caf%c3%a9/", "/café")).toBe("unavailable");
    expect(await forbids("/café/", "/caf%c3%a9")).toBe("unavailable");
    expect(await forbids("/%7Eshop/", "/~shop")).toBe("unavailable");
    expect(await forbids("/~shop/", "/%7eshop")).toBe("unavailable");
    expect(await forbids("/a%2Fb/", "/a/b")).not.toBe("unavailable");
  });

  it.each([
    [45, 45_000, 0],
    [86_400, 3_600_000, 1],
  ])(
    "with a crawl delay of %d s delays the next page by %d ms, at most an hour",
    async (delay, gapMs, warnings) => {
      let nowMs = Date.now();
      const sleeps: number[] = [];
      const clock = {
        ...systemClock,
        now: () => new Date(nowMs),
        sleep: async (milliseconds: number) => {
          sleeps.push(milliseconds);
          nowMs += milliseconds;
        },
      };
      shop = await startShop(withRobots(rules(`User-agent: *\nCrawl-delay: ${delay}`)));
      started.push(shop);
      const notes: string[] = [];
      const scraper = scraperOn(
        shop.url,
        { callsAtOnceMax: 1 },
        { clock, note: (problem) => notes.push(problem) },
      );
      const answers = await readAgain(scraper, ["6501234", "6501235"], { withinMs: 9_000_000 });
      expect(answers.map(({ status }) => status)).not.toContain("unavailable");
      // The client's own rate causes waits of at most a millisecond.
      expect(sleeps.filter((milliseconds) => milliseconds > 1)).toEqual([gapMs]);
      expect(notes).toHaveLength(warnings);
    },
  );

  it('makes a page "unavailable" if its crawl delay ends after the deadline', async () => {
    const delayed = withRobots(rules("User-agent: *\nCrawl-delay: 3600"));
    const answers = await readFrom(delayed, ["6501234", "6501235"], { withinMs: 2_000 });
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["ok", "unavailable"]);
    expect(shop.pages()).toHaveLength(1);
  });
});

describe("a redirect of a product page", () => {
  const to =
    (location: string, end: PageReaction = lamp) =>
    ({ path }: PageCall): PageReaction | undefined => {
      if (path === "/robots.txt") return undefined;
      return path.startsWith("/p/") ? { status: 301, headers: { Location: location } } : end;
    };

  it.each([301, 302, 303, 307, 308])(
    "with the status %d is followed within the site",
    async (status) => {
      const read = readFrom(({ path }) => {
        if (path === "/robots.txt") return undefined;
        if (path.startsWith("/p/"))
          return { status, headers: { Location: "/lamps/kelwick-6501234" } };
        return lamp;
      });
      expect(await statusOf(read)).toBe("ok");
      expect(shop.pages()).toEqual(["/p/6501234", "/lamps/kelwick-6501234"]);
    },
  );

  it("is not followed to another site", async () => {
    const other = await startShop(() => lamp);
    started.push(other);
    const elsewhere = [
      `http://localhost:${other.port}/a`,
      other.url,
      "https://shop.example/p/6501234",
    ];
    for (const location of [...elsewhere, "ftp://127.0.0.1/", "http://", ""]) {
      expect(await statusOf(readFrom(to(location)))).toBe("unavailable");
    }
    expect(other.calls).toEqual([]);
  });

  it("is followed a limited number of times if it is circular or part of an endless chain", async () => {
    const circle = readFrom(always({ status: 302, headers: { Location: "/p/6501234" } }));
    expect(await statusOf(circle)).toBe("unavailable");
    expect(shop.pages()).toHaveLength(1);
    let step = 0;
    const endless = readFrom(({ path }) => {
      if (path === "/robots.txt") return undefined;
      step += 1;
      return { status: 302, headers: { Location: `/p/6501234?${step}` } };
    });
    expect(await statusOf(endless)).toBe("unavailable");
    expect(shop.pages()).toHaveLength(4);
  });

  it("is not followed to an address that robots.txt forbids", async () => {
    const read = readFrom(({ path }) =>
      path === "/robots.txt"
        ? rules("User-agent: *\nDisallow: /lamps/")
        : { status: 302, headers: { Location: "/lamps/6501234" } },
    );
    expect(await statusOf(read)).toBe("unavailable");
    expect(shop.pages()).toEqual(["/p/6501234"]);
  });
});

describe("the body of a product page", () => {
  it.each([
    ["the header", "text/html; charset=ISO-8859-1", ""],
    ["the page", "text/html", '<meta charset="iso-8859-1">'],
    [
      "the page's http-equiv element",
      "text/html",
      '<meta http-equiv="Content-Type" content="text/html; charset=latin1">',
    ],
    [
      "the header, if header and page differ",
      'text/html;charset="latin1"',
      '<meta charset="utf-8">',
    ],
  ])("is decoded in the charset that is declared by %s", async (_, contentType, meta) => {
    const page = meta + pageOf("6501234", { name: "Crème brûlée" });
    const reaction = {
      headers: { "Content-Type": contentType },
      body: Buffer.from(page, "latin1"),
    };
    const [answer] = await readFrom(always(reaction));
    expect(answer).toMatchObject({ status: "ok", fields: { title: "Crème brûlée" } });
  });

  it("is decoded as UTF-8 if its charset is unknown", async () => {
    const headers = { "Content-Type": "text/html; charset=klingon" };
    const body = pageOf("6501234", { name: "Crème" });
    const [answer] = await readFrom(always({ headers, body }));
    expect(answer).toMatchObject({ fields: { title: "Crème" } });
  });

  it.each(["application/json", "text/plain", "application/pdf", "image/png", "text/htmlx", ""])(
    "is ignored if its content type is %j",
    async (type) => {
      const reaction = { headers: { "Content-Type": type }, body: pageOf("6501234") };
      expect(await statusOf(readFrom(always(reaction)))).toBe("unavailable");
    },
  );

  it("is dropped if it is larger than 5 MB", async () => {
    const huge = pageOf("6501234") + " ".repeat(5_300_000);
    expect(await statusOf(readFrom(always({ body: huge })))).toBe("unavailable");
  });

  it("is read if it is slightly smaller than 5 MB", async () => {
    const long = pageOf("6501234") + " ".repeat(4_900_000);
    expect(await statusOf(readFrom(always({ body: long })))).toBe("ok");
  });
});

describe("a site's block of the web scraper", () => {
  it.each([403, 429, 500, 503])('with the status %d makes items "unavailable"', async (status) => {
    const read = readFrom(always({ status, body: pageOf("6501234") }));
    expect(await statusOf(read)).toBe("unavailable");
  });

  const soldOut =
    "<title>Sorry, this product is no longer available</title>" +
    "<p>See our robot vacuums. This site is protected by reCAPTCHA.</p>".repeat(80);
  const afterTen = (reaction: PageReaction, trial: Trial = {}): Promise<readonly Answer[]> => {
    const ids = Array.from({ length: 20 }, (_, n) => String(6_501_000 + n));
    return readFrom(
      ({ path }) => {
        if (path === "/robots.txt") return undefined;
        const isOfTen = Number(idIn(path)) < 6_501_010;
        return isOfTen ? reaction : { body: pageOf(idIn(path)).replace("/p/6501234", path) };
      },
      ids,
      { callsAtOnceMax: 1, ...trial },
    );
  };

  it.each([
    ["small, for products that are no longer sold", soldOut],
    ["empty", ""],
    ["about robot vacuums that are not available", "<title>Robot vacuum: not available</title>"],
    ["without a refusal outside scripts", "<script>show('Access denied')</script>Not available"],
    [
      "about a book with the title of a block page",
      "<title>Are You Human? paperback</title><h1>Are You Human?</h1>",
    ],
    [
      "about a game named CAPTCHA",
      "<title>CAPTCHA, a board game</title><p>CAPTCHA is a game for two.</p>",
    ],
    [
      "about a lock named security check",
      "<title>Shop</title><p>Security check lock, robot check included</p>",
    ],
  ])("is not assumed if the pages only resemble block pages (they are %s)", async (_, body) => {
    const statuses = (await afterTen({ body })).map(({ status }) => status);
    expect(statuses).toEqual([...Array(10).fill("unavailable"), ...Array(10).fill("ok")]);
  });

  it.each([
    [404, "<title>Not here</title>Sorry. CAPTCHA is sold out."],
    [404, "<title>Not here</title>Complete the CAPTCHA to write to us."],
    [410, "<title>Security check lock</title>The security check lock is no longer sold."],
  ])(
    "is not assumed for a page with the status %d that mentions a robot check only below its title (the page: %s)",
    async (status, body) => {
      const statuses = (await afterTen({ status, body })).map((answer) => answer.status);
      const gone = status === 410 ? "not_found" : "unavailable";
      expect(statuses).toEqual([...Array(10).fill(gone), ...Array(10).fill("ok")]);
    },
  );

  it.each([
    ["the status 403", { status: 403 }],
    ["its title", { body: "<title>Pardon Our Interruption</title>" }],
    ["a long page's title", { body: aPage("").replace("<title>Shop", "<title>Just a moment...") }],
    ["its request", { body: "<title>Shop</title><p>Please verify that you\n are human.</p>" }],
    ["its title with a 404", { status: 404, body: "<title>Are you a robot?</title>" }],
    ["its title with a 410", { status: 410, body: "<title>Security Check | Shop</title>" }],
    ["a request in its title", { status: 404, body: "<title>Shop: solve this captcha</title>" }],
    ["a security check", { body: "<title>Shop</title><p>Please complete the security check.</p>" }],
    ["the name of a captcha", { body: "<title>Shop</title>Please complete the reCAPTCHA below." }],
    ["a captcha field", { body: "<title>Shop</title><p>Enter the <b>CAPTCHA</b> below</p>" }],
    ["a question", { body: "<title>Shop</title><h1>Are you human?</h1><p>Please press here.</p>" }],
  ])(
    "that is recognized by %s prevents further calls to the site after five such responses",
    async (_, reaction) => {
      await afterTen(reaction);
      expect(shop.pages()).toHaveLength(5);
    },
  );

  it("is not assumed for the pages of a shop that sells robots", async () => {
    const ids = Array.from({ length: 8 }, (_, n) => String(6_501_000 + n));
    const answers = await readFrom(
      ({ path }) =>
        path === "/robots.txt"
          ? undefined
          : {
              body: pageOf(idIn(path))
                .replace("/p/6501234", path)
                .replace("<title>Shop", "<title>Robot vacuum"),
            },
      ids,
      { callsAtOnceMax: 1 },
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => "ok"));
  });
});
