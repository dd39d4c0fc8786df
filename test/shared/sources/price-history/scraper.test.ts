import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import type { ProductScraperId } from "../../../../shared/scrapers/catalog.ts";
import type { Answer, Scraper } from "../../../../shared/scrapers/scraper.ts";
import {
  priceHistoryScraper,
  type PriceHistoryOptions,
} from "../../../../shared/sources/price-history/scraper.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import {
  aListing,
  allListed,
  allNamed,
  apiKey,
  envelope,
  type HistoryCall,
  lookedAt,
  someStats,
  startHistoryDouble,
} from "./double.ts";
import type { ApiDouble, ApiReaction } from "../api-double.ts";
import { plainClient } from "../plain-client.ts";

let notes: string[] = [];

let sleptMs: number[] = [];
const clock = {
  ...systemClock,
  sleep: (ms: number) => {
    sleptMs.push(ms);
    return systemClock.sleep(ms);
  },
};

function scraperOn(baseUrl: string, options: Partial<PriceHistoryOptions> = {}): Scraper {
  notes = [];
  sleptMs = [];
  return priceHistoryScraper(
    { baseUrl, ...options },
    {
      client: plainClient,
      clock,
      key: async () => apiKey,
      note: (problem) => notes.push(problem),
    },
  );
}

let double: ApiDouble;
const started: ApiDouble[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

interface Setting extends Partial<PriceHistoryOptions> {
  readonly withinMs?: number;
  readonly scraper?: ProductScraperId;
  readonly marketplace?: string;
  readonly sellers?: (call: HistoryCall) => ApiReaction;
}

async function readFrom(
  react: (call: HistoryCall) => ApiReaction,
  ids: readonly string[],
  setting: Setting = {},
): Promise<readonly Answer[]> {
  const { withinMs = 10_000, scraper = "retailer_a.lite", marketplace = "us" } = setting;
  double = await startHistoryDouble(react, setting.sellers);
  started.push(double);
  const deadline = new Date(Date.now() + withinMs);
  return scraperOn(double.url, setting).read({ scraper, marketplace, ids, deadline });
}

const statuses = (answers: readonly Answer[]): string[] => answers.map(({ status }) => status);
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B0${String(n).padStart(8, "0")}`);
const [first = "", second = ""] = numbered(2);
const asked = (path: string) => double.calls.filter((call) => call.path === path);
const pulse = { scraper: "retailer_a.pulse" } as const;

describe.each(["retailer_a.pulse", "retailer_a.lite", "retailer_a.full"] as const)(
  "with the scraper %s,",
  (scraperId) => {
    scraperContract("a_history", async () => {
      const source = await startHistoryDouble(({ ids }) => {
        if (ids.includes("B0SLOW0000")) return "hang";
        const products = ids
          .filter((id) => id !== "B0MISSING0")
          .map((id) => {
            if (id === "B0INVALID0") return { asin: id, productType: 4 };
            if (id !== "B0PARTIAL0") return aListing(id, { unknownCost: 3 });
            return aListing(id, { title: null, stats: someStats({ current: [] }) });
          });
        return { body: envelope({ products }) };
      });
      return {
        scraper: scraperOn(source.url, { imageBaseUrl: "https://images.example" }),
        scraperId,
        marketplace: "us",
        ids: {
          ok: ["B0FOUND001", "B0FOUND002"],
          partial: ["B0PARTIAL0"],
          not_found: ["B0INVALID0"],
          unavailable: ["B0MISSING0"],
        },
        slowId: "B0SLOW0000",
        stop: () => source.stop(),
      };
    });
  },
);

describe("the price history scraper", () => {
  it("requests 100 IDs per call, with a limited number of calls in parallel", async () => {
    const ids = numbered(1_050);
    const answers = await readFrom(
      (call) => ({ ...(allListed(call) as object), afterMs: 20 }),
      ids,
      pulse,
    );
    expect(statuses(answers)).toEqual(ids.map(() => "ok"));
    // Calls that start at the same time can arrive in any order.
    const sizes = asked("/product").map(({ query }) => query.get("asin")?.split(",").length ?? 0);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([...Array(10).fill(100), 50]);
    expect(double.atOnceMax()).toBeLessThanOrEqual(8);
    expect(double.atOnceMax()).toBeGreaterThan(1);
  });

  it.each([
    ["retailer_a.pulse", null],
    ["retailer_a.lite", "1"],
    ["retailer_a.full", "1"],
  ] as const)(
    "sends only the request parameters that the scraper %s needs",
    async (scraper, buybox) => {
      await readFrom(allListed, [first], { scraper });
      const { query, headers } = asked("/product")[0] ?? {};
      expect(Object.fromEntries(query ?? [])).toEqual({
        key: apiKey,
        domain: "1",
        asin: first,
        history: "0",
        stats: "1",
        ...(buybox !== null && { buybox }),
      });
      expect(headers?.["accept-encoding"]).toContain("gzip");
      expect(asked("/seller")).toHaveLength(scraper === "retailer_a.pulse" ? 0 : 1);
    },
  );

  it("sends the source's number for the marketplace, and ignores products of other marketplaces", async () => {
    const answers = await readFrom(
      ({ ids }) => ({
        body: envelope({
          products: ids.map((id) => aListing(id, { domainId: id === first ? 3 : 1 })),
        }),
      }),
      [first, second],
      { marketplace: "de" },
    );
    expect(statuses(answers)).toEqual(["ok", "unavailable"]);
    expect(answers[0]).toMatchObject({ fields: { price: { amount: 19.99, currency: "EUR" } } });
    expect(asked("/product")[0]?.query.get("domain")).toBe("3");
  });

  it('warns and returns "unavailable" for a marketplace that the source does not have', async () => {
    const answers = await readFrom(allListed, [first], { marketplace: "pl" });
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(notes).toEqual([
      "a_history: the source does not support the marketplace pl; configure another adapter for it",
    ]);
    expect(double.calls).toEqual([]);
  });
});

describe("the price history scraper with too few tokens", () => {
  const tooFew = (account: object): ApiReaction => ({
    status: 429,
    body: { tokensLeft: 0, refillRate: 100, ...account, error: { type: "x" } },
  });

  it("waits for tokens as long as the source demands", async () => {
    const at: number[] = [];
    const answers = await readFrom(
      (call) => {
        at.push(Date.now());
        return call.number === 1 ? tooFew({ refillIn: 400 }) : allListed(call);
      },
      [first],
      pulse,
    );
    expect(statuses(answers)).toEqual(["ok"]);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(395);
  });

  it('waits for tokens once, and returns "unavailable" if there are still too few tokens', async () => {
    const answers = await readFrom(() => tooFew({ refillIn: 50 }), [first], pulse);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(2);
  });

  it("does not wait for tokens beyond the deadline", async () => {
    const answers = await readFrom(() => tooFew({ refillIn: 60_000 }), [first], pulse);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(1);
    expect(sleptMs).toEqual([]);
    expect(notes).toEqual([
      "a_history: out of tokens; items that get no tokens before the deadline are unavailable; read fewer items, or get more tokens",
    ]);
  });

  it("does not retry if the source does not report when tokens will be available", async () => {
    const answers = await readFrom(() => ({ status: 429, body: "slow down" }), [first], pulse);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(1);
  });

  it("waits as long as Retry-After demands if the reply has no token balance", async () => {
    const startedAt = Date.now();
    const answers = await readFrom(
      (call) =>
        call.number === 1
          ? { status: 429, headers: { "Retry-After": "1" }, body: "slow down" }
          : allListed(call),
      [first],
      pulse,
    );
    expect(statuses(answers)).toEqual(["ok"]);
    expect(double.calls).toHaveLength(2);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(980);
  });

  it("delays the next call if the last response reported an empty token balance", async () => {
    double = await startHistoryDouble(({ ids }) => ({
      body: envelope(
        { products: ids.map((id) => aListing(id)) },
        { tokensLeft: "-20", refillIn: "300", refillRate: 50 },
      ),
    }));
    started.push(double);
    const scraper = scraperOn(double.url);
    const request = { ...pulse, marketplace: "us", ids: [first] } as const;
    const within = (milliseconds: number) => new Date(Date.now() + milliseconds);
    expect(statuses(await scraper.read({ ...request, deadline: within(5_000) }))).toEqual(["ok"]);
    const soon = await scraper.read({ ...request, deadline: within(100) });
    expect(statuses(soon)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(1);
    const startedAt = Date.now();
    const later = await scraper.read({ ...request, deadline: within(5_000) });
    expect(statuses(later)).toEqual(["ok"]);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(100);
  });
});

describe("the price history scraper after a failure", () => {
  it.each([302, 400, 401, 402, 403, 404, 405, 410, 422, 451])(
    "treats the response status %d as a refusal, and warns the operator",
    async (status) => {
      const body = envelope({ error: { type: "invalidParameter", message: "canary" } });
      const answers = await readFrom(() => ({ status, body }), [first, second], pulse);
      expect(statuses(answers)).toEqual(["unavailable", "unavailable"]);
      expect(double.calls).toHaveLength(1);
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain(String(status));
      expect(notes[0]).not.toContain("canary");
    },
  );

  it.each([500, 503])('returns "unavailable" after the response status %d', async (status) => {
    const answers = await readFrom(() => ({ status, body: envelope({}) }), [first], pulse);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(notes).toEqual([]);
  });

  it('returns "unavailable" for the one ID at which the source fails, and returns the other items', async () => {
    const ids = numbered(30);
    const bad = ids[17] ?? "";
    const answers = await readFrom(
      (call) => (call.ids.includes(bad) ? { status: 500 } : allListed(call)),
      ids,
      pulse,
    );
    expect(statuses(answers)).toEqual(ids.map((id) => (id === bad ? "unavailable" : "ok")));
  });

  it("returns the results of the other batches if one batch hangs until the deadline", async () => {
    const ids = numbered(101);
    const answers = await readFrom(
      (call) => (call.ids.includes(ids[100] ?? "") ? "hang" : allListed(call)),
      ids,
      { withinMs: 1_000 },
    );
    expect(statuses(answers)).toEqual([...ids.slice(1).map(() => "ok"), "unavailable"]);
  });

  it.each(["", "null", "[]", "{}", '{"products":null}', "<html>blocked</html>", '{"products":['])(
    'returns "unavailable" for the reply %j',
    async (body) => {
      expect(statuses(await readFrom(() => ({ body }), [first]))).toEqual(["unavailable"]);
      expect(notes).toEqual([
        "a_history: the source sends an unreadable reply with status 200; check baseUrl",
      ]);
    },
  );

  it("warns of an error in a reply with status 200 and without products", async () => {
    const body = envelope({ products: null, error: { type: "x", message: "canary" } });
    expect(statuses(await readFrom(() => ({ body }), [first]))).toEqual(["unavailable"]);
    expect(notes).toEqual([
      "a_history: the source reports an error in a reply with status 200; check the options and the secret of the adapter",
    ]);
  });

  it('warns and returns "unavailable" for an invalid ID in a reply that reports an error', async () => {
    const invalid = ({ ids }: HistoryCall, beside: object): ApiReaction => ({
      body: envelope({ ...beside, products: ids.map((asin) => ({ asin, productType: 4 })) }),
    });
    expect(statuses(await readFrom((call) => invalid(call, { error: null }), [first]))).toEqual([
      "not_found",
    ]);
    expect(notes).toEqual([]);
    const error = { type: "x", message: "canary" };
    expect(statuses(await readFrom((call) => invalid(call, { error }), [first]))).toEqual([
      "unavailable",
    ]);
    expect(new Set(notes)).toEqual(
      new Set([
        "a_history: the source reports an error in a reply with status 200; check the options and the secret of the adapter",
      ]),
    );
  });

  it("sends no call without a key", async () => {
    double = await startHistoryDouble(allListed);
    started.push(double);
    const key = async (): Promise<null> => null;
    const scraper = priceHistoryScraper(
      { baseUrl: double.url },
      { client: plainClient, clock: systemClock, key },
    );
    const deadline = new Date(Date.now() + 1_000);
    const answers = await scraper.read({ ...pulse, marketplace: "us", ids: [first], deadline });
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(0);
  });
});

describe("the price history scraper, which checks the age of the source's data,", () => {
  const at = (minutesAgo: number, fields = {}): ((call: HistoryCall) => ApiReaction) => {
    const lastUpdate = lookedAt - minutesAgo;
    return ({ ids }) => ({
      body: envelope({ products: ids.map((id) => aListing(id, { lastUpdate, ...fields })) }),
    });
  };
  const dayMinutes = 24 * 60;

  it.each(["retailer_a.pulse", "retailer_a.lite", "retailer_a.full"] as const)(
    'returns "ok" for a read within the last day, and "unavailable" for an older read (the scraper: %s)',
    async (scraper) => {
      const [recent] = await readFrom(at(dayMinutes - 60), [first], { scraper });
      expect(recent?.status).toBe("ok");
      const [old] = await readFrom(at(dayMinutes + 1), [first], { scraper });
      expect(Object.keys(old ?? {}).toSorted()).toEqual(["fetchedAt", "id", "status"]);
      expect(old?.status).toBe("unavailable");
      expect(asked("/seller")).toEqual([]);
    },
  );

  it('returns "unavailable", and not "not_found", for a read two months ago', async () => {
    const answers = await readFrom(at(60 * dayMinutes, { productType: 4 }), [first], pulse);
    expect(statuses(answers)).toEqual(["unavailable"]);
  });
});

describe("the price history scraper after a reply with status 200", () => {
  it('returns "unavailable" for an ID whose product is missing or cannot be parsed', async () => {
    const products = [null, 7, { asin: second, productType: "?" }, aListing(first)];
    const answers = await readFrom(() => ({ body: envelope({ products }) }), [first, second]);
    expect(statuses(answers)).toEqual(["ok", "unavailable"]);
  });

  it("ignores products that were not requested, and returns the first of two products with the same ID", async () => {
    const products = [
      aListing("B0STRANGER"),
      aListing(first, { title: "First" }),
      aListing(first, { title: "Second", productType: 4 }),
    ];
    const answers = await readFrom(() => ({ body: envelope({ products }) }), [first]);
    expect(answers).toMatchObject([{ id: first, status: "ok", fields: { title: "First" } }]);
  });

  it("returns no fields that the specification does not name", async () => {
    let extra: Record<string, unknown> = {};
    double = await startHistoryDouble(({ ids }) => ({
      body: envelope({
        ...extra,
        products: ids.map((id) =>
          aListing(id, { ...extra, stats: someStats({ ...extra }), images: [{ ...extra }] }),
        ),
      }),
    }));
    started.push(double);
    const scraper = scraperOn(double.url, { imageBaseUrl: "https://images.example" });
    const read = async (): Promise<Answer | undefined> => {
      const deadline = new Date(Date.now() + 10_000);
      const request = { scraper: "retailer_a.full", marketplace: "us", deadline } as const;
      return (await scraper.read({ ...request, ids: [first] }))[0];
    };
    const plain = await read();
    // Random fields, whose names no real reply contains.
    const name = fc.string({ minLength: 1 }).map((text) => `~${text}`);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.jsonValue()), async (fields) => {
        extra = fields;
        expect(await read()).toEqual(plain);
      }),
      { numRuns: 40 },
    );
  });
});

describe("the sellers of the price history adapter", () => {
  const soldBy = (sellerOf: (id: string) => string) => (call: HistoryCall) => ({
    body: envelope({
      products: call.ids.map((id) =>
        aListing(id, { stats: someStats({ buyBoxSellerId: sellerOf(id) }) }),
      ),
    }),
  });

  it("are looked up 100 per call, and only once during the life of the process", async () => {
    const ids = numbered(100);
    double = await startHistoryDouble(soldBy((id) => `A${id.slice(2)}`));
    started.push(double);
    const scraper = scraperOn(double.url);
    const request = { scraper: "retailer_a.lite", marketplace: "us", ids } as const;
    const deadline = new Date(Date.now() + 10_000);
    const [answer] = await scraper.read({ ...request, deadline });
    expect(answer).toMatchObject({ status: "ok", fields: { seller: { name: "Shop A00000000" } } });
    expect(statuses(await scraper.read({ ...request, deadline }))).toEqual(ids.map(() => "ok"));
    expect(asked("/product")).toHaveLength(2);
    expect(asked("/seller").map(({ query }) => query.get("seller")?.split(",").length)).toEqual([
      100,
    ]);
    expect(asked("/seller")[0]?.query.get("domain")).toBe("1");
  });

  it.each<[string, (call: HistoryCall) => ApiReaction]>([
    ["have no name", () => ({ body: envelope({ sellers: {} }) })],
    ["have a null name", () => ({ body: envelope({ sellers: null }) })],
    ["cannot be requested", () => ({ status: 404 })],
    ["have an invalid reply", () => ({ body: "<html>" })],
  ])(
    'make the result of an item "partial" if their names are unknown (the sellers %s)',
    async (_, sellers) => {
      const [answer] = await readFrom(allListed, [first], { sellers });
      expect(answer).toMatchObject({ status: "partial", fields: { price: { amount: 19.99 } } });
    },
  );

  it("are not looked up if their IDs are invalid", async () => {
    await readFrom(
      soldBy(() => "x&key=1"),
      [first],
      { sellers: allNamed },
    );
    expect(asked("/seller")).toEqual([]);
  });
});
