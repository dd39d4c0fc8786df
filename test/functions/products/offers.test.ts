import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Body,
  type Customer,
  type OffersWorld,
  startOffersWorld,
} from "../offers/offers-world.ts";

let world: OffersWorld;
let customer: Customer;
const granted = 100;
beforeAll(async () => {
  world = await startOffersWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  customer = await world.customer(granted);
});

const get = (id: string, query = ""): ReturnType<Customer["call"]> =>
  customer.call(`GET /v1/products/${id}/offers${query}`);

describe("GET /v1/products/{id}/offers", () => {
  describe("returns 200 and", () => {
    it.each(["", "?condition=new", "?condition=used&marketplace=us&platform=retailer_a"])(
      "has, with the query '%s', the same body and price as POST /v1/offers for this ID",
      async (query) => {
        const one = await get("B0SANDBOXM", query);
        const condition = new URLSearchParams(query).get("condition") ?? "all";
        const listed = await customer.call("POST /v1/offers", { ids: ["B0SANDBOXM"], condition });
        expect(one.status).toBe(200);
        expect(withoutTimes(one.body)).toEqual(withoutTimes(listed.body));
        expect(one.headers.get("x-service-credits")).toBe("3");
        expect(await customer.balance()).toBe(granted - 6);
      },
    );

    it("converts the ID to upper case", async () => {
      const { body } = await get("b0sandboxp");
      expect(body.results.map(({ id }) => id)).toEqual(["B0SANDBOXP"]);
      expect(body.credits).toBe(1);
    });
  });

  describe("returns 400 and", () => {
    it.each(["B0", "B0SANDBOX00", "B0SANDBOX%2F", "%20"])(
      "names 'asin' as the invalid parameter for the malformed ID '%s', and charges nothing",
      async (id) => {
        const { status, headers, body } = await get(id);
        expect(status).toBe(400);
        expect(body.error).toMatchObject({ code: "INVALID_PARAM", param: "asin" });
        expect(headers.get("x-service-credits")).toBe("0");
        expect(await customer.balance()).toBe(granted);
      },
    );

    it.each(["condition=mint", "platform=retailer_z", "marketplace=zz"])(
      "names the invalid parameter of the query '%s'",
      async (query) => {
        const { status, body } = await get("B0SANDBOX0", `?${query}`);
        expect(status).toBe(400);
        expect(body.error.param).toBe(query.split("=")[0]);
      },
    );
  });

  describe("returns 402", () => {
    it("when 3 credits exceed 'max_credits' in the query", async () => {
      const careful = await world.customer(10);
      const answer = await careful.call("GET /v1/products/B0SANDBOXP/offers?max_credits=2");
      expect(answer.status).toBe(402);
      expect(answer.body.error).toMatchObject({ code: "INVALID_PARAM", param: "max_credits" });
      expect(await careful.balance()).toBe(10);
    });

    it("when the balance does not cover 3 credits", async () => {
      const poor = await world.customer(2);
      const answer = await poor.call("GET /v1/products/B0SANDBOXP/offers");
      expect(answer.status).toBe(402);
      expect(await poor.balance()).toBe(2);
    });
  });

  describe("returns 403", () => {
    it("to the demo workspace, even if the call has other errors", async () => {
      const demo = await world.customer(granted, { demo: true });
      expect((await demo.call("GET /v1/products/B0SANDBOX0/offers")).status).toBe(403);
      expect((await demo.call("GET /v1/products/B0/offers")).status).toBe(403);
    });
  });

  describe("returns 501 and", () => {
    it.each([
      ["platform=retailer_d", "12345"],
      ["platform=retailer_g", "12345"],
      ["marketplace=de", "B0SANDBOX0"],
    ])("returns 'coming_soon' for the announced feature in the query '%s'", async (query, id) => {
      const { status, body } = await get(id, `?${query}`);
      expect(status).toBe(501);
      expect(body.coming_soon).toBe(true);
    });

    it("returns 'coming_soon' even if the item ID is malformed", async () => {
      expect((await get("12345", "?marketplace=de")).status).toBe(501);
    });
  });
});

/** Returns the body without the fields that depend on the time of the read. */
function withoutTimes({ results, stats, ...rest }: Body): unknown {
  const { elapsedMs: _elapsed, ...counts } = stats;
  const shown = results.map(({ offers, ...result }) => ({
    ...result,
    fetchedAt: "",
    offers: offers.map(({ delivery: _delivery, ...offer }) => offer),
  }));
  return { ...rest, stats: counts, results: shown };
}
