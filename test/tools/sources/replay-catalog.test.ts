import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  loadRecordedProducts,
  type ReplayCatalog,
  startReplayCatalog,
} from "../../../tools/sources/replay-catalog.ts";
import { offerScraperIds } from "../../../shared/scrapers/catalog.ts";
import { scraperIds } from "../../support/scraper-ids.ts";
import type { Answer, Scraper } from "../../../shared/scrapers/scraper.ts";
import { parseSources } from "../../../shared/sources/registry/configuration.ts";
import { scraperFor } from "../../../shared/sources/registry/scraper-sources.ts";
import { aSourceWorld } from "../../support/source-dependencies.ts";

let replay: ReplayCatalog;
let folder: string;
beforeEach(async () => {
  replay = await startReplayCatalog({ products: loadRecordedProducts(), port: 0 });
  folder = mkdtempSync(join(tmpdir(), "recordings-"));
});
afterEach(async () => {
  await replay.stop();
  rmSync(folder, { recursive: true });
});

const sandboxes = Object.fromEntries(
  [...scraperIds, ...offerScraperIds].map((id) => [id, { adapter: "sandbox" }]),
);

const scraper = (): Scraper => {
  const source = { adapter: "d_catalog", baseUrl: replay.url };
  const sources = parseSources(JSON.stringify({ ...sandboxes, "retailer_d.standard": source }));
  return scraperFor(sources, aSourceWorld())("retailer_d.standard");
};
const read = async (ids: readonly string[]): Promise<readonly Answer[]> =>
  scraper().read({
    scraper: "retailer_d.standard",
    marketplace: "us",
    ids,
    deadline: new Date(Date.now() + 20_000),
  });
const page = async (path: string): Promise<Record<string, unknown>> =>
  (await (await fetch(replay.url + path)).json()) as Record<string, unknown>;

describe("the local products API with recorded products", () => {
  it("returns found, partial and missing products that the catalog adapter can read", async () => {
    const answers = await read(["6501234", "6510004", "6510005", "7777777"]);
    expect(answers.map(({ status }) => status)).toEqual([
      "ok",
      "partial",
      "not_found",
      "not_found",
    ]);
    expect(replay.requests).toEqual([
      { skus: ["6501234", "6510004", "6510005", "7777777"], page: 1, pageSize: 100 },
    ]);
  });

  it("returns a price that a test has set, in all later replies", async () => {
    replay.setPrice(6501234, 12.5);
    const [answer] = await read(["6501234"]);
    expect(answer).toMatchObject({ fields: { price: { amount: 12.5, currency: "USD" } } });
    expect(() => replay.setPrice(1, 1)).toThrow(/do not contain the SKU 1/);
  });

  it("returns only the requested page and fields", async () => {
    const path = "/v1/products(sku%20in(6501234,6505678,6510001))?pageSize=2&page=2&show=sku,name";
    expect(await page(path)).toMatchObject({
      from: 3,
      to: 3,
      total: 3,
      totalPages: 2,
      currentPage: 2,
      products: [{ sku: 6510001, name: "Tarbolt - Cordless Drill T2" }],
    });
  });

  it("returns discontinued products only if the query asks for discontinued products", async () => {
    expect(await page("/v1/products(sku%20in(6510005))")).toMatchObject({ total: 0 });
    expect(await page("/v1/products(sku%20in(6510005))?active=*")).toMatchObject({ total: 1 });
  });

  it("returns 400 to an invalid query", async () => {
    expect((await fetch(`${replay.url}/v1/products(nonsense)`)).status).toBe(400);
  });
});

describe("the recordings of the products API", () => {
  it("are read from all JSON files of a folder, with default values for missing fields", () => {
    const reply = (products: unknown): unknown => ({ status: 200, response: { products } });
    const write = (name: string, content: unknown): void =>
      writeFileSync(join(folder, name), JSON.stringify(content));
    write("a.json", [reply([{ sku: 11111, name: "Lamp" }]), { response: "1.0.844\n" }]);
    write("b.json", [
      reply([
        { sku: 11111, salePrice: 5 },
        { sku: 22222, active: false },
      ]),
    ]);
    write("c.json", { not: "a recording" });
    const [first, second, ...others] = loadRecordedProducts(folder);
    expect(first).toMatchObject({
      sku: 11111,
      name: "Lamp",
      salePrice: 5,
      regularPrice: 5,
      onlineAvailability: true,
    });
    expect(second).toMatchObject({ sku: 22222, active: false });
    expect(others).toEqual([]);
  });

  it("are those of the project if the given folder does not exist", () => {
    expect(loadRecordedProducts(join(folder, "missing"))).toEqual(loadRecordedProducts());
  });
});
