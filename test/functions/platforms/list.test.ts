import { expectDocumented } from "../../support/openapi.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../../support/local-world.ts";
import { presentPlatforms } from "../../../shared/platforms/present-platform.ts";
import { noHealth } from "../../support/no-health.ts";

let world: World;
beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(`${world.baseUrl}/v1${path}`, { headers });
  expectDocumented(`GET /v1${path}`, response.status, await response.clone().json());
  return response;
}

describe("GET /v1/platforms", () => {
  describe("returns 200 and", () => {
    it("returns the platforms to a call without a key, with the headers that every response has", async () => {
      const response = await get("/platforms");
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(presentPlatforms(noHealth));
      expect(response.headers.get("x-request-id")).toMatch(/^req_/);
      expect(response.headers.get("x-ratelimit-limit")).not.toBeNull();
    });

    it("returns the platforms to a call with a known or an unknown key", async () => {
      for (const key of [world.apiKey, "svc_live_unknown"]) {
        const response = await get("/platforms", { Authorization: `Bearer ${key}` });
        expect(await response.json()).toEqual(presentPlatforms(noHealth));
      }
    });
  });

  describe("returns 404", () => {
    it("to a request for a path below /v1/platforms", async () => {
      const response = await get("/platforms/retailer_a");
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
    });
  });
});
