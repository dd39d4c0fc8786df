import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../shared/base/system.ts";
import type { Answer, Scraper } from "../../../shared/scrapers/scraper.ts";
import {
  dCatalog,
  type DCatalogOptions,
  isCatalogTemporary,
} from "../../../shared/sources/d-catalog.ts";
import { sourceClient } from "../../../shared/sources/http/polite-client.ts";
import { ownRateBudget } from "../../../shared/sources/http/rate-budget.ts";
import { scraperContract } from "../../contracts/scraper.contract.ts";
import {
  aProduct,
  type DoubleCall,
  type ProductsDouble,
  type Reaction,
  startProductsDouble,
  wholeReply,
} from "./products-double.ts";

const apiKey = "canary-key-5d1f";
/** No jitter: retries follow at once. */
const chance = { bytes: (length: number) => new Uint8Array(length), fraction: () => 0 };

type Options = DCatalogOptions & { readonly callsPerSecond: number };

function scraperOn(baseUrl: string, changes: Partial<Options> = {}): Scraper {
  const options = { baseUrl, batchIdsMax: 100, callsPerSecond: 1_000, callsAtOnceMax: 2 };
  const { callsPerSecond, ...rest } = { ...options, ...changes };
  const client = sourceClient(
    {
      name: "d_catalog",
      callsPerSecond,
      burst: 1,
      callsAtOnce: rest.callsAtOnceMax,
      tryTimeoutMs: 15_000,
      bytesMax: 5 * 1_024 * 1_024,
      isTemporary: isCatalogTemporary,
      userAgent: "test/1",
    },
    { clock: systemClock, chance, budget: ownRateBudget(), note: () => undefined },
  );
  const secret = (): Promise<string> => Promise.resolve(apiKey);
  return dCatalog(rest, { client, clock: systemClock, secret });
}

let double: ProductsDouble;
const started: ProductsDouble[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

async function readFrom(
  react: (call: DoubleCall) => Reaction,
  ids: readonly string[],
  { withinMs = 20_000, ...options }: Partial<Options> & { withinMs?: number } = {},
): Promise<readonly Answer[]> {
  double = await startProductsDouble(react);
  started.push(double);
  return scraperOn(double.url, options).read({
    scraper: "retailer_d.standard",
    marketplace: "us",
    ids,
    deadline: new Date(Date.now() + withinMs),
  });
}

const statuses = (answers: readonly Answer[]): string[] => answers.map(({ status }) => status);
const allFound = ({ skus }: DoubleCall): Reaction => ({
  body: wholeReply(skus.map((sku) => aProduct(sku))),
});
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(6_000_000 + n));

scraperContract("d_catalog", async () => {
  const source = await startProductsDouble(({ skus }) => {
    if (skus.includes("10008")) return "hang";
    if (skus.includes("10006")) return { status: 500 };
    const products = skus.flatMap((sku) => {
      if (sku === "10007") return [];
      if (sku === "10005") return [aProduct(sku, { salePrice: null })];
      return [aProduct(sku, { secretCost: 3, active: sku !== "10009" })];
    });
    return { body: wholeReply(products) };
  });
  return {
    scraper: scraperOn(source.url),
    scraperId: "retailer_d.standard",
    marketplace: "us",
    ids: {
      ok: ["10001", "10002"],
      partial: ["10005"],
      not_found: ["10007", "10009"],
      unavailable: ["10006"],
    },
    slowId: "10008",
    stop: () => source.stop(),
  };
});

describe("asking", () => {
  it("reads a hundred ids a call, with a bounded number of calls at once", async () => {
    const ids = numbered(450);
    const answers = await readFrom((call) => ({ ...(allFound(call) as object), afterMs: 30 }), ids);
    expect(statuses(answers)).toEqual(ids.map(() => "ok"));
    expect(double.calls.map(({ skus }) => skus.length)).toEqual([100, 100, 100, 100, 50]);
    expect(double.atOnceMax()).toBe(2);
  });

  it("asks for what is no longer sold too, and for no more fields than it reads", async () => {
    await readFrom(allFound, ["6501234"]);
    const query = double.calls[0]?.url.searchParams;
    expect(query?.get("active")).toBe("*");
    expect(query?.get("pageSize")).toBe("100");
    expect(query?.get("format")).toBe("json");
    expect(query?.get("apiKey")).toBe(apiKey);
    expect(query?.get("show")).toMatch(/^sku,active,name,/);
  });

  it("keeps to the configured calls per second", async () => {
    const startedAt = Date.now();
    await readFrom(allFound, numbered(300), { callsPerSecond: 10, callsAtOnceMax: 3 });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(195);
  });

  it("answers an id with leading zeros under the spelling that was asked", async () => {
    const [answer] = await readFrom(() => ({ body: wholeReply([aProduct("12345")]) }), ["0012345"]);
    expect(answer).toMatchObject({ id: "0012345", status: "ok" });
  });
});

describe("trouble that may pass", () => {
  it.each([403, 408, 429, 500, 502, 503, 504])("tries again after a %d", async (status) => {
    const answers = await readFrom(
      (call) => (call.number === 1 ? { status } : allFound(call)),
      ["6501234"],
    );
    expect(statuses(answers)).toEqual(["ok"]);
  });

  it("stops after two extra tries", async () => {
    const answers = await readFrom(() => ({ status: 503 }), ["6501234", "6505678"]);
    expect(statuses(answers)).toEqual(["unavailable", "unavailable"]);
    expect(double.calls).toHaveLength(3);
  });

  it("keeps what was read when a later batch hangs", async () => {
    const ids = numbered(101);
    const answers = await readFrom(
      (call) => (call.skus.includes("6000100") ? "hang" : allFound(call)),
      ids,
      { withinMs: 1_500 },
    );
    expect(statuses(answers)).toEqual([...ids.slice(1).map(() => "ok"), "unavailable"]);
  });
});

describe("trouble that stays", () => {
  it("isolates an id that the source refuses, without calling it gone", async () => {
    const ids = numbered(100);
    const answers = await readFrom(
      (call) => (call.skus.includes("6000042") ? { status: 400 } : allFound(call)),
      ids,
    );
    expect(statuses(answers)).toEqual(ids.map((id) => (id === "6000042" ? "unavailable" : "ok")));
  });

  it("does not storm a source that refuses everything", async () => {
    const answers = await readFrom(() => ({ status: 400 }), numbered(100));
    expect(new Set(statuses(answers))).toEqual(new Set(["unavailable"]));
    expect(double.calls.length).toBeLessThanOrEqual(43);
  });

  it.each([401, 404, 410, 422])("takes a %d for the whole call as no answer", async (status) => {
    const answers = await readFrom(() => ({ status, body: wholeReply([]) }), ["6501234"]);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(1);
  });

  it("follows no redirect, so the key stays with the configured host", async () => {
    const other = await startProductsDouble(allFound);
    started.push(other);
    const answers = await readFrom(
      ({ url }) => ({ status: 302, headers: { Location: other.url + url.pathname + url.search } }),
      ["6501234"],
    );
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(other.calls).toHaveLength(0);
  });

  it("shows the key nowhere in its answers", async () => {
    const answers = await readFrom(
      ({ url, ...call }) => ({
        body: { ...wholeReply(call.skus.map((sku) => aProduct(sku))), canonicalUrl: url.href },
      }),
      ["6501234"],
    );
    expect(statuses(answers)).toEqual(["ok"]);
    expect(JSON.stringify(answers)).not.toContain(apiKey);
  });
});
