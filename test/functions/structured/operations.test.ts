import { expectDocumented } from "../../support/openapi.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../../support/local-world.ts";
import { presentStructured } from "../../../shared/platforms/structured.ts";

let world: World;
beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(
  method: string,
  path: string,
  { key = world.apiKey, body = "{}" }: { key?: string; body?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${world.baseUrl}/v1/structured${path}`, {
    method,
    headers: {
      ...(key !== "" && { Authorization: `Bearer ${key}` }),
      "Content-Type": "application/json",
    },
    ...(method !== "GET" && { body }),
  });
  const answered = (await response.json()) as Record<string, unknown>;
  expectDocumented(`${method} /v1/structured${path}`, response.status, answered);
  return { status: response.status, body: answered };
}

describe("GET /v1/structured", () => {
  it("returns 200 with every structured endpoint", async () => {
    expect(await call("GET", "")).toEqual({ status: 200, body: presentStructured() });
  });

  it("returns 401 without a key", async () => {
    expect((await call("GET", "", { key: "" })).status).toBe(401);
  });
});

describe("a structured endpoint", () => {
  it.each(["GET", "POST"])(
    "returns 501 to a request with the method %s for every path that GET /v1/structured lists",
    async (method) => {
      for (const { platform, kind } of presentStructured().data) {
        const { status, body } = await call(method, `/${platform}/${kind}`);
        expect({ status, soon: body["coming_soon"], error: body["error"] }).toEqual({
          status: 501,
          soon: true,
          error: {
            code: "NOT_IMPLEMENTED",
            message: expect.stringContaining(platform),
            docs: "/docs/errors#NOT_IMPLEMENTED",
          },
        });
      }
    },
  );

  it("returns 501 for a body with an invalid 'query', and charges nothing", async () => {
    const before = await (await account()).json();
    const { status } = await call("POST", "/retailer_a/search", { body: '{"query": 7}' });
    expect(status).toBe(501);
    expect(await (await account()).json()).toEqual(before);
  });

  it.each(["/retailer_a/nothing", "/retailer_e/search", "/retailer_a", "/retailer_a/search/more"])(
    "returns 404 for the unknown path %s",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const { status, body } = await call(method, path);
        expect(status).toBe(404);
        expect(body).toMatchObject({ error: { code: "NOT_FOUND" } });
      }
    },
  );

  it("returns 404 to a method other than GET and POST", async () => {
    expect((await call("DELETE", "/retailer_a/search")).status).toBe(404);
  });

  it("returns 501, and not 400, for a body that is not JSON", async () => {
    const { status, body } = await call("POST", "/retailer_a/search", { body: "{" });
    expect(status).toBe(501);
    expect(body).toMatchObject({ error: { code: "NOT_IMPLEMENTED" }, coming_soon: true });
  });

  it("returns 401 without a key, before any other error", async () => {
    expect((await call("GET", "/retailer_a/search", { key: "" })).status).toBe(401);
    expect((await call("GET", "/retailer_z/search", { key: "" })).status).toBe(401);
  });
});

const account = async (): Promise<Response> =>
  fetch(`${world.baseUrl}/v1/account`, { headers: { Authorization: `Bearer ${world.apiKey}` } });
