import { beforeEach, describe, expect, it } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { type AnyRoute, route } from "../../../functions/http/route.ts";
import { metaRoutes } from "../../../functions/meta/handler.ts";
import type { Admission } from "../../../shared/accounts/account-store.ts";
import { hashApiKey, newApiKey } from "../../../shared/accounts/api-key.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { callEdge, type EdgeAnswer, edgeWith } from "../../support/edge-calls.ts";
import { scopes } from "../../../shared/accounts/scopes.ts";

const key = newApiKey(false, systemRandom);
const rate = { limit: 50, remaining: 7, resetSeconds: 1_772_000_000 };
const owner = {
  accountId: "acct_1",
  keyId: "key_1",
  keyName: "main",
  keyPrefix: "svc_live_abc",
  demo: false,
  scopes,
};
let admission: Admission | Error;
let admitted: string[];
beforeEach(() => {
  admission = { outcome: "admitted", owner, rate };
  admitted = [];
});

const edge = edgeWith(async (keyHash) => {
  admitted.push(keyHash);
  if (admission instanceof Error) throw admission;
  return admission;
});
const done: AnyRoute<unknown> = route({ handle: async () => ({ status: 200, body: {} }) });
const keyed = groupHandler({
  group: "events",
  routes: {
    "GET /v1/events": done,
    "GET /v1/events/{id}": done,
    "POST /v1/events/{id}/send": done,
  },
  dependencies: edge,
});
const documents = groupHandler({
  group: "meta",
  routes: metaRoutes,
  dependencies: { ...edge, database: async () => ({ outcome: "ok" as const }) },
});
const files = groupHandler({
  group: "dashboard",
  routes: { "GET /dashboard": done, "GET /dashboard/{file}": done },
  dependencies: edge,
});

const limitHeaders = { "X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "7" };
const errorOf = (answer: EdgeAnswer): Record<string, unknown> =>
  (JSON.parse(answer.bytes.toString()) as { error: Record<string, unknown> }).error;

describe("a call that needs an API key gets 401 with the reason for", () => {
  const bearer = `Bearer ${key}`;
  it.each([
    ["no key", {}, "The request has no API key."],
    ["an empty header", { "X-API-Key": " " }, "The request has no API key."],
    [
      "a scheme other than Bearer",
      { Authorization: `Basic ${key}` },
      "does not use the scheme 'Bearer'",
    ],
    ["a key without a scheme", { Authorization: key }, "lacks the word 'Bearer' before the key"],
    ["a scheme without a key", { Authorization: "Bearer " }, "has no key after 'Bearer'."],
    ["the scheme in X-API-Key", { "X-API-Key": bearer }, "begins with the word 'Bearer'"],
    ["the scheme twice", { Authorization: `Bearer ${bearer}` }, "begins with the word 'Bearer'"],
    ["a key in quotation marks", { Authorization: `Bearer "${key}"` }, "is in quotes or brackets"],
    ["a placeholder", { "X-API-Key": "<API_KEY>" }, "is in quotes or brackets"],
    ["the key of another service", { "X-API-Key": "sk_live_1" }, "must begin with svc_live_"],
    ["half a key", { "X-API-Key": key.slice(0, 30) }, "must have 47 characters (got 30)"],
    [
      "a mistyped key",
      { "X-API-Key": `${key.slice(0, -1)}_` },
      "The checksum of the key does not match",
    ],
  ])("missing or invalid credentials: %s", async (_, headers: Record<string, string>, reason) => {
    const answer = await callEdge(keyed, { route: "GET /v1/events", headers });
    expect(answer.status).toBe(401);
    expect(errorOf(answer)).toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining(reason),
    });
    expect(errorOf(answer)["message"]).toContain("'Authorization: Bearer <API_KEY>'");
    expect(answer.bytes.toString()).not.toContain(key.slice(9, 29));
    expect(admitted).toEqual([]);
  });

  it("an unknown API key", async () => {
    admission = { outcome: "unknown" };
    const answer = await callEdge(keyed, {
      route: "GET /v1/events",
      headers: { "X-API-Key": key },
    });
    expect(answer.status).toBe(401);
    expect(errorOf(answer)["message"]).toMatch(/^The API key is unknown or revoked/);
  });
});

const publicPaths = [
  "GET /v1/openapi.json",
  "GET /docs",
  "OPTIONS /docs/errors",
  "GET /v1/nothing",
  "GET /v1/jobs/1",
  "POST /docs",
];

describe("a call to a public, retired or unknown path", () => {
  it.each(publicPaths)(
    "counts towards the rate limit of its API key, and gets the rate headers (call: %s)",
    async (called) => {
      const answer = await callEdge(documents, { route: called, headers: { "X-API-Key": key } });
      expect(admitted).toEqual([hashApiKey(key)]);
      expect(answer.headers).toMatchObject(limitHeaders);
      expect(answer.status).not.toBe(401);
    },
  );

  it.each(publicPaths)(
    "gets 429 when it exceeds the rate limit of its API key (call: %s)",
    async (called) => {
      admission = { outcome: "limited", rate: { ...rate, remaining: 0 }, retryAfterSeconds: 1 };
      const answer = await callEdge(documents, { route: called, headers: { "X-API-Key": key } });
      expect(answer).toMatchObject({
        status: 429,
        headers: {
          "X-RateLimit-Remaining": "0",
          "Retry-After": "1",
          "Access-Control-Allow-Origin": "*",
        },
      });
    },
  );

  it("gets its usual response even if its API key is unknown", async () => {
    admission = { outcome: "unknown" };
    const answer = await callEdge(documents, {
      route: "GET /docs",
      headers: { "X-API-Key": key },
      address: "192.0.2.7",
    });
    expect(answer).toMatchObject({ status: 200, headers: { "X-RateLimit-Remaining": "49" } });
  });

  it("gets 500 if an internal error prevents the service from counting the call for its API key", async () => {
    admission = new Error("not permitted");
    const headers = { "X-API-Key": key };
    const answer = await callEdge(documents, { route: "GET /docs", headers });
    expect(answer.status).toBe(500);
  });

  it("gets the public document, counted by the process's own rate limiter, while the key store cannot be read", async () => {
    admission = { outcome: "unreadable", rate, error: new Error("the store is down") };
    const headers = { "X-API-Key": key };
    const answer = await callEdge(documents, { route: "GET /docs", headers });
    expect(answer).toMatchObject({ status: 200, headers: limitHeaders });
  });

  it.each([
    ["malformed", { "X-API-Key": `Bearer ${key}` }],
    [
      "one of two different keys",
      { "X-API-Key": key, Authorization: `Bearer ${newApiKey(false, systemRandom)}` },
    ],
    ["absent", {}],
  ])(
    "causes no look-up in the key store if its API key is %s",
    async (_, headers: Record<string, string>) => {
      const call = { route: "GET /docs", headers, address: "192.0.2.8" };
      expect((await callEdge(documents, call)).status).toBe(200);
      expect(admitted).toEqual([]);
    },
  );
});

describe("the dashboard's files", () => {
  it("are served without a look-up of the API key that a call sends", async () => {
    const answer = await callEdge(files, {
      route: "GET /dashboard",
      headers: { "X-API-Key": key },
    });
    expect(answer).toMatchObject({ status: 200, headers: { "X-RateLimit-Remaining": "49" } });
    expect(admitted).toEqual([]);
  });
});
