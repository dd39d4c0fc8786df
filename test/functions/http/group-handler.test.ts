import { setTimeout as delay } from "node:timers/promises";
import { Logger } from "@aws-lambda-powertools/logger";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import * as v from "valibot";
import { beforeEach, describe, expect, it } from "vitest";
import { groupHandler, type HttpHandler } from "../../../functions/http/group-handler.ts";
import { type AnyRoute, route } from "../../../functions/http/route.ts";
import type { AccountStore, Admission } from "../../../shared/accounts/account-store.ts";
import { newApiKey } from "../../../shared/accounts/api-key.ts";
import { notFound, notImplemented } from "../../../shared/base/errors.ts";
import { limits } from "../../../shared/base/limits.ts";
import { OutOfTimeError, withinBudget } from "../../../shared/base/retry-budget.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { fixedClock } from "../../support/clock.ts";
import { scopes } from "../../../shared/accounts/scopes.ts";

const rate = { limit: 50, remaining: 49, resetSeconds: 1_772_000_000 };
const owner = {
  accountId: "acct_1",
  keyId: "key_1",
  keyName: "main",
  keyPrefix: "svc_live_abc",
  demo: false,
  scopes,
};
const apiKey = newApiKey(false, systemRandom);
const clock = fixedClock("2026-03-01T00:00:00Z");
let admission: Admission;
let handled: unknown[];

beforeEach(() => {
  admission = { outcome: "admitted", owner, rate };
  handled = [];
});

const accounts: AccountStore = {
  admit: async () => admission,
  create: async () => {},
  get: async () => undefined,
  getWithUsage: async () => undefined,
  addKey: async () => {},
};

/**
 * Requests a dependency that never responds, again and again until the retry budget is used up.
 * @throws the error of the last request
 */
async function hanging(): Promise<never> {
  for (let lastError: unknown; ;) {
    try {
      await withinBudget(4_000, async (milliseconds) => {
        clock.advance(milliseconds);
        throw Object.assign(new Error("no response"), { name: "TimeoutError" });
      });
    } catch (error) {
      if (error instanceof OutOfTimeError) throw lastError;
      lastError = error;
    }
  }
}

const create: AnyRoute<unknown> = route({
  body: v.object({
    ids: v.array(v.string("'ids' must be strings"), "'ids' must be an array"),
    soon: v.optional(v.boolean()),
  }),
  announced: ({ body }) => {
    if (v.is(v.object({ soon: v.literal(true) }), body)) throw notImplemented("This");
  },
  async handle(call) {
    handled.push(call);
    return { status: 201, body: { done: true } };
  },
});
const other: AnyRoute<unknown> = route({
  async handle({ path }) {
    if (path["id"] === "missing") throw notFound("This watchlist does not exist.");
    if (path["id"] === "slow") await delay(30);
    if (path["id"] === "hanging") await hanging();
    if (path["id"] === "broken") throw new Error("secret detail of the database");
    return { status: 200, body: { path } };
  },
});

const filtered: AnyRoute<unknown> = route({
  query: v.object({ state: v.optional(v.picklist(["new", "active"])), days: v.string() }),
  announced: ({ query }) => {
    if (v.is(v.object({ days: v.literal("soon") }), query)) throw notImplemented("This");
  },
  async handle({ query }) {
    return { status: 200, body: query };
  },
});

const handler: HttpHandler = groupHandler({
  group: "watchlists",
  routes: {
    "GET /v1/watchlists": other,
    "POST /v1/watchlists": create,
    "POST /v1/watchlists/estimate": other,
    "GET /v1/watchlists/schedule": filtered,
    "GET /v1/watchlists/scrapers": other,
    "GET /v1/watchlists/sources": other,
    "GET /v1/watchlists/{id}": other,
    "PATCH /v1/watchlists/{id}": other,
    "DELETE /v1/watchlists/{id}": other,
    "POST /v1/watchlists/{id}/run": other,
    "POST /v1/watchlists/{id}/backtest": other,
    "GET /v1/watchlists/{id}/backtests/{backtest_id}": other,
    "POST /v1/watchlists/{id}/preview": other,
    "GET /v1/watchlists/{id}/runs": other,
    "GET /v1/watchlists/{id}/runs/{run_number}": other,
    "POST /v1/watchlists/{id}/runs/{run_number}/release": other,
    "POST /v1/watchlists/{id}/runs/{run_number}/discard": other,
    "GET /v1/watchlists/{id}/items": other,
    "POST /v1/watchlists/{id}/items": other,
    "GET /v1/watchlists/{id}/items/{item_id}": other,
    "GET /v1/watchlists/{id}/items/{item_id}/history": other,
    "GET /v1/watchlists/{id}/changes": other,
    "GET /v1/changes": other,
    "GET /v1/watchlists/items": other,
    "POST /v1/watchlists/{id}/asins": other,
  },
  dependencies: { accounts, clock, random: systemRandom, logger: new Logger() },
  domainName: "shop-domain.com",
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  /** All values of each parameter; the gateway passes them in addition to the last value. */
  readonly queryValues?: Record<string, string[]>;
  readonly body?: string | null;
  readonly remainingMs?: number;
  /** When the gateway received the call, in milliseconds since 1970. */
  readonly receivedAt?: number;
}

async function ask(
  asked: Asked,
): Promise<APIGatewayProxyResult & { json: Record<string, unknown> }> {
  const event = {
    httpMethod: asked.method ?? "POST",
    path: asked.path ?? "/v1/watchlists",
    headers: asked.headers ?? {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
    },
    multiValueHeaders: {},
    queryStringParameters: asked.query ?? lastOf(asked.queryValues),
    multiValueQueryStringParameters: asked.queryValues ?? null,
    pathParameters: null,
    body: asked.body === undefined ? '{"ids":["1"]}' : asked.body,
    isBase64Encoded: false,
    requestContext: {
      path: asked.path ?? "/v1/watchlists",
      identity: { sourceIp: "192.0.2.1" },
      requestTimeEpoch: asked.receivedAt,
      apiId: "a1b2c3d4e5",
    },
  } as unknown as APIGatewayProxyEvent;
  const endsAt = clock.now().getTime() + (asked.remainingMs ?? 29_000);
  const context = {
    getRemainingTimeInMillis: () => endsAt - clock.now().getTime(),
  } as Context;
  const result = await handler(event, context);
  return { ...result, json: JSON.parse(result.body) as Record<string, unknown> };
}

const lastOf = (values: Record<string, string[]> | undefined): Record<string, string> | null =>
  values === undefined
    ? null
    : Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? ""]));

const headersWith = (extra: Record<string, string>): Record<string, string> => ({
  "content-type": "application/json",
  ...extra,
});

describe("a call of a deprecated operation", () => {
  const path = "/v1/watchlists/wl_1/asins";

  it("gets the deprecation headers", async () => {
    const { statusCode, headers } = await ask({ path, body: null });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      Deprecation: expect.stringMatching(/^@\d+$/),
      Link: expect.stringContaining('rel="deprecation"'),
    });
  });

  it("gets the deprecation headers in an error response", async () => {
    const { statusCode, headers } = await ask({ path, query: { unknown: "1" } });
    expect(statusCode).toBe(400);
    expect(headers).toHaveProperty("Deprecation");
  });

  it("is the only kind of call whose response has the deprecation headers", async () => {
    const { headers } = await ask({ path: "/v1/watchlists/wl_1/items" });
    expect(headers).not.toHaveProperty("Deprecation");
    expect(headers).not.toHaveProperty("Link");
  });
});

describe("the header Strict-Transport-Security", () => {
  const hsts = "Strict-Transport-Security";

  it("is in every response over TLS, including errors", async () => {
    const answers = [
      await ask({}),
      await ask({ body: "{" }),
      await ask({ headers: headersWith({}) }),
      await ask({ path: "/v1/nothing" }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 400, 401, 404]);
    for (const { headers } of answers) expect(headers?.[hsts]).toBe("max-age=31536000");
  });

  it("is not in a response over plain HTTP", async () => {
    const headers = headersWith({ "x-api-key": apiKey, "X-Forwarded-Proto": "http" });
    const answer = await ask({ headers });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers).not.toHaveProperty(hsts);
  });
});

describe("the service's addresses that a handler gets with a call", () => {
  it("are the host that the client called, the custom domain and the gateway's API ID", async () => {
    const headers = headersWith({ "x-api-key": apiKey, Host: "other-host.com" });
    await ask({ headers });
    const own = { hosts: ["other-host.com", "shop-domain.com"], apiId: "a1b2c3d4e5" };
    expect(handled).toEqual([expect.objectContaining({ own })]);
  });
});

describe("the authentication of a call", () => {
  it.each([
    ["Authorization: Bearer", { headers: headersWith({ authorization: `Bearer ${apiKey}` }) }],
    ["X-API-Key", { headers: headersWith({ "x-api-key": apiKey }) }],
    ["api_key in the query", { headers: headersWith({}), query: { api_key: apiKey } }],
    [
      "two places with the same value",
      { headers: headersWith({ "x-api-key": apiKey }), query: { api_key: apiKey } },
    ],
  ])("accepts a key that the call sends (in: %s)", async (_, asked) => {
    expect((await ask(asked)).statusCode).toBe(201);
  });

  it.each([
    ["no key", {}],
    ["a key with a bad checksum", { authorization: `Bearer ${apiKey.slice(0, -1)}_` }],
    ["a scheme other than Bearer", { authorization: `Basic ${apiKey}` }],
  ])("returns 401 to a call with missing or invalid credentials: %s", async (_, headers) => {
    const answer = await ask({ headers: headersWith(headers) });
    expect(answer.statusCode).toBe(401);
    expect(answer.json).toEqual({
      error: {
        code: "UNAUTHORIZED",
        message: expect.any(String),
        docs: "/docs/errors#UNAUTHORIZED",
      },
    });
  });

  it.each([
    ["/v1/watchlists/wl_1/preview", "0"],
    ["/v1/watchlists/wl_1/backtest", undefined],
  ])(
    "returns 401 for the path %s, with a cost header only if the route charges by item",
    async (path, credits) => {
      const { statusCode, headers } = await ask({ path, headers: headersWith({}) });
      expect(statusCode).toBe(401);
      expect(headers?.["X-Service-Credits"]).toBe(credits);
    },
  );

  it("returns 401 to a call with an unknown key", async () => {
    admission = { outcome: "unknown" };
    expect((await ask({})).statusCode).toBe(401);
  });

  it("returns 400 to a call with two different keys", async () => {
    const second = newApiKey(false, systemRandom);
    const answer = await ask({
      headers: headersWith({ authorization: `Bearer ${apiKey}`, "x-api-key": second }),
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json["error"]).toMatchObject({ code: "INVALID_PARAM", param: "api_key" });
  });
});

describe("the group handler checks a call in the documented order and returns", () => {
  const fine: Admission = { outcome: "admitted", owner, rate };
  const demo: Admission = { outcome: "admitted", owner: { ...owner, demo: true }, rate };
  const reader: Admission = { outcome: "admitted", owner: { ...owner, scopes: ["read"] }, rate };
  const limited: Admission = { outcome: "limited", rate, retryAfterSeconds: 1 };
  it.each<{ guarantee: string; found: Admission; body: string; status: number }>([
    {
      guarantee: "403 for a missing scope before 501",
      found: reader,
      body: '{"ids":[],"soon":true}',
      status: 403,
    },
    { guarantee: "401 before 429", found: { outcome: "unknown" }, body: "{", status: 401 },
    { guarantee: "429 before 403", found: limited, body: "{", status: 429 },
    { guarantee: "403 before a malformed body", found: demo, body: "{", status: 403 },
    { guarantee: "403 before 501", found: demo, body: '{"ids":[],"soon":true}', status: 403 },
    {
      guarantee: "501 before 400 for invalid parameters",
      found: fine,
      body: '{"ids":5,"soon":true}',
      status: 501,
    },
    { guarantee: "400 for a malformed body", found: fine, body: "{", status: 400 },
    { guarantee: "400 for invalid parameters", found: fine, body: '{"ids":5}', status: 400 },
    { guarantee: "201 for a valid call", found: fine, body: '{"ids":[]}', status: 201 },
  ])("the result of the first check that applies: $guarantee", async ({ found, body, status }) => {
    admission = found;
    expect((await ask({ body })).statusCode).toBe(status);
    expect(handled).toHaveLength(status === 201 ? 1 : 0);
  });
});

describe("the group handler's 400 response", () => {
  it("asks for the content type of JSON if the call declares another type for its body", async () => {
    const answer = await ask({
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "text/plain" },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json["error"]).toMatchObject({
      param: "body",
      message: expect.stringContaining("Content-Type: application/json"),
    });
  });

  it("names a missing parameter", async () => {
    const answer = await ask({ body: "{}" });
    expect(answer.json["error"]).toMatchObject({ code: "MISSING_PARAM", param: "ids" });
    expect((await ask({ body: null })).json["error"]).toMatchObject({
      code: "MISSING_PARAM",
      param: "ids",
    });
  });

  it("names the index of the invalid element of a list", async () => {
    const answer = await ask({ body: '{"ids":["1",2]}' });
    expect(answer.json["error"]).toMatchObject({ code: "INVALID_PARAM", param: "ids[1]" });
  });

  it.each(["[]", '"text"', "5"])(
    "names 'body' as the invalid parameter if the body is not an object: %s",
    async (body) => {
      expect((await ask({ body })).json["error"]).toMatchObject({
        code: "INVALID_PARAM",
        param: "body",
      });
    },
  );

  it("is returned for the body key '__proto__'", async () => {
    expect((await ask({ body: '{"ids":["1"],"__proto__":{"a":1}}' })).statusCode).toBe(400);
  });
});

describe("the query of a call", () => {
  const read = (asked: Asked) =>
    ask({ method: "GET", path: "/v1/watchlists/schedule", body: null, ...asked });

  it("may contain 'api_key' and each parameter of the operation, each once", async () => {
    const answer = await read({ queryValues: { days: ["7"], state: ["new"], api_key: [apiKey] } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json).toEqual({ days: "7", state: "new" });
  });

  it("gets 400 if it has an unknown parameter, with the nearest name and all accepted names in the error", async () => {
    const answer = await read({ query: { day: "7" } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json["error"]).toMatchObject({
      code: "INVALID_PARAM",
      param: "day",
      message:
        "Unknown query parameter 'day'. Did you mean 'days'? /v1/watchlists/schedule accepts: " +
        "state, days, api_key.",
    });
  });

  it("gets 400 if it has any parameter and the operation accepts none, with or without a body", async () => {
    for (const asked of [{ method: "GET", body: null }, { method: "POST" }]) {
      const answer = await ask({ ...asked, query: { pretty: "1" } });
      expect(answer.statusCode).toBe(400);
      expect(answer.json["error"]).toMatchObject({
        param: "pretty",
        message: "Unknown query parameter 'pretty'. /v1/watchlists accepts: api_key.",
      });
    }
    expect(handled).toEqual([]);
  });

  it.each([
    ["an accepted parameter", { days: ["7", "8"] }, "days"],
    ["an accepted parameter with the same value", { days: ["7", "7", "7"] }, "days"],
    ["the key", { days: ["7"], api_key: [apiKey, apiKey] }, "api_key"],
  ])(
    "gets 400 if it contains a parameter more than once (%s)",
    async (_, queryValues: Record<string, string[]>, param) => {
      const answer = await read({ queryValues });
      expect(answer.statusCode).toBe(400);
      expect(answer.json["error"]).toMatchObject({
        code: "INVALID_PARAM",
        param,
        message: `'${param}' was sent ${queryValues[param]?.length} times. Send it once.`,
      });
    },
  );

  it("gets an error that quotes at most 64 characters of a very long unknown parameter name", async () => {
    const answer = await read({ query: { ["x".repeat(5_000)]: "1" } });
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(500);
  });

  it("gets 400 for an unknown parameter before other errors, except the 501 for an announced feature", async () => {
    const missing = await read({ query: { dayz: "7" } });
    expect(missing.json["error"]).toMatchObject({ param: "dayz" });
    const announced = await read({ query: { days: "soon", stat: "new" } });
    expect(announced.statusCode).toBe(501);
  });
});

describe("the group handler's 413 response", () => {
  it("has the code INVALID_PARAM for a body above the size limit", async () => {
    const answer = await ask({ body: JSON.stringify({ ids: ["x".repeat(limits.bodyBytesMax)] }) });
    expect(answer.statusCode).toBe(413);
    expect(answer.json["error"]).toMatchObject({ code: "INVALID_PARAM", param: "body" });
  });
});

describe("the group handler's 404 response", () => {
  it.each([
    ["an unknown path of the group", { method: "GET", path: "/v1/watchlists/a/b/c" }],
    ["a method that the path does not have", { method: "PUT" }],
    ["a resource that does not exist", { method: "GET", path: "/v1/watchlists/missing" }],
    ["a path that is not UTF-8", { method: "GET", path: "/v1/watchlists/%ff" }],
  ])("has the error format of the service, whatever does not exist (%s)", async (_, asked) => {
    const answer = await ask({ body: null, ...asked });
    expect(answer.statusCode).toBe(404);
    expect(answer.json["error"]).toMatchObject({
      code: "NOT_FOUND",
      docs: "/docs/errors#NOT_FOUND",
    });
  });
});

describe("the group handler's 500 response", () => {
  it("never contains the message of the internal error", async () => {
    const answer = await ask({ method: "GET", path: "/v1/watchlists/broken", body: null });
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain("database");
    expect(answer.json["error"]).toMatchObject({ code: "INTERNAL" });
  });
});

describe("the group handler's 503 response for a failed dependency", () => {
  it("has Retry-After and the rate headers", async () => {
    const answer = await ask({ method: "GET", path: "/v1/watchlists/hanging", body: null });
    expect(answer.statusCode).toBe(503);
    expect(answer.json["error"]).toMatchObject({ code: "UNAVAILABLE" });
    expect(answer.headers).toMatchObject({
      "Retry-After": "1",
      "X-RateLimit-Limit": "50",
      "X-RateLimit-Remaining": "49",
      "X-RateLimit-Reset": expect.stringMatching(/^\d{10}$/),
    });
  });

  it("has the rate headers even if the store of the rate limiter is down", async () => {
    const error = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    admission = { outcome: "unreadable", rate: { ...rate, remaining: 41 }, error };
    const answer = await ask({});
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).toMatchObject({
      "Retry-After": "1",
      "X-RateLimit-Limit": "50",
      "X-RateLimit-Remaining": "41",
    });
    expect(handled).toEqual([]);
  });

  it("is sent when failed requests to the dependency have used up the time that the call may spend on failures", async () => {
    const before = clock.now().getTime();
    await ask({ method: "GET", path: "/v1/watchlists/hanging", body: null });
    expect(clock.now().getTime() - before).toBe(limits.dependencies.callLossMs);
  });

  it("is sent before the gateway times out", async () => {
    const before = clock.now().getTime();
    const asked = { method: "GET", path: "/v1/watchlists/hanging", body: null };
    expect((await ask({ ...asked, remainingMs: 5_000 })).statusCode).toBe(503);
    expect(clock.now().getTime() - before).toBe(5_000 - limits.dependencies.answerSpareMs);
    const receivedAt = clock.now().getTime() - 26_000;
    expect((await ask({ ...asked, receivedAt })).statusCode).toBe(503);
    expect(clock.now().getTime()).toBe(receivedAt + 29_000 - limits.dependencies.answerSpareMs);
  });
});

describe("the headers of every response", () => {
  it("contain a unique request ID and the rate limit", async () => {
    const answers = [await ask({}), await ask({ body: "{" }), await ask({ headers: {} })];
    const ids = answers.map((answer) => answer.headers?.["X-Request-Id"]);
    expect(new Set(ids).size).toBe(3);
    for (const answer of answers) {
      expect(answer.headers).toMatchObject({
        "X-Request-Id": expect.stringMatching(/^req_/),
        "X-RateLimit-Limit": "50",
        "X-RateLimit-Remaining": expect.stringMatching(/^\d+$/),
        "X-RateLimit-Reset": expect.stringMatching(/^\d{10}$/),
        "Content-Type": "application/json",
      });
    }
  });

  it("contain Retry-After on 429", async () => {
    admission = { outcome: "limited", rate: { ...rate, remaining: 0 }, retryAfterSeconds: 3 };
    expect((await ask({})).headers).toMatchObject({
      "Retry-After": "3",
      "X-RateLimit-Remaining": "0",
    });
  });
});

it("a route handler that responds before its deadline returns its response instead of the timeout error", async () => {
  const asked = { method: "GET", path: "/v1/watchlists/slow", body: null, remainingMs: 1 };
  expect((await ask(asked)).statusCode).toBe(200);
});
