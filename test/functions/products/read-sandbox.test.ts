import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, apiClient } from "../../../tools/customer/api-client.ts";
import { startTestWorld, type World } from "../../support/local-world.ts";
import { documented } from "../../support/openapi.ts";

let world: World;
beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

const read = (body: object, key: string): Promise<ApiAnswer> =>
  documented(apiClient(world.baseUrl, key)).send("POST", "/products/sandbox", body);

describe("POST /v1/products/sandbox", () => {
  it("reads sandbox items free of charge for every key, including a key of the demo workspace", async () => {
    for (const key of [world.demoApiKey, world.apiKey]) {
      const { body: before } = await apiClient(world.baseUrl, key).get("/account");
      const { status, body } = await read(
        { platform: "retailer_d", ids: ["9000000", "9000007"] },
        key,
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({
        credits: 0,
        results: [
          { id: "9000000", status: "ok" },
          { id: "9000007", status: "not_found" },
        ],
        stats: { requested: 2, ok: 1, notFound: 1 },
      });
      const { body: after } = await apiClient(world.baseUrl, key).get("/account");
      expect(after["credit_balance"]).toBe(before["credit_balance"]);
    }
  });

  it.each([
    { platform: "retailer_d", ids: ["9000000", "6505678"] },
    { platform: "retailer_a", tier: "lite", ids: ["B0REALITEM"] },
  ])("refuses the body %j, which names items outside the sandbox", async (request) => {
    const { status, body } = await read(request, world.demoApiKey);
    expect(status).toBe(400);
    expect(body["error"]).toMatchObject({
      param: "ids",
      message: expect.stringContaining("reads only items of the sandbox") as string,
    });
  });

  it("returns 501 for a platform that is announced but not yet available", async () => {
    expect((await read({ platform: "retailer_e" }, world.demoApiKey)).status).toBe(501);
  });
});
