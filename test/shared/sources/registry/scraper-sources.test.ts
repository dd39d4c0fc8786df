import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import { stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import {
  parseSources,
  type SourceConfiguration,
} from "../../../../shared/sources/registry/configuration.ts";
import { offerSources } from "../../../../shared/sources/registry/offer-sources.ts";
import { scraperFor } from "../../../../shared/sources/registry/scraper-sources.ts";
import type { SourceReport } from "../../../../shared/sources/registry/report.ts";
import { historyOfferId } from "../../../../shared/sources/price-history/offer-id.ts";
import { tokensByKey } from "../../../../shared/sources/price-history/tokens.ts";
import type { SourceDependencies } from "../../../../shared/sources/registry/parts.ts";
import { aSourceWorld } from "../../../support/source-dependencies.ts";
import { aListing, apiKey, envelope, startHistoryDouble } from "../price-history/double.ts";
import type { ApiDouble } from "../api-double.ts";
import {
  aProduct,
  type ProductsDouble,
  startProductsDouble,
  wholeReply,
} from "../catalog/double.ts";

const canary = "canary-secret-8e2f";
const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const configured = (sources: Readonly<Record<string, unknown>>): SourceConfiguration =>
  parseSources(JSON.stringify({ ...sandboxes, ...sources }), { allowVariables: true });
const offerOn = (listing: string): string =>
  historyOfferId({ listing, sellerId: "A1SELLER01", condition: "new", isFba: false });
const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

let double: ProductsDouble | undefined;
afterEach(async () => {
  await double?.stop();
  double = undefined;
});

const catalogOn = (url: string): Readonly<Record<string, unknown>> => ({
  "retailer_d.standard": { adapter: "d_catalog", baseUrl: url, secret: "/sources/d" },
});
const request = (ids: readonly string[], seconds = 5) =>
  ({
    scraper: "retailer_d.standard",
    marketplace: "us",
    ids,
    deadline: inSeconds(seconds),
  }) as const;

describe("a configured scraper", () => {
  it("is created only once, and the limits of the scraper apply to all reads", async () => {
    const scraper = scraperFor(configured({}), aSourceWorld());
    expect(scraper("retailer_d.standard")).toBe(scraper("retailer_d.standard"));
    const [answer] = await scraper("retailer_d.standard").read(request(["9000000"]));
    expect(answer?.status).toBe("ok");
  });

  it("reads its secret by the configured reference, and reports each read to the metrics", async () => {
    double = await startProductsDouble(({ number, skus }) =>
      number === 1
        ? { status: 429, headers: { "Retry-After": "0" } }
        : { body: wholeReply(skus.filter((sku) => sku !== "10002").map((sku) => aProduct(sku))) },
    );
    const reports: SourceReport[] = [];
    const secrets = { read: (reference: string) => Promise.resolve(`${canary} of ${reference}`) };
    const world = aSourceWorld({ secrets, report: (report) => reports.push(report) });
    const scraper = scraperFor(configured(catalogOn(double.url)), world)("retailer_d.standard");
    await scraper.read(request(["10001", "10002"]));
    expect(double.calls[0]?.url.searchParams.get("apiKey")).toBe(`${canary} of /sources/d`);
    expect(reports).toEqual([
      {
        source: "d_catalog",
        scraper: "retailer_d.standard",
        milliseconds: expect.any(Number),
        items: { ok: 1, not_found: 1 },
        calls: {
          milliseconds: [expect.any(Number)],
          tries: 2,
          throttled: 1,
          replies: { "2xx": 1 },
          circuitsOpened: 0,
        },
      },
    ]);
    expect(JSON.stringify(reports)).not.toContain(canary);
  });
});

const productAdapters = [
  ["retailer_a.lite", { adapter: "upstream", secret: "/sources/x" }],
  ["retailer_a.pulse", { adapter: "a_history", secret: "/sources/x" }],
  [
    "retailer_b.standard",
    { adapter: "b_affiliate", consumerId: "c", keyVersion: 1, privateKey: "/sources/x" },
  ],
  ["retailer_d.standard", { adapter: "d_catalog", secret: "/sources/x" }],
] as const;

describe("a source secret that cannot be used", () => {
  /** Enough IDs for several calls. */
  const ids = Array.from({ length: 250 }, (_, n) => `B0${String(n).padStart(8, "0")}`);
  const warningOf = (scraper: string, adapter: string): string =>
    `${scraper}: ${adapter}: The secret /sources/x could not be read`;

  async function closedWorld(): Promise<{
    baseUrl: string;
    world: SourceDependencies;
    warnings: string[];
  }> {
    double = await startProductsDouble(() => ({ status: 200 }));
    const warnings: string[] = [];
    const world = aSourceWorld({
      secrets: {
        read: (reference) => Promise.reject(new Error(`The secret ${reference} could not be read`)),
      },
      warn: (problem) => warnings.push(problem),
    });
    return { baseUrl: double.url, world, warnings };
  }

  it.each(productAdapters)(
    'makes the items of the scraper %s "unavailable" and causes one warning (the options: %j)',
    async (id, options) => {
      const { baseUrl, world, warnings } = await closedWorld();
      const sources = configured({ [id]: { ...options, baseUrl } });
      const scraper = scraperFor(sources, world)(id);
      const read = { scraper: id, marketplace: "us", ids, deadline: inSeconds(5) };
      for (const answers of [await scraper.read(read), await scraper.read(read)]) {
        expect(answers.map((answer) => [answer.id, answer.status])).toEqual(
          ids.map((one) => [one, "unavailable"]),
        );
      }
      expect(warnings).toEqual([warningOf(id, options.adapter)]);
      expect(double?.calls).toHaveLength(0);
    },
  );

  it.each(["upstream", "a_history"])(
    'makes the offers and offer checks of the adapter %s "unavailable", and causes one warning',
    async (adapter) => {
      const { baseUrl, world, warnings } = await closedWorld();
      const options = { adapter, baseUrl, secret: "/sources/x" };
      const { offerScraperFor, offerCheckerFor } = offerSources(
        configured({ "retailer_a.offers": options, "retailer_a.offer_check": options }),
        world,
      );
      const asked = { marketplace: "us", deadline: inSeconds(5) };
      const offers = ids.map((asin) => ({ asin, offerListingId: offerOn(asin) }));
      const listed = await offerScraperFor().readOffers({ ...asked, ids });
      const checked = await offerCheckerFor().checkOffers({ ...asked, offers });
      expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(["unavailable"]));
      expect(new Set(checked.map(({ status }) => status))).toEqual(new Set(["unavailable"]));
      expect(warnings).toEqual([
        warningOf("retailer_a.offers", adapter),
        warningOf("retailer_a.offer_check", adapter),
      ]);
      expect(double?.calls).toHaveLength(0);
    },
  );

  it("causes a second warning no earlier than after a minute", async () => {
    const { baseUrl, world, warnings } = await closedWorld();
    let now = Date.now();
    const clock = { ...world.clock, now: () => new Date(now) };
    const scraper = scraperFor(configured(catalogOn(baseUrl)), { ...world, clock })(
      "retailer_d.standard",
    );
    for (const passedMs of [0, 59_000, 1_000]) {
      now += passedMs;
      await scraper.read({ ...request(["10001"]), deadline: new Date(now + 1_000) });
    }
    expect(warnings).toHaveLength(2);
  });

  it('makes the items "unavailable" and causes a warning if the secret is not the required RSA private key', async () => {
    const { baseUrl, world, warnings } = await closedWorld();
    const secrets = { read: () => Promise.resolve(`-----BEGIN PRIVATE KEY-----\n${canary}`) };
    const [, options] = productAdapters[2];
    const sources = configured({ "retailer_b.standard": { ...options, baseUrl } });
    const scraper = scraperFor(sources, { ...world, secrets })("retailer_b.standard");
    const read = { scraper: "retailer_b.standard", marketplace: "us", ids } as const;
    const answers = await scraper.read({ ...read, deadline: inSeconds(5) });
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => "unavailable"));
    expect(warnings).toEqual([
      "retailer_b.standard: b_affiliate: the secret contains no RSA private key. Store the " +
        "key in PEM format in the secret",
    ]);
    expect(warnings.join()).not.toContain(canary);
    expect(double?.calls).toHaveLength(0);
  });
});

describe("the tokens of a price history key", () => {
  let history: ApiDouble | undefined;
  afterEach(async () => {
    await history?.stop();
    history = undefined;
  });
  let sleptMs: number[];
  beforeEach(() => {
    sleptMs = [];
  });
  const clock = {
    ...systemClock,
    sleep: (ms: number) => {
      sleptMs.push(ms);
      return systemClock.sleep(ms);
    },
  };
  const asin = "B000000001";
  const offers = [{ asin, offerListingId: offerOn(asin) }];

  /**
   * Returns a function for each of five scrapers, by scraper ID. The function makes one read.
   * `secretOf` returns the reference to the secret with the scraper's key.
   */
  function readers(baseUrl: string, secretOf: (scraper: string) => string) {
    const five = ["pulse", "lite", "full", "offers", "offer_check"].map((tier) => {
      const id = `retailer_a.${tier}`;
      return [id, { adapter: "a_history", baseUrl, secret: secretOf(id) }] as const;
    });
    const sources = configured(Object.fromEntries(five));
    const secrets = { read: () => Promise.resolve(apiKey) };
    const world = aSourceWorld({ clock, secrets, tokens: tokensByKey(clock) });
    const products = scraperFor(sources, world);
    const { offerScraperFor, offerCheckerFor } = offerSources(sources, world);
    const asked = { marketplace: "us", ids: [asin] };
    const tier = (scraper: "retailer_a.pulse" | "retailer_a.lite" | "retailer_a.full") =>
      [
        scraper,
        (deadline: Date) => products(scraper).read({ ...asked, scraper, deadline }),
      ] as const;
    return new Map<string, (deadline: Date) => Promise<readonly { status: string }[]>>([
      tier("retailer_a.pulse"),
      tier("retailer_a.lite"),
      tier("retailer_a.full"),
      ["retailer_a.offers", (deadline) => offerScraperFor().readOffers({ ...asked, deadline })],
      [
        "retailer_a.offer_check",
        (deadline) => offerCheckerFor().checkOffers({ marketplace: "us", offers, deadline }),
      ],
    ]);
  }
  const spent = { tokensLeft: 0, refillIn: 60_000, refillRate: 5 };
  const ids = ["retailer_a.pulse", "retailer_a.lite", "retailer_a.full", "retailer_a.offers"];
  const all = [...ids, "retailer_a.offer_check"];

  it.each(all)(
    "admit no call of any scraper with this key after the scraper %s received an empty balance",
    async (first) => {
      history = await startHistoryDouble(() => ({ status: 429, body: envelope({}, spent) }));
      const found = readers(history.url, () => "/sources/a");
      for (const id of [first, ...all]) {
        const [answer] = (await found.get(id)?.(inSeconds(2))) ?? [];
        expect([id, answer?.status]).toEqual([id, "unavailable"]);
      }
      expect(history.calls).toHaveLength(1);
    },
  );

  it("make another scraper with this key wait as long as the source reported if none are left", async () => {
    const tokens = { tokensLeft: 0, refillIn: 400, refillRate: 5 };
    const sample = { products: [aListing(asin)] };
    history = await startHistoryDouble(({ number }) => ({
      body: envelope(sample, number === 1 ? tokens : {}),
    }));
    const found = readers(history.url, () => "/sources/a");
    const startedAt = Date.now();
    await found.get("retailer_a.pulse")?.(inSeconds(60));
    expect(sleptMs).toEqual([]);
    const [answer] = (await found.get("retailer_a.lite")?.(inSeconds(60))) ?? [];
    expect(answer?.status).toBe("ok");
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(390);
  });

  it("do not delay scrapers with a different key", async () => {
    history = await startHistoryDouble(() => ({ status: 429, body: envelope({}, spent) }));
    const found = readers(history.url, (scraper) => `/sources/${scraper}`);
    for (const id of all) await found.get(id)?.(inSeconds(2));
    expect(history.calls).toHaveLength(all.length);
  });
});

describe("a source adapter whose server is down", () => {
  const baseUrl = "http://127.0.0.1:1";
  const privateKey = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  }).privateKey;
  const userAgent = "product-reader/1.0 (+mailto:ops@team.example)";
  it.each([
    ...productAdapters.map(([id, options]) => [id, { ...options, baseUrl }] as const),
    ["retailer_c.standard", { adapter: "web", urlTemplate: `${baseUrl}/p/{id}`, userAgent }],
  ] as const)(
    'returns "unavailable" for the scraper %s by the deadline (the options: %j)',
    async (id, options) => {
      const reports: SourceReport[] = [];
      const secrets = { read: () => Promise.resolve(privateKey) };
      const world = aSourceWorld({ secrets, report: (report) => reports.push(report) });
      const scraper = scraperFor(configured({ [id]: options }), world)(id);
      const ids = ["B000000001", "B000000002"];
      const read = { scraper: id, marketplace: "us", ids, deadline: inSeconds(1) };
      const answers = await scraper.read(read);
      expect(answers.map((answer) => [answer.id, answer.status])).toEqual(
        ids.map((one) => [one, "unavailable"]),
      );
      expect(reports).toMatchObject([
        { source: options.adapter, scraper: id, items: { unavailable: 2 } },
      ]);
    },
  );

  it.each([
    { adapter: "upstream", baseUrl },
    { adapter: "a_history", baseUrl, secret: "/sources/a" },
  ])('returns "unavailable" for offers and offer checks (the options: %j)', async (options) => {
    const reports: SourceReport[] = [];
    const { offerScraperFor, offerCheckerFor } = offerSources(
      configured({
        "retailer_a.offers": options,
        "retailer_a.offer_check": options,
      }),
      aSourceWorld({ report: (report) => reports.push(report) }),
    );
    const asked = { marketplace: "us", deadline: inSeconds(1) };
    const offers = [{ asin: "B000000001", offerListingId: offerOn("B000000001") }];
    const listed = await offerScraperFor().readOffers({ ...asked, ids: ["B000000001"] });
    const checked = await offerCheckerFor().checkOffers({ ...asked, offers });
    expect([listed[0]?.status, checked[0]?.status]).toEqual(["unavailable", "unavailable"]);
    expect(reports.map(({ source, scraper }) => [source, scraper])).toEqual([
      [options.adapter, "retailer_a.offers"],
      [options.adapter, "retailer_a.offer_check"],
    ]);
  });
});

it("a failing read of a source writes no secret to the output of its process", async () => {
  double = await startProductsDouble(({ number }) => (number === 1 ? "reset" : { status: 403 }));
  const task = new URL("../../../support/failing-source-read.ts", import.meta.url);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [task.pathname], {
    env: {
      ...process.env,
      POWERTOOLS_LOG_LEVEL: "DEBUG",
      // The DynamoDB table of the sources' rates is not reachable either.
      AWS_ENDPOINT_URL: "http://127.0.0.1:1",
      BASE_URL: double.url,
      SOURCE_KEY: canary,
    },
  });
  expect(double.calls.length).toBeGreaterThanOrEqual(2);
  expect(double.calls[0]?.url.href).toContain(canary);
  expect(stdout).toContain('"source read"');
  expect(stdout).toContain("unavailable");
  expect(stdout + stderr).not.toContain(canary);
});
