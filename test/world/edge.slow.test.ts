import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasEffects, isItemCall, isPublic, type RouteKey, routes } from "../../functions/routes.ts";
import { startTestWorld, type World } from "../support/local-world.ts";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { hashApiKey } from "../../shared/accounts/api-key.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { toStoredMs } from "../../shared/aws/accounts/key-row.ts";
import { accountKeys } from "../../shared/aws/table/table.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";

let world: World;
/** A key of the demo workspace that is always over its rate limit. */
let limitedKey: string;

beforeAll(async () => {
  world = await startTestWorld();
  limitedKey = await keyOverItsRate();
});
afterAll(() => world.stop());

async function keyOverItsRate(): Promise<string> {
  const { ACCOUNTS_TABLE: accountsTable = "" } = world.environmentOf("products");
  const client = documentClient();
  const accounts = dynamoAccountStore(client, { accounts: accountsTable });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const account = await createAccount(
    { name: "Limited", email: "l@example.com", demo: true },
    deps,
  );
  const { key } = await createApiKey({ account, name: "limited" }, deps);
  await client.send(
    new UpdateCommand({
      TableName: accountsTable,
      Key: accountKeys.keyHash(hashApiKey(key)),
      UpdateExpression: "SET admitted_ms = :tomorrow",
      ExpressionAttributeValues: {
        ":tomorrow": Array<number>(50).fill(toStoredMs(Date.now() + 86_400_000)),
      },
    }),
  );
  return key;
}

interface Sent {
  /** The API key; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer<ArrayBuffer> | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly error: Readonly<Record<string, unknown>>;
}

/** Makes a call, and repeats it while the test's own key exceeds its rate. */
async function call(route: string, sent: Sent = {}): Promise<Answer> {
  const response = await callOnce(route, sent);
  const text = await response.text();
  if (response.status === 429 && sent.key !== limitedKey) {
    await delay(Number(response.headers.get("retry-after")) * 1_000);
    return call(route, sent);
  }
  const { error = {} } = text.startsWith("{") ? (JSON.parse(text) as Partial<Answer>) : {};
  return { status: response.status, headers: response.headers, text, error };
}

async function callOnce(
  route: string,
  { key = world.apiKey, headers = {}, body }: Sent,
): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  return fetch(`${world.baseUrl}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      "Content-Type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

const exampleOf: Readonly<Record<string, string>> = {
  "{id}": "0",
  "{item_id}": "0",
  "{file}": "config.json",
  "{platform}": "retailer_a",
  "{kind}": "search",
};
const called = (route: string): string =>
  route.replaceAll(/\{\w+\}/g, (name) => exampleOf[name] ?? name);

const all = (Object.keys(routes) as RouteKey[]).filter((route) => !route.startsWith("ANY "));
const methodsOf = (path: string): string[] =>
  all.filter((route) => route.endsWith(` ${path}`)).map((route) => route.split(" ")[0] ?? "");
/**
 * All paths except `/mcp`. For a method that a path does not support, the API returns 404, but the
 * Model Context Protocol requires 405.
 */
const paths = [...new Set(all.map((route) => route.split(" ")[1] ?? ""))].filter(
  (path) => path !== "/mcp",
);
const keyed = all.filter((route) => !isPublic(route));
const writes = all.filter(hasEffects);
const gets = all.filter((route) => route.startsWith("GET "));
const documents = gets.filter((route) => ["meta", "platforms"].includes(routes[route].group));
/** Documents whose content changes only with a deployment, and whose paths have no parameter. */
const cached = documents.filter(
  (route) => !route.includes("{") && route !== "GET /" && route !== "GET /v1/health",
);

describe("a request with a method that its path does not support", () => {
  const every = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  it.each(paths)("returns 404 and the supported methods for the path %s", async (path) => {
    const own = methodsOf(path);
    if (own.includes("GET")) own.push("HEAD");
    if (documents.includes(`GET ${path}` as RouteKey)) own.push("OPTIONS");
    const allow = every.filter((method) => own.includes(method));
    for (const method of every.filter((one) => !own.includes(one))) {
      const answer = await call(`${method} ${called(path)}`, {
        body: method === "GET" || method === "HEAD" ? undefined : "{",
      });
      expect(answer.status, `${method} ${path}`).toBe(404);
      expect(answer.headers.get("allow")).toBe(allow.join(", "));
      if (method === "HEAD") continue;
      expect(answer.error).toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringContaining(`${path} does not support ${method}. Use ${allow[0]}`),
      });
    }
  });

  it("at the path /v1/watchlists/estimate is not treated as a request for a watchlist with the ID 'estimate'", async () => {
    const answer = await call("DELETE /v1/watchlists/estimate");
    expect(answer.headers.get("allow")).toBe("POST");
    expect(answer.error["message"]).toContain("Use POST.");
  });
});

describe("a HEAD request", () => {
  const changing = new Set([
    "date",
    "x-request-id",
    "x-amzn-requestid",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
  ]);
  const fixed = ({ headers }: Answer): unknown =>
    Object.fromEntries([...headers].filter(([name]) => !changing.has(name)));

  it.each(gets)(
    "for the operation %s returns the status and headers of GET, and no body",
    async (route) => {
      const charges = hasEffects(route);
      const path = called(route.slice(4));
      const [head, get] = [await call(`HEAD ${path}`), await call(`GET ${path}`)];
      expect(head.status).toBe(get.status);
      expect(head.text).toBe("");
      expect(head.headers.get("x-ratelimit-limit")).toBe("50");
      if (!charges) expect(fixed(head)).toEqual(fixed(get));
    },
  );

  it("for the offers of an item reads no source and charges no credits", async () => {
    const path = "/v1/products/B0SANDBOX0/offers";
    const balance = async (): Promise<unknown> =>
      (JSON.parse((await call("GET /v1/account")).text) as Record<string, unknown>)[
        "credit_balance"
      ];
    const before = await balance();
    const head = await call(`HEAD ${path}`);
    expect(head.status).toBe(200);
    expect(head.headers.get("x-service-credits")).toBe("0");
    expect(head.headers.get("x-service-balance")).toBe(String(before));
    expect(await balance()).toBe(before);
    expect((await call(`HEAD ${path}?platform=retailer_d`)).status).toBe(501);
    expect((await call("HEAD /v1/products/B0/offers")).status).toBe(400);
    expect((await call(`HEAD ${path}`, { key: world.demoApiKey })).status).toBe(403);
  });
});

describe("the API checks a call in a fixed order and returns", () => {
  /** Returns a call that has every error that is checked after the key. */
  const wrong = (route: string): readonly [string, Sent] => [
    `${called(route)}?unknown=1`,
    route.startsWith("GET ") || route.startsWith("DELETE ") ? {} : { body: "{" },
  ];

  it.each(keyed)(
    "401 without a key, even if the call has other errors (the operation %s)",
    async (route) => {
      const [asked, sent] = wrong(route);
      const answer = await call(asked, { ...sent, key: null });
      expect(answer.status).toBe(401);
    },
  );

  it.each(all)(
    "429 for a key above its rate limit, even if the call has other errors (the operation %s)",
    async (route) => {
      const [asked, sent] = wrong(route);
      const answer = await call(asked, { ...sent, key: limitedKey });
      // The dashboard's files are sent without a check of the key.
      expect(answer.status).toBe(routes[route].group === "dashboard" ? 200 : 429);
    },
  );

  it.each(writes)(
    "403 for a key of the demo workspace, regardless of the body (the operation %s)",
    async (route) => {
      const [asked, sent] = wrong(route);
      const itemCall = isItemCall(route);
      for (const body of [
        sent.body,
        route.startsWith("GET") ? undefined : '{"platform":"retailer_e"}',
      ]) {
        const answer = await call(asked, {
          ...(body === undefined ? {} : { body }),
          key: world.demoApiKey,
        });
        expect(answer.status).toBe(403);
        expect(answer.error["code"]).toBe("DEMO_READ_ONLY");
        expect(answer.headers.get("x-service-credits")).toBe(itemCall ? "0" : null);
      }
    },
  );

  const wrongInBody = { tier: 7, ids: "?", offers: "?", name: 7, items: "?", every: 7 };
  it.each([
    ["POST /v1/products", { platform: "retailer_e" }],
    ["POST /v1/products", { platform: "retailer_d", marketplace: "ca" }],
    ["POST /v1/products", { marketplace: "uk" }],
    ["POST /v1/offers", { platform: "retailer_b", marketplace: "zz" }],
    ["POST /v1/offers", { marketplace: "de" }],
    ["POST /v1/offers/check", { platform: "retailer_g" }],
    ["POST /v1/watchlists", { platform: "retailer_f" }],
    ["POST /v1/watchlists", { marketplace: "jp" }],
    ["POST /v1/watchlists/estimate", { platform: "retailer_e" }],
  ])(
    "501 for an announced platform, marketplace or endpoint, even if the call has other errors (the operation %s, the body %j)",
    async (route, shop) => {
      const answer = await call(`${route}?unknown=1`, {
        body: JSON.stringify({ ...wrongInBody, ...shop }),
      });
      expect(answer.status, answer.text).toBe(501);
      expect(JSON.parse(answer.text)).toMatchObject({ coming_soon: true });
      expect(answer.headers.get("x-service-credits")).toBe(
        /products|offers/.test(route) ? "0" : null,
      );
    },
  );

  it.each([
    "GET /v1/products/?/offers?platform=retailer_e&condition=mint&unknown=1",
    "GET /v1/products/%3F/offers?marketplace=uk&condition=mint",
    "GET /v1/watchlists/scrapers?platform=retailer_e&unknown=1",
    "GET /v1/watchlists/scrapers?marketplace=uk&unknown=1",
    "GET /v1/structured/retailer_a/search?unknown=1",
    "POST /v1/structured/retailer_a/search",
  ])(
    "501 for an announced platform, marketplace or endpoint, even if the call has other errors (the call %s)",
    async (route) => {
      const asked = route.replace("/?/", "/%3F/");
      const answer = await call(asked, asked.startsWith("POST") ? { body: "{" } : {});
      expect(answer.status, answer.text).toBe(501);
    },
  );

  // `/mcp` returns errors of JSON-RPC. The tests of `functions/mcp` check them.
  it.each(keyed.filter((route) => /^(POST|PUT|PATCH) \/v1\/(?!structured)/.test(route)))(
    "400 for a malformed body, even if the resource does not exist (the operation %s)",
    async (route) => {
      const answer = await call(called(route), { body: "{" });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.error).toMatchObject({ code: "INVALID_PARAM", param: "body" });
    },
  );
});

describe("a request body behind the API gateway", () => {
  const route = "POST /v1/watchlists/estimate";
  const body = JSON.stringify({ platform: "retailer_d", items: 10 });

  it.each([
    ["plain", Buffer.from(body), {}],
    ["after a byte order mark", Buffer.from(`\uFEFF${body}`), {}],
    ["compressed with gzip", gzipSync(body), { "Content-Encoding": "gzip" }],
  ])(
    "is accepted in each accepted encoding (it is %s)",
    async (_, sent, headers: Record<string, string>) => {
      const answer = await call(route, { body: sent, headers });
      expect(answer.status, answer.text).toBe(200);
    },
  );

  const rows = [
    ["invalid UTF-8", Buffer.from(`{"name":"K\xe4se"}`, "latin1"), {}, "not valid UTF-8"],
    ["UTF-16", Buffer.from(body, "utf16le"), {}, "The body must be UTF-8 (got UTF-16)"],
    [
      "another charset",
      Buffer.from(body),
      { "Content-Type": "application/json; charset=latin1" },
      '"latin1"',
    ],
    ["brotli", Buffer.from(body), { "Content-Encoding": "br" }, "br, deflate, zstd"],
    ["damaged gzip", gzipSync(body).subarray(0, 20), { "Content-Encoding": "gzip" }, "gzip"],
  ] as const;
  const cases = rows.map(([name, sent, headers, reason]) => ({ name, sent, headers, reason }));

  it.each(cases)(
    "causes a 400 with the reason for an invalid body: $name",
    async ({ sent, headers, reason }) => {
      const answer = await call(route, { body: sent, headers });
      expect(answer.status).toBe(400);
      expect(answer.error).toMatchObject({
        code: "INVALID_PARAM",
        param: "body",
        message: expect.stringContaining(reason),
      });
    },
  );

  it("causes a 413 when it decompresses to more than the service accepts", async () => {
    for (const megabytes of [3, 30]) {
      const bomb = gzipSync(`{"name":"${"x".repeat(megabytes * 1024 * 1024)}"}`);
      const answer = await call(route, { body: bomb, headers: { "Content-Encoding": "gzip" } });
      expect(answer.status).toBe(413);
      expect(answer.error).toMatchObject({ code: "INVALID_PARAM", param: "body" });
    }
  });
});

describe("a response behind the API gateway", () => {
  it.each(cached)(
    "to the public operation %s is compressed, has an ETag, and may be read by pages of any origin",
    async (route) => {
      const first = await call(route, { key: null, headers: { "Accept-Encoding": "gzip" } });
      expect(first.status).toBe(200);
      expect(Object.fromEntries(first.headers)).toMatchObject({
        "content-encoding": "gzip",
        vary: "Accept-Encoding",
        etag: expect.stringMatching(/^W\/"/),
        "cache-control": expect.stringMatching(/^public, max-age=\d+$/),
        "access-control-allow-origin": "*",
      });
      const etag = first.headers.get("etag") ?? "";
      const again = await call(route, { key: null, headers: { "If-None-Match": etag } });
      expect([again.status, again.text]).toEqual([304, ""]);
      const plain = await call(route, { key: null, headers: { "Accept-Encoding": "identity" } });
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(plain.text).toBe(first.text);
      const preflight = await call(route.replace("GET", "OPTIONS"), { key: null });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, HEAD");
    },
  );

  it("to a call that needs a key is compressed, and may not be read by pages of other origins", async () => {
    for (const route of ["GET /v1/structured", "GET /v1/watchlists/scrapers"]) {
      const answer = await call(route, { headers: { "Accept-Encoding": "gzip" } });
      expect(answer.headers.get("content-encoding"), route).toBe("gzip");
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect(JSON.parse(answer.text)).toHaveProperty("object");
    }
  });
});
