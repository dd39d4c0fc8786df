import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../../shared/base/clock.ts";
import { systemClock } from "../../../../shared/base/system.ts";
import type { Answer, Scraper } from "../../../../shared/scrapers/scraper.ts";
import { catalogWait, isCatalogBlock } from "../../../../shared/sources/catalog/forbidden.ts";
import { catalogScraper, type CatalogOptions } from "../../../../shared/sources/catalog/scraper.ts";
import { sourceClient, temporaryStatuses } from "../../../../shared/sources/http/polite-client.ts";
import { localRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import {
  aProduct,
  type DoubleCall,
  type ProductsDouble,
  type Reaction,
  startProductsDouble,
  wholeReply,
} from "./double.ts";

const apiKey = "canary-key-5d1f";
/** No jitter: retries follow immediately. */
const random = { bytes: (length: number) => new Uint8Array(length), fraction: () => 0 };

type Options = CatalogOptions & { readonly callsPerSecond: number; readonly clock: Clock };

let notes: string[] = [];
/** Kinds of events that the client reported. */
let events: string[] = [];

function scraperOn(
  baseUrl: string,
  { clock = systemClock, ...changes }: Partial<Options> = {},
): Scraper {
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
      isTemporary: (status) => temporaryStatuses.has(status),
      isBlock: isCatalogBlock,
      asksToWait: catalogWait,
      userAgent: "test/1",
    },
    { clock, random, budget: localRateBudget(), note: (event) => events.push(event.kind) },
  );
  const secret = (): Promise<string> => Promise.resolve(apiKey);
  notes = [];
  events = [];
  return catalogScraper(rest, { client, clock, secret, note: (problem) => notes.push(problem) });
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

describe("the catalog scraper", () => {
  it("requests 100 IDs per call, with a limited number of calls in parallel", async () => {
    const ids = numbered(450);
    const answers = await readFrom((call) => ({ ...(allFound(call) as object), afterMs: 30 }), ids);
    expect(statuses(answers)).toEqual(ids.map(() => "ok"));
    expect(double.calls.map(({ skus }) => skus.length)).toEqual([100, 100, 100, 100, 50]);
    expect(double.atOnceMax()).toBe(2);
  });

  it("requests discontinued products in addition to active ones, and only the fields that it parses", async () => {
    await readFrom(allFound, ["6501234"]);
    const query = double.calls[0]?.url.searchParams;
    expect(query?.get("active")).toBe("*");
    expect(query?.get("pageSize")).toBe("100");
    expect(query?.get("format")).toBe("json");
    expect(query?.get("apiKey")).toBe(apiKey);
    expect(query?.get("show")).toMatch(/^sku,active,name,/);
  });

  it("makes at most the configured number of calls per second", async () => {
    const startedAt = Date.now();
    await readFrom(allFound, numbered(300), { callsPerSecond: 10, callsAtOnceMax: 3 });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(195);
  });

  it("returns an ID with leading zeros as it was requested", async () => {
    const [answer] = await readFrom(() => ({ body: wholeReply([aProduct("12345")]) }), ["0012345"]);
    expect(answer).toMatchObject({ id: "0012345", status: "ok" });
  });
});

describe("the catalog scraper after a temporary failure", () => {
  it.each([408, 429, 500, 502, 503, 504])(
    "retries a call with the response status %d",
    async (status) => {
      const answers = await readFrom(
        (call) => (call.number === 1 ? { status } : allFound(call)),
        ["6501234"],
      );
      expect(statuses(answers)).toEqual(["ok"]);
    },
  );

  it('returns "unavailable" after two retries without success', async () => {
    const answers = await readFrom(() => ({ status: 503 }), ["6501234", "6505678"]);
    expect(statuses(answers)).toEqual(["unavailable", "unavailable"]);
    expect(double.calls).toHaveLength(3);
  });

  it("returns the results of the other batches if one batch hangs until the deadline", async () => {
    const ids = numbered(101);
    const answers = await readFrom(
      (call) => (call.skus.includes("6000100") ? "hang" : allFound(call)),
      ids,
      { withinMs: 1_500 },
    );
    expect(statuses(answers)).toEqual([...ids.slice(1).map(() => "ok"), "unavailable"]);
  });
});

const forbidden = (message: string, headers = {}): Reaction => ({
  status: 403,
  headers,
  body: { error: { code: 403, status: "403 Forbidden", message } },
});

/** Returns a clock whose sleeps take no time. It records the sleeps of 500 ms or more. */
function restlessClock(): { readonly clock: Clock; readonly rests: number[] } {
  const rests: number[] = [];
  let aheadMs = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => new Date(Date.now() + aheadMs),
    sleep(milliseconds) {
      if (milliseconds >= 500) rests.push(milliseconds);
      aheadMs += milliseconds;
      return Promise.resolve();
    },
  };
  return { clock, rests };
}

describe("the catalog scraper after the response 403 for too many calls", () => {
  it.each<[string, Reaction]>([
    ["a quota", forbidden("Over Quota")],
    ["a rate", forbidden("The key is over its rate")],
    ["a key's limit", forbidden("Your API key has exceeded its limit. Invalid until 12:00")],
    ["a limit", forbidden("The limit of calls per second was reached")],
    ["calls a second", { status: 403, body: "<h1>Developer Over Qps</h1>" }],
    ["calls a second, as a code", { status: 403, body: "ERR_403_DEVELOPER_OVER_QPS" }],
  ])(
    "waits and retries once if the text of the response 403 names a limit (the text mentions %s)",
    async (_, reaction) => {
      const { clock, rests } = restlessClock();
      const react = (call: DoubleCall): Reaction => (call.number === 1 ? reaction : allFound(call));
      const answers = await readFrom(react, ["6501234"], { clock });
      expect(statuses(answers)).toEqual(["ok"]);
      expect(rests).toEqual([1_000]);
      expect(notes).toEqual([]);
    },
  );

  it("waits as long as Retry-After demands before the retry", async () => {
    const { clock, rests } = restlessClock();
    const tooOften = forbidden("Over Quota", { "Retry-After": "7" });
    const react = (call: DoubleCall): Reaction => (call.number === 1 ? tooOften : allFound(call));
    expect(statuses(await readFrom(react, ["6501234"], { clock }))).toEqual(["ok"]);
    expect(rests).toEqual([7_000]);
  });

  it('returns "unavailable" immediately if Retry-After demands a wait beyond the deadline', async () => {
    const { clock, rests } = restlessClock();
    const tooOften = forbidden("Over Quota", { "Retry-After": "21" });
    const answers = await readFrom(() => tooOften, ["6501234"], { clock });
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(1);
    expect(rests).toEqual([]);
  });

  it('retries twice, each time after a second, and then returns "unavailable"', async () => {
    const { clock, rests } = restlessClock();
    const answers = await readFrom(() => forbidden("Over Quota"), ["6501234"], { clock });
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(rests).toEqual([1_000, 1_000]);
    expect(double.calls).toHaveLength(3);
  });
});

describe("the catalog scraper after a failed call", () => {
  const keyRefused = (status: number): string =>
    `d_catalog: the source refuses the key (${status}); check the secret`;
  const refused = (status: number): string =>
    `d_catalog: the source refuses calls (${status}); check the options of the adapter`;
  it.each<[string, Reaction, string]>([
    ["a wrong key", forbidden("The provided API Key is invalid"), keyRefused(403)],
    [
      "a wrong key in a text that also names limits",
      forbidden("Invalid API key. Limits: https://x"),
      keyRefused(403),
    ],
    [
      "an expired key",
      forbidden("Your API key has exceeded its trial and is disabled"),
      keyRefused(403),
    ],
    [
      "a wrong key that the body reports as an error code",
      { status: 403, body: "API_KEY_INVALID, rate 0" },
      keyRefused(403),
    ],
    ["a blocked account", forbidden("Developer Inactive"), keyRefused(403)],
    ["a missing key", { status: 401 }, keyRefused(401)],
    ["a 403 with an HTML page", { status: 403, body: "<title>Denied</title>" }, refused(403)],
    ["a 403 with an empty body", { status: 403 }, refused(403)],
    ["a 404 for a wrong path", { status: 404 }, refused(404)],
    ["a 400 for a single ID", { status: 400 }, refused(400)],
    [
      "a reply that is not JSON",
      { body: "<html>" },
      "d_catalog: the source sends an unreadable reply with status 200; check baseUrl",
    ],
    [
      "an error within a reply",
      { body: { ...wholeReply([]), error: { message: "canary" } } },
      "d_catalog: the source reports an error in a reply with status 200; check the options and the secret of the adapter",
    ],
  ])(
    'returns "unavailable" after one call, and warns the operator of the cause: %s',
    async (_, reaction, note) => {
      const answers = await readFrom(() => reaction, ["6501234"]);
      expect(statuses(answers)).toEqual(["unavailable"]);
      expect(double.calls).toHaveLength(1);
      expect(notes).toEqual([note]);
    },
  );

  it.each([429, 500, 503])(
    "does not warn the operator of the temporary status %d",
    async (status) => {
      await readFrom(() => ({ status }), ["6501234"]);
      expect(notes).toEqual([]);
    },
  );

  it("opens the circuit after five responses 403 whose texts do not state that the key is wrong", async () => {
    const asks = async (body: string): Promise<number> => {
      await readFrom(() => ({ status: 403, body }), numbered(10), { batchIdsMax: 1 });
      return events.filter((kind) => kind === "circuit_opened").length;
    };

    expect(await asks("The provided API Key is invalid")).toBe(0);
    expect(await asks("Access denied")).toBe(1);
  });

  it("does not warn that the source refused a batch if smaller batches succeed, nor of an error in a reply that has every item", async () => {
    const bad = (call: DoubleCall): Reaction =>
      call.skus.length > 2 ? { status: 400 } : allFound(call);
    await readFrom(bad, numbered(4));
    expect(notes).toEqual([]);
    const warned = { ...wholeReply([aProduct("6501234")]), warnings: ["slow"] };
    expect(statuses(await readFrom(() => ({ body: warned }), ["6501234"]))).toEqual(["ok"]);
    expect(notes).toEqual([]);
  });
});

it("the catalog scraper decodes a reply with the charset that the reply declares", async () => {
  const body = Buffer.from(
    JSON.stringify(wholeReply([aProduct("11111", { name: "Café" })])),
    "latin1",
  );
  const headers = { "Content-Type": "application/json;charset=ISO-8859-1" };
  const [answer] = await readFrom(() => ({ headers, body }), ["11111"]);
  expect(answer).toMatchObject({ status: "ok", fields: { title: "Café" } });
});

describe("the catalog scraper after a permanent failure", () => {
  it('returns "unavailable" for the one ID that the source refuses, and returns the other items', async () => {
    const ids = numbered(100);
    const answers = await readFrom(
      (call) => (call.skus.includes("6000042") ? { status: 400 } : allFound(call)),
      ids,
    );
    expect(statuses(answers)).toEqual(ids.map((id) => (id === "6000042" ? "unavailable" : "ok")));
  });

  it("makes at most 43 calls for 100 IDs to a source that refuses everything", async () => {
    const answers = await readFrom(() => ({ status: 400 }), numbered(100));
    expect(new Set(statuses(answers))).toEqual(new Set(["unavailable"]));
    expect(double.calls.length).toBeLessThanOrEqual(43);
  });

  it.each([401, 404, 410, 422])(
    'returns "unavailable" after one call with the response status %d',
    async (status) => {
      const answers = await readFrom(() => ({ status, body: wholeReply([]) }), ["6501234"]);
      expect(statuses(answers)).toEqual(["unavailable"]);
      expect(double.calls).toHaveLength(1);
    },
  );

  it("follows no redirect, and sends the API key to no other host", async () => {
    const other = await startProductsDouble(allFound);
    started.push(other);
    const answers = await readFrom(
      ({ url }) => ({ status: 302, headers: { Location: other.url + url.pathname + url.search } }),
      ["6501234"],
    );
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(other.calls).toHaveLength(0);
  });

  it("returns no answer with the API key, even if the reply contains the key", async () => {
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
