import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { stepScraperIds } from "../../../shared/scrapers/catalogue.ts";
import { parseSources, type SourceConfiguration } from "../../../shared/sources/configuration.ts";
import { offerSources } from "../../../shared/sources/offer-sources.ts";
import { scraperFor } from "../../../shared/sources/scraper-sources.ts";
import type { SourceReport } from "../../../shared/sources/source-report.ts";
import { aSourceWorld } from "../../support/source-dependencies.ts";
import {
  aProduct,
  type ProductsDouble,
  startProductsDouble,
  wholeReply,
} from "./products-double.ts";

const canary = "canary-secret-8e2f";
const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const configured = (sources: Readonly<Record<string, unknown>>): SourceConfiguration =>
  parseSources(JSON.stringify({ ...sandboxes, ...sources }));
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
  it("is made once, so that its limits hold across reads", async () => {
    const scraper = scraperFor(configured({}), aSourceWorld());
    expect(scraper("retailer_d.standard")).toBe(scraper("retailer_d.standard"));
    const [answer] = await scraper("retailer_d.standard").read(request(["9000000"]));
    expect(answer?.status).toBe("ok");
  });

  it("opens its secret by the reference and reports each read", async () => {
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
          replies: { answered: 1 },
          circuitsOpened: 0,
        },
      },
    ]);
    expect(JSON.stringify(reports)).not.toContain(canary);
  });

  it("answers unavailable, and says so, when its secret cannot be opened", async () => {
    double = await startProductsDouble(() => ({ status: 200 }));
    const warnings: string[] = [];
    const world = aSourceWorld({
      secrets: { read: (reference) => Promise.reject(new Error(`no ${reference}`)) },
      warn: (problem) => warnings.push(problem),
    });
    const scraper = scraperFor(configured(catalogOn(double.url)), world)("retailer_d.standard");
    const answers = await scraper.read(request(["10001"]));
    expect(answers.map(({ status }) => status)).toEqual(["unavailable"]);
    expect(warnings).toEqual(["d_catalog: no /sources/d"]);
    expect(double.calls).toHaveLength(0);
  });
});

describe("every adapter", () => {
  const baseUrl = "http://127.0.0.1:1";
  const privateKey = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  }).privateKey;
  const userAgent = "product-reader/1.0 (+mailto:ops@team.example)";
  it.each([
    ["retailer_a.lite", { adapter: "upstream", baseUrl, secret: "/sources/u" }],
    ["retailer_a.pulse", { adapter: "a_history", baseUrl, secret: "/sources/a" }],
    [
      "retailer_b.standard",
      { adapter: "b_affiliate", baseUrl, consumerId: "c", keyVersion: 1, privateKey: "/sources/b" },
    ],
    ["retailer_c.standard", { adapter: "web", urlTemplate: `${baseUrl}/p/{id}`, userAgent }],
    ["retailer_d.standard", { adapter: "d_catalog", baseUrl, secret: "/sources/d" }],
  ] as const)("%s answers by the deadline when nobody is there: %j", async (id, options) => {
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
  });

  it.each([
    { adapter: "upstream", baseUrl },
    { adapter: "a_history", baseUrl, secret: "/sources/a" },
  ])("of offers answers when nobody is there: %j", async (options) => {
    const reports: SourceReport[] = [];
    const { offerScraperFor, offerCheckerFor } = offerSources(
      configured({
        "retailer_a.offers": options,
        "retailer_a.offer_check": { adapter: "upstream", baseUrl },
      }),
      aSourceWorld({ report: (report) => reports.push(report) }),
    );
    const asked = { marketplace: "us", deadline: inSeconds(1) };
    const offers = [{ asin: "B000000001", offerListingId: "x" }];
    const listed = await offerScraperFor().readOffers({ ...asked, ids: ["B000000001"] });
    const checked = await offerCheckerFor().checkOffers({ ...asked, offers });
    expect([listed[0]?.status, checked[0]?.status]).toEqual(["unavailable", "unavailable"]);
    expect(reports.map(({ source, scraper }) => [source, scraper])).toEqual([
      [options.adapter, "retailer_a.offers"],
      ["upstream", "retailer_a.offer_check"],
    ]);
  });
});

it("a failing read leaves no secret in what its process writes", async () => {
  double = await startProductsDouble(({ number }) => (number === 1 ? "reset" : { status: 403 }));
  const task = new URL("../../support/failing-source-read.ts", import.meta.url);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [task.pathname], {
    env: {
      ...process.env,
      POWERTOOLS_LOG_LEVEL: "DEBUG",
      // No table is there either.
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
