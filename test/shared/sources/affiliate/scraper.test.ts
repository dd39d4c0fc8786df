import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../../shared/base/clock.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import type { Answer, Scraper } from "../../../../shared/scrapers/scraper.ts";
import {
  affiliateScraper,
  type AffiliateOptions,
} from "../../../../shared/sources/affiliate/scraper.ts";
import { sourceClient, temporaryStatuses } from "../../../../shared/sources/http/polite-client.ts";
import { localRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import type { SourceClient } from "../../../../shared/sources/http/source-client.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import { type ApiDouble, type ApiReaction, startApiDouble } from "../api-double.ts";
import {
  type AffiliateCall,
  allItems,
  anItem,
  consumerId,
  keyVersion,
  privateKey,
  startAffiliateDouble,
} from "./double.ts";
import { plainClient } from "../plain-client.ts";

interface Setting extends Partial<AffiliateOptions> {
  readonly key?: string;
  readonly clock?: Clock;
  readonly client?: SourceClient;
}

let notes: string[] = [];

function scraperOn(baseUrl: string, setting: Setting = {}): Scraper {
  const { key = privateKey, clock = systemClock, client = plainClient, ...options } = setting;
  notes = [];
  return affiliateScraper(
    { baseUrl, consumerId, keyVersion, ...options },
    { client, clock, privateKey: async () => key, note: (problem) => notes.push(problem) },
  );
}

let double: ApiDouble;
const started: ApiDouble[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

async function readFrom(
  react: (call: AffiliateCall) => ApiReaction,
  ids: readonly string[],
  { withinMs = 10_000, ...setting }: Setting & { withinMs?: number } = {},
): Promise<readonly Answer[]> {
  double = await startAffiliateDouble(react);
  started.push(double);
  return scraperOn(`${double.url}/v2`, setting).read({
    scraper: "retailer_b.standard",
    marketplace: "us",
    ids,
    deadline: new Date(Date.now() + withinMs),
  });
}

const statuses = (answers: readonly Answer[]): string[] => answers.map(({ status }) => status);
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(6_000_000 + n));
const idsAsked = (): string[][] =>
  double.calls.map(({ query }) => query.get("ids")?.split(",") ?? []);

scraperContract("b_affiliate", async () => {
  const source = await startAffiliateDouble(({ ids }) => {
    if (ids.includes("10008")) return "hang";
    if (ids.includes("10006")) return { status: 500 };
    const items = ids
      .filter((id) => id !== "10007")
      .map((id) => anItem(id, { unknownCost: 3, ...(id === "10005" && { salePrice: null }) }));
    return { body: { items } };
  });
  return {
    scraper: scraperOn(source.url),
    scraperId: "retailer_b.standard",
    marketplace: "us",
    ids: {
      ok: ["10001", "10002"],
      partial: ["10005"],
      not_found: ["10007"],
      unavailable: ["10006"],
    },
    slowId: "10008",
    stop: () => source.stop(),
  };
});

describe("the affiliate scraper", () => {
  it("requests 20 IDs per call", async () => {
    const ids = numbered(45);
    expect(statuses(await readFrom(allItems, ids))).toEqual(ids.map(() => "ok"));
    const sizes = idsAsked().map(({ length }) => length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([20, 20, 5]);
    expect(double.calls[0]?.path).toBe("/v2/items");
  });

  it("sends the publisher ID, the ZIP code and the store ID only if the deployer configured them", async () => {
    await readFrom(allItems, ["6501234"]);
    expect([...(double.calls[0]?.query.keys() ?? [])]).toEqual(["ids"]);
    await readFrom(allItems, ["6501234"], { publisherId: "77", zipCode: "10001", storeId: "9" });
    expect(Object.fromEntries(double.calls[0]?.query ?? [])).toEqual({
      ids: "6501234",
      publisherId: "77",
      zipCode: "10001",
      storeId: "9",
    });
  });

  it("returns an ID with leading zeros as it was requested", async () => {
    const answers = await readFrom(allItems, ["0012345", "12345"]);
    expect(answers.map(({ id }) => id)).toEqual(["0012345", "12345"]);
    expect(statuses(answers)).toEqual(["ok", "ok"]);
    expect(idsAsked()).toEqual([["12345"]]);
  });
});

describe("the signature of the affiliate scraper", () => {
  it('makes items "unavailable", and not "not_found", if the source refuses the signature as too old', async () => {
    const behindMs = 200_000;
    const clock = { ...systemClock, now: () => new Date(Date.now() - behindMs) };
    const client: SourceClient = {
      send: (call, deadline) => plainClient.send(call, new Date(deadline.getTime() + behindMs)),
    };
    const answers = await readFrom(allItems, ["6501234"], { clock, client });
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(notes).toEqual([
      "b_affiliate: the source refuses the key or its signature (401); check privateKey, consumerId and keyVersion",
    ]);
  });

  /**
   * Reads from a busy source with the service's client, on a clock whose sleeps take no time.
   * Returns the times of the calls and of the signatures, in milliseconds after the start.
   */
  async function readWhileBusy(retryAfter: string): Promise<{
    answers: readonly Answer[];
    askedAt: number[];
    signedAt: number[];
    restedMs: number;
  }> {
    let aheadMs = 0;
    const startedAt = Date.now();
    const clock: Clock = {
      ...systemClock,
      now: () => new Date(startedAt + aheadMs),
      sleep(milliseconds) {
        aheadMs += milliseconds;
        return Promise.resolve();
      },
    };
    const askedAt: number[] = [];
    const headers = { "Retry-After": retryAfter };
    double = await startApiDouble(() => {
      askedAt.push(aheadMs);
      return { status: 429, headers };
    });
    started.push(double);
    const client = sourceClient(
      {
        name: "b_affiliate",
        callsPerSecond: 4,
        burst: 1,
        callsAtOnce: 5,
        tryTimeoutMs: 15_000,
        bytesMax: 5 * 1_024 * 1_024,
        isTemporary: (status) => temporaryStatuses.has(status),
        userAgent: "test/1",
      },
      { clock, random: systemRandom, budget: localRateBudget(), note: () => undefined },
    );
    const answers = await scraperOn(double.url, { client, clock }).read({
      scraper: "retailer_b.standard",
      marketplace: "us",
      ids: ["6501234"],
      deadline: new Date(startedAt + 280_000),
    });
    const times = double.calls.map(({ headers: sent }) => Number(sent["wm_consumer.intimestamp"]));
    return {
      answers,
      askedAt,
      signedAt: times.map((time) => time - startedAt),
      restedMs: aheadMs,
    };
  }

  it("is created again for a retry if the wait before the retry is longer than the lifetime of a signature", async () => {
    const { answers, askedAt, signedAt } = await readWhileBusy("250");
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(askedAt).toEqual([0, expect.closeTo(250_000, -3)]);
    expect(signedAt).toEqual(askedAt);
  });

  it("is not created again if Retry-After demands a wait beyond the deadline", async () => {
    const { answers, askedAt, restedMs } = await readWhileBusy("600");
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(askedAt).toEqual([0]);
    expect(restedMs).toBe(0);
  });

  const wrong = "-----BEGIN PRIVATE KEY-----\ncanary-5d1f\n-----END PRIVATE KEY-----";
  const elliptic = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  it.each([
    ["text that only looks like a key", wrong],
    ["text that is not PEM", "canary-5d1f"],
    ["an empty text", ""],
    ["a key of another kind", elliptic.privateKey],
    ["a public key", elliptic.publicKey],
  ])(
    'requires an RSA key: with %s as the key, every item is "unavailable" and the operator is warned',
    async (_, key) => {
      const ids = numbered(45);
      expect(statuses(await readFrom(allItems, ids, { key }))).toEqual(
        ids.map(() => "unavailable"),
      );
      expect(double.calls).toHaveLength(0);
      expect(new Set(notes)).toEqual(
        new Set([
          "b_affiliate: the secret contains no RSA private key. Store the key in PEM format in the secret",
        ]),
      );
    },
  );

  it("is not created, and no call is sent, if the private key cannot be read", async () => {
    double = await startAffiliateDouble(allItems);
    started.push(double);
    const closed = async (): Promise<null> => null;
    const scraper = affiliateScraper(
      { baseUrl: double.url, consumerId, keyVersion },
      { client: plainClient, clock: systemClock, privateKey: closed },
    );
    const deadline = new Date(Date.now() + 1_000);
    const request = { scraper: "retailer_b.standard", marketplace: "us", deadline } as const;
    expect(statuses(await scraper.read({ ...request, ids: ["6501234"] }))).toEqual(["unavailable"]);
    expect(double.calls).toHaveLength(0);
  });
});

describe("the affiliate scraper, after a failure,", () => {
  it.each([401, 403])(
    'treats the status %d as a refused key, returns "unavailable" and warns the operator',
    async (status) => {
      const answers = await readFrom(() => ({ status, body: { items: [] } }), ["6501234"]);
      expect(statuses(answers)).toEqual(["unavailable"]);
      expect(notes).toHaveLength(1);
    },
  );

  it.each([429, 503])('returns "unavailable" after the status %d', async (status) => {
    const answers = await readFrom(() => ({ status, body: { items: [] } }), ["6501234"]);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(notes).toEqual([]);
  });

  it.each([
    [302, "redirects calls", "check baseUrl"],
    [400, "refuses calls", "check the options of the adapter"],
    [402, "requires payment", "check the subscription of the key"],
    [404, "has no API at this address", "check baseUrl"],
    [405, "refuses calls", "check the options of the adapter"],
    [422, "refuses calls", "check the options of the adapter"],
    [451, "refuses calls", "check the options of the adapter"],
  ])("warns the operator of the permanent status %d", async (status, problem, remedy) => {
    const answers = await readFrom(() => ({ status }), ["6501234"]);
    expect(statuses(answers)).toEqual(["unavailable"]);
    expect(notes).toEqual([`b_affiliate: the source ${problem} (${status}); ${remedy}`]);
  });

  it("does not warn that the source refused a batch if the source accepts smaller batches", async () => {
    const takesTen: Parameters<typeof readFrom>[0] = (call) =>
      call.ids.length > 10 ? { status: 400 } : allItems(call);
    expect(new Set(statuses(await readFrom(takesTen, numbered(20))))).toEqual(new Set(["ok"]));
    expect(notes).toEqual([]);
  });

  it("returns the results of the other batches if one batch hangs until the deadline", async () => {
    const ids = numbered(21);
    const answers = await readFrom(
      (call) => (call.ids.includes("6000020") ? "hang" : allItems(call)),
      ids,
      { withinMs: 700 },
    );
    expect(statuses(answers)).toEqual([...ids.slice(1).map(() => "ok"), "unavailable"]);
  });

  it('returns "unavailable" for the one ID that the source refuses, and returns the other items', async () => {
    const ids = numbered(20);
    const answers = await readFrom(
      (call) => (call.ids.includes("6000013") ? { status: 400 } : allItems(call)),
      ids,
    );
    expect(statuses(answers)).toEqual(ids.map((id) => (id === "6000013" ? "unavailable" : "ok")));
  });

  it('returns "unavailable" for the one ID at which the source fails, and returns the other items', async () => {
    const ids = numbered(20);
    const answers = await readFrom(
      (call) => (call.ids.includes("6000013") ? { status: 500 } : allItems(call)),
      ids,
    );
    expect(statuses(answers)).toEqual(ids.map((id) => (id === "6000013" ? "unavailable" : "ok")));
  });

  it("sends at most 31 calls for 20 IDs to a source that refuses everything", async () => {
    const answers = await readFrom(() => ({ status: 400 }), numbered(20));
    expect(new Set(statuses(answers))).toEqual(new Set(["unavailable"]));
    expect(double.calls.length).toBeLessThanOrEqual(31);
  });

  it("sends at most 35 calls for 100 IDs to a source that refuses everything", async () => {
    await readFrom(() => ({ status: 400 }), numbered(100));
    expect(double.calls.length).toBeLessThanOrEqual(31 + 4);
  });

  it.each(["", "null", "[]", "{}", '{"items":{}}', "<html>blocked</html>", '{"items":[', "\0"])(
    'returns "unavailable" for the reply %j',
    async (body) => {
      expect(statuses(await readFrom(() => ({ body }), ["6501234"]))).toEqual(["unavailable"]);
      expect(notes).toEqual([
        "b_affiliate: the source sends an unreadable reply with status 200; check baseUrl",
      ]);
    },
  );
});

describe("the affiliate scraper, after a reply with status 200,", () => {
  it('returns "not_found" for an item that is missing in a complete reply', async () => {
    const answers = await readFrom(
      () => ({ body: { items: [anItem("55001")] } }),
      ["55001", "55002"],
    );
    expect(statuses(answers)).toEqual(["ok", "not_found"]);
  });

  it.each([
    ["contains an entry that cannot be parsed", { items: [anItem("55001"), { itemId: "x" }] }],
    ["contains an item that was not requested", { items: [anItem("55001"), anItem("55009")] }],
    ["contains an item twice", { items: [anItem("55001"), anItem("55001")] }],
    ["reports an error beside its items", { items: [anItem("55001")], errors: [{ code: 4_000 }] }],
  ])(
    'does not return "not_found" for a missing item if the reply contradicts the request (the reply %s)',
    async (_, body) => {
      const answers = await readFrom(() => ({ body }), ["55001", "55002"]);
      expect(statuses(answers)).toEqual(["ok", "unavailable"]);
    },
  );

  it.each<[Record<string, unknown>]>([
    [{ message: "Rate limit exceeded" }],
    [{ error: "x" }],
    [{ errors: { code: 1 } }],
    [{ fault: { faultstring: "x" } }],
    [{ warnings: ["canary"] }],
  ])(
    'warns, and does not return "not_found" for a missing item, if the reply reports the error %j',
    async (trouble) => {
      const answers = await readFrom(() => ({ body: { items: [], ...trouble } }), ["55001"]);
      expect(statuses(answers)).toEqual(["unavailable"]);
      expect(notes).toEqual([
        "b_affiliate: the source reports an error in a reply with status 200; check the options and the secret of the adapter",
      ]);
    },
  );

  it('returns "not_found" for a missing item if the error fields of the reply are empty', async () => {
    const none = { error: null, errors: [], message: "" };
    const answers = await readFrom(() => ({ body: { items: [], ...none } }), ["55001"]);
    expect(statuses(answers)).toEqual(["not_found"]);
    expect(notes).toEqual([]);
  });

  it("returns no fields that the specification does not name", async () => {
    double = await startAffiliateDouble(({ ids }) => ({ body: { items: [anItem(ids[0] ?? "")] } }));
    started.push(double);
    let extra: Record<string, unknown> = {};
    const noisy = await startAffiliateDouble(({ ids }) => ({
      body: { ...extra, items: [{ ...extra, ...anItem(ids[0] ?? "") }] },
    }));
    started.push(noisy);
    const request = { scraper: "retailer_b.standard", marketplace: "us", ids: ["55001"] } as const;
    const deadline = new Date(Date.now() + 10_000);
    const [plain] = await scraperOn(double.url).read({ ...request, deadline });
    // Random fields, whose names no real reply contains.
    const name = fc.string({ minLength: 1 }).map((text) => `~${text}`);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.jsonValue()), async (fields) => {
        extra = fields;
        const [answer] = await scraperOn(noisy.url).read({ ...request, deadline });
        expect(answer).toEqual({ ...plain, fetchedAt: answer?.fetchedAt });
      }),
      { numRuns: 40 },
    );
  });
});
