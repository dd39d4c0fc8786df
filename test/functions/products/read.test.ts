import { expectDocumented } from "../../support/openapi.ts";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../../support/local-world.ts";
import { productsResponse } from "../../../shared/items/envelope.ts";

let world: World;
beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function read(body: unknown, key = world.apiKey): Promise<Answer> {
  const response = await fetch(`${world.baseUrl}/v1/products`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answered = (await response.json()) as Record<string, unknown>;
  expectDocumented("POST /v1/products", response.status, answered);
  return { status: response.status, headers: response.headers, body: answered };
}

const asins = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B0READ${String(n).padStart(4, "0")}`);
const skus = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(7_000_000 + n));

describe("POST /v1/products", () => {
  describe("returns 200 and", () => {
    it.each([
      ["retailer_a", "pulse", asins(400), 0.25],
      ["retailer_a", "lite", asins(40), 1],
      ["retailer_a", "full", asins(20), 5],
      ["retailer_b", "standard", skus(100), 1],
      ["retailer_c", "standard", skus(200), 1],
      ["retailer_d", "standard", skus(200), 1],
    ])(
      "reads items of the platform %s at the tier '%s', returns a body that matches the schema, and charges for each item",
      async (...row) => {
        const [platform, tier, ids, rate] = row;
        const { status, headers, body } = await read({ platform, tier, ids });
        expect(status).toBe(200);
        const parsed = v.parse(productsResponse, body);
        expect(parsed).toEqual(body);
        const { stats, results, credits } = parsed;
        expect(parsed).toMatchObject({ platform, marketplace: "us", tier });
        expect(results.map(({ id }) => id)).toEqual(ids);
        expect(stats.requested).toBe(ids.length);
        expect(stats.ok + stats.partial + stats.notFound + stats.unavailable).toBe(ids.length);
        expect(credits).toBe(Math.ceil((stats.ok + stats.notFound) * rate));
        expect(headers.get("x-service-credits")).toBe(String(credits));
        for (const result of results) {
          const named = platform === "retailer_a" && result.status !== "not_found";
          expect(result.asin).toBe(named ? result.id : undefined);
        }
      },
    );

    it("accepts 'asins' instead of 'ids' on retailer_a, and returns 'include' as it was sent", async () => {
      const { body } = await read({
        asins: [" b0sandbox0 ", "", "B0SANDBOX0", "b0sandbox7"],
        tier: "lite",
        include: ["delivery"],
      });
      expect(body).toMatchObject({
        platform: "retailer_a",
        include: ["delivery"],
        results: [
          { id: "B0SANDBOX0", asin: "B0SANDBOX0", status: "ok" },
          { id: "B0SANDBOX7", status: "not_found" },
        ],
        stats: { requested: 2, ok: 1, notFound: 1 },
        credits: 2,
      });
    });

    it("rounds a charge with quarter credits up once per call, not once per item", async () => {
      const answers = await Promise.all(
        [1, 4, 5].map((count) =>
          read({
            tier: "pulse",
            ids: ["0", "1", "3", "7", "8"].slice(0, count).map((n) => `B0SANDBOX${n}`),
          }),
        ),
      );
      expect(answers.map(({ body }) => body["credits"])).toEqual([1, 1, 2]);
    });

    it("returns no product fields for items that do not exist or could not be read", async () => {
      const { body } = await read({ tier: "full", ids: ["B0SANDBOX6", "B0SANDBOX7"] });
      const fetchedAt = expect.any(String);
      expect(body).toMatchObject({ credits: 5 });
      expect(body["results"]).toEqual([
        { id: "B0SANDBOX6", asin: "B0SANDBOX6", status: "unavailable", fetchedAt },
        { id: "B0SANDBOX7", status: "not_found", fetchedAt },
      ]);
    });

    it("strips the prefix A- from item numbers of retailer_c", async () => {
      const { body } = await read({ platform: "retailer_c", ids: ["A-9000000"] });
      expect(body).toMatchObject({ results: [{ id: "9000000", retailer_c: { tcin: "9000000" } }] });
    });
  });

  describe("returns 400", () => {
    it.each([
      [{}, "MISSING_PARAM", "ids"],
      [{ ids: ["B000000001"] }, "MISSING_PARAM", "tier"],
      [{ ids: ["B000000001"], asins: ["B000000001"], tier: "lite" }, "INVALID_PARAM", "asins"],
      [{ asins: ["B000000001", "?"], tier: "lite" }, "INVALID_PARAM", "asins[1]"],
      [{ asins: [1], tier: "lite" }, "INVALID_PARAM", "asins[0]"],
      [{ include: [1], ids: ["B000000001"], tier: "lite" }, "INVALID_PARAM", "include[0]"],
      [{ platform: "retailer_b", ids: skus(101) }, "INVALID_PARAM", "ids"],
      [{ platform: "retailer_b", ids: ["1234"] }, "INVALID_PARAM", "ids[0]"],
      [{ platform: "retailer_c", ids: ["12345"] }, "INVALID_PARAM", "ids[0]"],
      [{ platform: "retailer_b", tier: "lite", ids: skus(1) }, "INVALID_PARAM", "tier"],
    ])(
      "for the body %j, with the code %s and the parameter '%s', and charges nothing",
      async (request, code, param) => {
        const { status, headers, body } = await read(request);
        expect({ status, body }).toMatchObject({ status: 400, body: { error: { code, param } } });
        expect(headers.get("x-service-credits")).toBe("0");
      },
    );
  });

  describe("returns 402", () => {
    it("when the balance does not cover the price of all IDs, and reads no item", async () => {
      const { status, body } = await read({ tier: "full", ids: asins(2_000) });
      expect({ status, body }).toMatchObject({
        status: 402,
        body: { error: { code: "INSUFFICIENT_CREDITS" } },
      });
    });

    it("when the call would reserve more credits than 'max_credits', and returns the two numbers of credits", async () => {
      const { status, headers, body } = await read({
        tier: "lite",
        ids: asins(3),
        max_credits: 2,
      });
      expect(status).toBe(402);
      expect(body["error"]).toMatchObject({ code: "INVALID_PARAM", param: "max_credits" });
      expect((body["error"] as { readonly message: string }).message).toContain(
        "must reserve 3 credits, but 'max_credits' is 2",
      );
      expect(headers.get("x-service-credits")).toBe("0");
    });
  });

  it.each([3, null])(
    "reads the items of a call that reserves 3 credits with a 'max_credits' of %j",
    async (max) => {
      const { status } = await read({ tier: "lite", ids: asins(3), max_credits: max });
      expect(status).toBe(200);
    },
  );

  it.each([-1, 1.5, "5", 1e16])("returns 400 for a 'max_credits' of %j", async (max) => {
    const { status, body } = await read({ tier: "lite", ids: asins(1), max_credits: max });
    expect(status).toBe(400);
    expect(body["error"]).toMatchObject({ code: "INVALID_PARAM", param: "max_credits" });
  });

  describe("returns 409", () => {
    const setBudget = (budget: number | null): Promise<Response> =>
      fetch(`${world.baseUrl}/v1/account`, {
        method: "PATCH",
        headers: { Authorization: `Bearer ${world.apiKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ daily_credit_budget: budget }),
      });

    it("when the call would exceed the daily budget of the account, and returns the price of the call and the credits left", async () => {
      expect((await setBudget(1)).status).toBe(200);
      const { status, headers, body } = await read({ tier: "full", ids: asins(1) });
      expect((await setBudget(null)).status).toBe(200);
      expect(status).toBe(409);
      expect(body["error"]).toMatchObject({ code: "CONFLICT", param: "daily_credit_budget" });
      const seconds = Number(headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(86_400);
      expect((body["error"] as { readonly message: string }).message).toContain(
        "must reserve 5 credits, but the account's 'daily_credit_budget' of 1 leaves",
      );
      expect(headers.get("x-service-credits")).toBe("0");
    });
  });

  describe("returns 403", () => {
    it("to a key of the demo workspace", async () => {
      const request = { tier: "lite", ids: ["B0SANDBOX0"] };
      expect((await read(request, world.demoApiKey)).status).toBe(403);
    });
  });

  describe("returns 501", () => {
    it.each([
      { platform: "retailer_e", ids: ["1"] },
      { platform: "retailer_d", marketplace: "ca", ids: ["6501234"] },
      { marketplace: "uk", tier: "lite", ids: ["B000000001"] },
    ])("for the announced feature in the body %j", async (request) => {
      const { status, body } = await read(request);
      expect({ status, body }).toMatchObject({
        status: 501,
        body: { coming_soon: true, error: { code: "NOT_IMPLEMENTED" } },
      });
    });
  });
});
