import { afterEach, describe, expect, it } from "vitest";
import type { UpstreamCall } from "../../../../tools/sources/upstream/parse-call.ts";
import type { Misbehavior } from "../../../../tools/sources/upstream/misbehaviors.ts";
import { alwaysMisbehaving } from "../../../../tools/sources/upstream/server.ts";
import type { ProductScraperId } from "../../../../shared/scrapers/catalog.ts";
import type { Answer, OffersAnswer } from "../../../../shared/scrapers/scraper.ts";
import {
  upstreamScraper,
  upstreamOfferChecker,
  upstreamOffers,
} from "../../../../shared/sources/upstream/scraper.ts";
import { startApiDouble } from "../api-double.ts";
import { startUpstream, type SubjectOptions, type UpstreamSubject } from "./subject.ts";

let subject: UpstreamSubject;
const started: UpstreamSubject[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ server }) => server.close()));
});

async function begin(options: SubjectOptions = {}): Promise<UpstreamSubject> {
  subject = await startUpstream(options);
  started.push(subject);
  return subject;
}

interface Reading extends SubjectOptions {
  readonly scraper?: ProductScraperId;
  readonly ids?: readonly string[];
  readonly withinMs?: number;
}

async function read(reading: Reading = {}): Promise<readonly Answer[]> {
  const { scraper = "retailer_d.standard", ids = steady, withinMs = 20_000, ...options } = reading;
  const { options: own, dependencies } = await begin(options);
  const deadline = new Date(Date.now() + withinMs);
  return upstreamScraper(own, dependencies).read({ scraper, marketplace: "us", ids, deadline });
}

const always = (name: Misbehavior): SubjectOptions => ({ misbehave: alwaysMisbehaving(name) });
const onSome =
  (name: Misbehavior, ids: readonly string[]): NonNullable<SubjectOptions["misbehave"]> =>
  (call) =>
    call.ids.some((id) => ids.includes(id)) ? name : undefined;

/** ID of an item that is always in stock at one price. */
const steady = ["9000000"];
/**
 * Returns the IDs that the server always answers with `ok` or `not_found`, as many as requested.
 */
const delisting = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `90${String(39_000_000 + n)}`);
const statuses = (answers: readonly { status: string }[]): string[] =>
  answers.map(({ status }) => status);
const calls = (): readonly UpstreamCall[] => subject.server.calls;

describe("the upstream scraper", () => {
  it("sends requests with the fields and headers of the contract, in batches of the configured size", async () => {
    const ids = delisting(250);
    const answers = await read({ ids, secret: "canary-77aa", batchIdsMax: 100 });
    expect(answers.map(({ id }) => id)).toEqual(ids);
    expect(calls().map((call) => call.ids.length)).toEqual([100, 100, 50]);
    const [call] = calls();
    expect(Object.keys(call?.body ?? {})).toEqual(["scraper", "marketplace", "ids", "deadline_ms"]);
    expect(call?.body).toMatchObject({ scraper: "retailer_d.standard", marketplace: "us" });
    expect(call?.headers).toMatchObject({
      authorization: "Bearer canary-77aa",
      "content-type": "application/json",
      "x-request-id": expect.stringMatching(/^req_/),
    });
    expect(new Set(calls().map(({ headers }) => headers["x-request-id"])).size).toBe(3);
  });

  it("sends the server a deadline that is a quarter of a second before the scraper's deadline", async () => {
    await read({ tryTimeoutMs: 2_000 });
    expect(calls()[0]?.body["deadline_ms"]).toBe(1_750);
    await read({ withinMs: 1_000, tryTimeoutMs: 2_000 });
    expect(calls()[0]?.body["deadline_ms"]).toBeGreaterThan(500);
    expect(calls()[0]?.body["deadline_ms"]).toBeLessThanOrEqual(750);
  });

  it("computes the server's deadline when the call is sent, not when the read was requested", async () => {
    const deadlines: unknown[] = [];
    await read({
      withinMs: 4_000,
      misbehave: ({ number, body }) => {
        deadlines.push(body["deadline_ms"]);
        return number === 1 ? "429_seconds" : undefined;
      },
    });
    expect(deadlines).toHaveLength(2);
    expect(deadlines[1]).toBeLessThanOrEqual(Number(deadlines[0]) - 950);
  });

  it("sends a retry with the request ID of the first try", async () => {
    const names: unknown[] = [];
    await read({
      misbehave: ({ number, headers }) => {
        names.push(headers["x-request-id"]);
        return number === 1 ? "500" : undefined;
      },
    });
    expect(names).toHaveLength(2);
    expect(new Set(names).size).toBe(1);
  });

  it("requests offers in every condition, and sends the item ID and the offer ID for an offer check", async () => {
    const { options, dependencies } = await begin();
    const deadline = new Date(Date.now() + 5_000);
    const ids = ["B0SANDBOX0"];
    await upstreamOffers(options, dependencies).readOffers({ marketplace: "us", ids, deadline });
    const offers = [{ asin: "B0SANDBOX0", offerListingId: "x" }];
    const checker = upstreamOfferChecker(options, dependencies);
    await checker.checkOffers({ marketplace: "us", offers, deadline });
    expect(calls().map(({ body }) => body)).toMatchObject([
      { scraper: "retailer_a.offers", ids, condition: "all" },
      { scraper: "retailer_a.offer_check", offers },
    ]);
  });
});

describe("the upstream scraper after a temporary failure", () => {
  it.each([
    ["seconds", "429_seconds"],
    ["a date", "429_date"],
  ] as const)("waits as long as Retry-After demands, in the form of %s", async (_, name) => {
    const times: number[] = [];
    const play = alwaysMisbehaving(name);
    const answers = await read({
      misbehave: (call) => {
        times.push(Date.now());
        return play(call);
      },
    });
    expect(statuses(answers)).toEqual(["ok"]);
    expect(times).toHaveLength(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it.each([
    ["a 500", "500"],
    ["a 503", "503"],
    ["a connection reset", "reset"],
    ["a body that is cut off", "cut_off"],
    ["a call that hangs", "hang"],
  ] as const)("retries once after a failed call: %s", async (_, name) => {
    const answers = await read({
      tryTimeoutMs: 300,
      misbehave: ({ number }) => (number === 1 ? name : undefined),
    });
    expect(statuses(answers)).toEqual(["ok"]);
    expect(calls()).toHaveLength(2);
  });

  it("returns the results of the other batches if one batch hangs until the deadline", async () => {
    const ids = [...delisting(100), "9000000"];
    const answers = await read({ ids, withinMs: 1_000, misbehave: onSome("hang", steady) });
    expect(statuses(answers).slice(0, 100)).not.toContain("unavailable");
    expect(statuses(answers).at(-1)).toBe("unavailable");
  });
});

describe("the upstream scraper after a permanent failure", () => {
  it.each(["400", "500"] as const)(
    'returns "unavailable" for the one item that makes a batch fail with the status %s',
    async (name) => {
      const ids = delisting(64);
      const bad = ids[41] ?? "";
      const answers = await read({ ids, misbehave: onSome(name, [bad]) });
      expect(answers.filter(({ status }) => status === "unavailable").map(({ id }) => id)).toEqual([
        bad,
      ]);
    },
  );

  it("reduces the batch size to the maximum of the server, and warns once", async () => {
    const ids = delisting(40);
    const answers = await read({ ids, batchIdsMax: 40, maxBatch: 10 });
    expect(statuses(answers)).not.toContain("unavailable");
    expect(calls().map((call) => call.ids.length)).toEqual([10, 10, 10, 10]);
    expect(subject.notes).toEqual([{ kind: "too_many", scraper: "retailer_d.standard" }]);
  });

  it.each([
    ["400", 43],
    ["500", 40],
  ] as const)(
    "with the status %s of every response sends at most %i calls for 100 IDs",
    async (name, callsMax) => {
      const answers = await read({ ids: delisting(100), misbehave: () => name });
      expect(new Set(statuses(answers))).toEqual(new Set(["unavailable"]));
      expect(calls().length).toBeLessThanOrEqual(callsMax);
    },
  );

  it('with a wrong secret returns "unavailable" and warns once, without repeating the secret', async () => {
    const ids = delisting(30);
    const answers = await read({ ids, batchIdsMax: 10, secret: "right", sentSecret: "canary-19" });
    expect(new Set(statuses(answers))).toEqual(new Set(["unavailable"]));
    expect(subject.notes).toEqual([
      { kind: "refused", scraper: "retailer_d.standard", status: 401 },
    ]);
    expect(JSON.stringify([answers, subject.notes])).not.toContain("canary");
  });

  it.each([
    ["a 404", "404", { kind: "refused", status: 404 }],
    ["a redirect", "redirect", { kind: "refused", status: 302 }],
    ["a reply that is not JSON", "garbage", { kind: "unreadable" }],
    ["a reply in another charset than it declares", "wrong_charset", { kind: "unreadable" }],
  ] as const)(
    'returns "unavailable" and warns after one call (the response: %s)',
    async (_, name, note) => {
      expect(statuses(await read(always(name)))).toEqual(["unavailable"]);
      expect(subject.notes).toMatchObject([note]);
      expect(calls()).toHaveLength(1);
    },
  );

  it('warns and returns "unavailable" for a "not_found" result in a reply that reports an error', async () => {
    const ids = ["9000000", "9000007"];
    expect(statuses(await read({ ids }))).toEqual(["ok", "not_found"]);
    const answers = await read({ ...always("error_beside"), ids, batchIdsMax: 1 });
    expect(statuses(answers)).toEqual(["ok", "unavailable"]);
    expect(subject.notes).toEqual([{ kind: "unreadable", scraper: "retailer_d.standard" }]);
  });

  it('returns "unavailable" for a "not_found" offer in a reply that reports an error', async () => {
    const asin = "B0SANDBOX7";
    const results = ["none", asin].map((id) => ({ id, asin, status: "not_found" }));
    const server = await startApiDouble(() => ({ body: { error: "db down", results } }));
    const { options, dependencies } = await begin();
    const own = { ...options, baseUrl: server.url };
    const reading = { marketplace: "us", deadline: new Date(Date.now() + 10_000) };
    const offers = [{ asin, offerListingId: "none" }];
    const checks = await upstreamOfferChecker(own, dependencies).checkOffers({
      ...reading,
      offers,
    });
    const listings = await upstreamOffers(own, dependencies).readOffers({
      ...reading,
      ids: [asin],
    });
    await server.stop();
    expect(statuses([...checks, ...listings])).toEqual(["unavailable", "unavailable"]);
    expect(subject.notes).toHaveLength(2);
  });

  it("stops reading a reply that never ends", async () => {
    expect(statuses(await read({ ...always("endless"), tryTimeoutMs: 5_000 }))).toEqual([
      "unavailable",
    ]);
  });

  it("does not wait beyond the deadline for a retry", async () => {
    // Only the deadline ends this read.
    const answers = await read({ ...always("hang"), withinMs: 400, tryTimeoutMs: 300_000 });
    expect(statuses(answers)).toEqual(["unavailable"]);
  });
});

describe("an upstream reply", () => {
  it.each([
    ["is compressed with gzip", "gzip"],
    ["is compressed with brotli", "br"],
    ["is in Latin-1 and declares it", "declared_charset"],
    ["has a content type other than JSON", "not_json_type"],
    ["has numbers as IDs", "numeric_ids"],
    ["also has the ID as asin", "with_asin"],
    ["has no fetchedAt", "no_time"],
  ] as const)(
    "is accepted if it deviates from the contract without harm: it %s",
    async (_, name) => {
      expect(statuses(await read(always(name)))).toEqual(["ok"]);
    },
  );

  it('makes an item "unavailable" if the reply lacks the requested ID', async () => {
    const ids = ["9000000", "9000003", "9000007"];
    const answers = await read({ ids, ...always("ids_missing") });
    expect(statuses(answers)).toEqual(["unavailable", "ok", "not_found"]);
  });

  it("that contains two answers for an ID provides the first answer", async () => {
    expect(statuses(await read(always("ids_doubled")))).toEqual(["ok"]);
  });

  it("that contains IDs that were not requested provides no answers for these IDs", async () => {
    const [answer, ...more] = await read(always("ids_foreign"));
    expect(answer?.id).toBe("9000000");
    expect(more).toEqual([]);
  });

  it.each([
    ["retailer_a.lite", "B0SANDBOX0"],
    ["retailer_b.standard", "9000000"],
    ["retailer_d.standard", "9000000"],
  ] as const)("may contain numbers as strings, for the scraper %s", async (scraper, id) => {
    const [honest] = await read({ scraper, ids: [id] });
    const [answer] = await read({ scraper, ids: [id], ...always("text_numbers") });
    expect(answer).toEqual({ ...honest, fetchedAt: answer?.fetchedAt });
  });

  it("is returned without the fields that the specification does not name", async () => {
    for (const scraper of ["retailer_a.full", "retailer_b.standard"] as const) {
      const ids = [scraper === "retailer_a.full" ? "B0SANDBOX0" : "9000000"];
      const [honest] = await read({ scraper, ids });
      const [answer] = await read({ scraper, ids, ...always("unknown_fields") });
      expect(answer).toEqual({ ...honest, fetchedAt: answer?.fetchedAt });
    }
  });

  it('makes its items "unavailable" if the reply is in the currency of another marketplace', async () => {
    expect(statuses(await read(always("other_currency")))).toEqual(["unavailable"]);
  });

  it('makes its items "partial" if the items have no data', async () => {
    const [answer] = await read(always("no_data"));
    expect(answer).toMatchObject({ status: "partial", fields: { retailer_d: {} } });
  });

  it('makes its items "unavailable" if the reply is older than a day, even if it reports the items as "not_found"', async () => {
    const answers = await read({ ids: ["9000000", "9000007"], ...always("stale") });
    expect(statuses(answers)).toEqual(["unavailable", "unavailable"]);
  });

  it("counts as read at the current time if the read time in the reply is in the future", async () => {
    const startedAt = Date.now();
    const [answer] = await read(always("ahead"));
    expect(answer?.status).toBe("ok");
    const fetchedAt = Date.parse(answer?.fetchedAt ?? "");
    expect(fetchedAt).toBeGreaterThanOrEqual(startedAt);
    expect(fetchedAt).toBeLessThanOrEqual(Date.now());
  });

  it("is returned with exactly the fields of the requested tier", async () => {
    const [pulse] = await read({ scraper: "retailer_a.pulse", ids: ["B0SANDBOX0"] });
    const fields = pulse !== undefined && "fields" in pulse ? pulse.fields : {};
    expect(Object.keys(fields["retailer_a"] ?? {})).toEqual(["newCount", "newMinPrice"]);
  });
});

describe("an upstream reply about offers", () => {
  async function offers(options: SubjectOptions): Promise<readonly OffersAnswer[]> {
    const { options: own, dependencies } = await begin(options);
    const deadline = new Date(Date.now() + 5_000);
    const ids = ["B0SANDBOX0"];
    return upstreamOffers(own, dependencies).readOffers({ marketplace: "us", ids, deadline });
  }

  it.each([
    ["has numbers as text", "text_numbers"],
    ["has unknown fields", "unknown_fields"],
  ] as const)(
    "is accepted if it deviates from the contract without harm: it %s",
    async (_, name) => {
      const [honest] = await offers({});
      const [answer] = await offers(always(name));
      expect(answer).toEqual({ ...honest, fetchedAt: answer?.fetchedAt });
    },
  );

  it.each([
    ["has no data", "no_data"],
    ["is in another currency", "other_currency"],
    ["is older than a day", "stale"],
  ] as const)(
    'makes the listing "unavailable" if the reply cannot be used: it %s',
    async (_, name) => {
      expect(statuses(await offers(always(name)))).toEqual(["unavailable"]);
    },
  );

  it("with several buy box offers makes only the first one the buy box", async () => {
    const [answer] = await offers(always("all_featured"));
    const featured = answer?.status === "ok" ? answer.offers.map(({ isBuybox }) => isBuybox) : [];
    expect(featured).toEqual([true, false]);
  });

  it('makes the offer "unavailable" if the reply has no data for the offer check', async () => {
    const { options, dependencies } = await begin(always("no_data"));
    const checked = await upstreamOfferChecker(options, dependencies).checkOffers({
      marketplace: "us",
      offers: [{ asin: "B0SANDBOX0", offerListingId: "x" }],
      deadline: new Date(Date.now() + 5_000),
    });
    expect(statuses(checked)).toEqual(["unavailable"]);
  });
});
