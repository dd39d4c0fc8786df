import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../support/local-world.ts";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { expectDocumented } from "../support/openapi.ts";

let world: World;
let strangerKey: string;

beforeAll(async () => {
  world = await startTestWorld();
  strangerKey = await keyOfAnotherAccount();
});
afterAll(() => world.stop());

async function keyOfAnotherAccount(): Promise<string> {
  const tables = world.environmentOf("products");
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: tables["ACCOUNTS_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const account = await createAccount({ name: "Stranger", email: "s@example.com" }, deps);
  return (await createApiKey({ account, name: "stranger" }, deps)).key;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

/** Makes a call, and repeats it after `Retry-After` while the key exceeds its rate. */
async function call(
  route: string,
  {
    body,
    key = world.apiKey,
    type = "application/json",
  }: { body?: unknown; key?: string; type?: string } = {},
): Promise<Answer> {
  const [method = "GET", path = "/"] = route.split(" ");
  const response = await fetch(`${world.baseUrl}${path}`, {
    method,
    headers: { ...(key === "" ? {} : { Authorization: `Bearer ${key}` }), "Content-Type": type },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (text.includes("RATE_LIMITED")) {
    await delay(Number(response.headers.get("retry-after")) * 1_000);
    return call(route, { body, key, type });
  }
  expectDocumented(route, response.status, JSON.parse(text));
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

const balance = async (): Promise<unknown> =>
  (await call("GET /v1/account")).body["credit_balance"];
const list = { name: "List", platform: "retailer_d", ids: ["9000000"], every: "1h" };
const sku = { platform: "retailer_d", ids: ["9000000"] };
const destination = {
  bucket: "customer-exports",
  region: "us-east-1",
  auth: "access_key",
  access_key_id: "customer",
  secret_access_key: "customer-secret",
};

describe("a call with invalid input gets the error body of the specification and is not charged:", () => {
  const oneOverLimit = Array.from({ length: 1_001 }, (_, n) => String(100_000 + n));
  const tooManyItems = Array.from({ length: 50_001 }, (_, n) => String(1_000_000 + n));
  const rows = [
    ["POST /v1/products", "{", 400, "INVALID_PARAM", "body"],
    ["POST /v1/products", "null", 400, "INVALID_PARAM", "body"],
    ["POST /v1/products", [], 400, "INVALID_PARAM", "body"],
    ["POST /v1/products", { platform: "retailer_d" }, 400, "MISSING_PARAM", "ids"],
    ["POST /v1/products", { ...sku, ids: [] }, 400, "INVALID_PARAM", "ids"],
    ["POST /v1/products", { ...sku, ids: "9000000" }, 400, "INVALID_PARAM", "ids"],
    ["POST /v1/products", { ...sku, ids: ["9000000", "12"] }, 400, "INVALID_PARAM", "ids[1]"],
    ["POST /v1/products", { ...sku, ids: ["9000000", 12] }, 400, "INVALID_PARAM", "ids[1]"],
    ["POST /v1/products", { ...sku, ids: oneOverLimit }, 400, "INVALID_PARAM", "ids"],
    ["POST /v1/products", { ...sku, platform: "nowhere" }, 400, "INVALID_PARAM", "platform"],
    ["POST /v1/products", { ...sku, marketplace: "zz" }, 400, "INVALID_PARAM", "marketplace"],
    ["POST /v1/products", { ...sku, tier: "gold" }, 400, "INVALID_PARAM", "tier"],
    ["POST /v1/products", { ...sku, platform: "retailer_e" }, 501, "NOT_IMPLEMENTED", undefined],
    ["POST /v1/products", { ...sku, marketplace: "ca" }, 501, "NOT_IMPLEMENTED", undefined],
    ["POST /v1/watchlists", {}, 400, "MISSING_PARAM", "name"],
    ["POST /v1/watchlists", { ...list, name: " " }, 400, "INVALID_PARAM", "name"],
    ["POST /v1/watchlists", { ...list, name: "x".repeat(101) }, 400, "INVALID_PARAM", "name"],
    ["POST /v1/watchlists", { ...list, ids: [] }, 400, "INVALID_PARAM", "ids"],
    ["POST /v1/watchlists", { ...list, ids: ["1"] }, 400, "INVALID_PARAM", "ids[0]"],
    ["POST /v1/watchlists", { ...list, ids: tooManyItems }, 400, "INVALID_PARAM", "ids"],
    ["POST /v1/watchlists", { ...list, ids: undefined }, 400, "MISSING_PARAM", "ids"],
    ["POST /v1/watchlists", { ...list, asins: ["B000000000"] }, 400, "INVALID_PARAM", "asins"],
    ["POST /v1/watchlists", { ...list, every: undefined }, 400, "MISSING_PARAM", "every"],
    ["POST /v1/watchlists", { ...list, every: "4m" }, 400, "INVALID_PARAM", "every"],
    ["POST /v1/watchlists", { ...list, every: "8d" }, 400, "INVALID_PARAM", "every"],
    ["POST /v1/watchlists", { ...list, cron: "0 * * * *" }, 400, "INVALID_PARAM", "cron"],
    ["POST /v1/watchlists", { ...list, timezone: "UTC" }, 400, "INVALID_PARAM", "timezone"],
    [
      "POST /v1/watchlists",
      { ...list, webhook_url: "https://a.example.com/" },
      400,
      "INVALID_PARAM",
      "webhook_url",
    ],
    [
      "POST /v1/watchlists",
      { ...list, webhook_endpoint_id: "we_x" },
      400,
      "INVALID_PARAM",
      "webhook_endpoint_id",
    ],
    [
      "POST /v1/watchlists",
      { ...list, refresh_every_runs: 1_001 },
      400,
      "INVALID_PARAM",
      "refresh_every_runs",
    ],
    ["GET /v1/watchlists?limit=0", undefined, 400, "INVALID_PARAM", "limit"],
    ["GET /v1/watchlists?limit=101", undefined, 400, "INVALID_PARAM", "limit"],
    ["GET /v1/watchlists/wl_nothing", undefined, 404, "NOT_FOUND", undefined],
    ["POST /v1/webhook_endpoints", {}, 400, "MISSING_PARAM", "url"],
    ["POST /v1/webhook_endpoints", { url: "http://10.0.0.1/" }, 400, "INVALID_PARAM", "url"],
    ["POST /v1/webhook_endpoints", { url: "https://a.internal/" }, 400, "INVALID_PARAM", "url"],
    ["POST /v1/webhook_endpoints", { url: "https://127.0.0.1:22/" }, 400, "INVALID_PARAM", "url"],
    ["GET /v1/webhook_endpoints/we_nothing", undefined, 404, "NOT_FOUND", undefined],
    [`GET /v1/webhook_endpoints/${"a".repeat(1_100)}`, undefined, 404, "NOT_FOUND", undefined],
    ["POST /v1/scrape", "{", 410, "GONE", undefined],
    ["PUT /v1/s3_destination", {}, 400, "MISSING_PARAM", undefined],
    [
      "PUT /v1/s3_destination",
      { ...destination, endpoint: "http://169.254.169.254/" },
      400,
      "INVALID_PARAM",
      "endpoint",
    ],
    ["GET /v1/nothing", undefined, 404, "NOT_FOUND", undefined],
    ["DELETE /v1/products", undefined, 404, "NOT_FOUND", undefined],
    ["POST /v1/scrape", {}, 410, "GONE", undefined],
    ["GET /v1/jobs/17", undefined, 410, "GONE", undefined],
  ] as const;
  const cases = rows.map(([route, body, status, code, param]) => ({
    name: `${route} ${(JSON.stringify(body) ?? "").slice(0, 60)}`,
    route,
    body,
    status,
    code,
    param,
  }));

  it.each(cases)(
    "the call $name gets the status $status, the code $code and the parameter $param",
    async ({ route, body, status, code, param }) => {
      const before = await balance();
      const answer = await call(route, { body });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.body["error"]).toMatchObject({
        code,
        message: expect.stringMatching(/\S/),
        docs: `/docs/errors#${code}`,
        ...(param === undefined ? {} : { param }),
      });
      expect(answer.body["coming_soon"]).toBe(status === 501 ? true : undefined);
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
      expect(await balance()).toBe(before);
    },
  );
});

describe("the access rules of the API", () => {
  it.each(["GET /v1/account", "POST /v1/products", "GET /v1/watchlists", "PUT /v1/s3_destination"])(
    "return 401 to a call of the operation %s without a key",
    async (route) => {
      const answer = await call(route, { key: "" });
      expect(answer.status).toBe(401);
      expect(answer.body["error"]).toMatchObject({ code: "UNAUTHORIZED" });
    },
  );

  it.each([
    ["POST /v1/products", sku],
    ["POST /v1/watchlists", list],
    ["POST /v1/webhook_endpoints", { url: "https://receiver.example.com/" }],
    ["PUT /v1/s3_destination", destination],
  ])("return 403 to the demo workspace for the operation %s", async (route, body) => {
    const answer = await call(route, { body, key: world.demoApiKey });
    expect(answer.status, answer.text).toBe(403);
    expect(answer.body["error"]).toMatchObject({ code: "DEMO_READ_ONLY" });
  });

  it("allow the demo workspace to read", async () => {
    expect((await call("GET /v1/watchlists", { key: world.demoApiKey })).status).toBe(200);
  });
});

describe("POST /v1/products checks a call in a fixed order and returns", () => {
  const malformed = "{";
  const badId = { platform: "retailer_a", tier: "lite", marketplace: "uk", ids: ["?"] };
  const announced = { ...badId, ids: ["B0SANDBOX0"] };
  const right = { ...announced, marketplace: "us" };
  it.each([
    { guarantee: "401 before the body is read", who: "no key", body: malformed, status: 401 },
    { guarantee: "403 before a malformed body", who: "demo", body: malformed, status: 403 },
    { guarantee: "403 before 501", who: "demo", body: announced, status: 403 },
    { guarantee: "403 before the reservation", who: "demo", body: right, status: 403 },
    { guarantee: "400 for a malformed body", who: "customer", body: malformed, status: 400 },
    { guarantee: "501 before 400 for an invalid ID", who: "customer", body: badId, status: 501 },
    { guarantee: "200 for a valid call", who: "customer", body: right, status: 200 },
  ])("the result of the first check that applies: $guarantee", async ({ who, body, status }) => {
    const keys: Record<string, string> = { "no key": "", demo: world.demoApiKey };
    const answer = await call("POST /v1/products", { body, key: keys[who] ?? world.apiKey });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers.get("x-service-credits")).toBe(status === 200 ? "1" : "0");
    const left = status === 401 ? null : expect.stringMatching(/^\d+$/);
    expect(answer.headers.get("x-service-balance")).toEqual(left);
  });
});

describe("the limits of credits and concurrency", () => {
  it("refuse a call that the balance does not cover, and return the balance", async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => String(2_000_000 + n));
    for (let calls = 0; calls < 5; calls += 1) {
      await call("POST /v1/products", { body: { ...sku, ids }, key: strangerKey });
    }
    const answer = await call("POST /v1/products", { body: { ...sku, ids }, key: strangerKey });
    expect(answer.status).toBe(402);
    expect(answer.body["error"]).toMatchObject({ code: "INSUFFICIENT_CREDITS" });
    expect(answer.headers.get("x-service-credits")).toBe("0");
    const account = await call("GET /v1/account", { key: strangerKey });
    expect(answer.headers.get("x-service-balance")).toBe(String(account.body["credit_balance"]));
  });

  it("refuse a sixth concurrent call, and every slot is free after the calls", async () => {
    const slow = { ...sku, ids: ["9000008"] };
    const callTwelve = () =>
      Promise.all(Array.from({ length: 12 }, () => call("POST /v1/products", { body: slow })));
    let answers: Awaited<ReturnType<typeof callTwelve>> = [];
    // On a busy machine, a call can start after another one has ended, and then gets 200 too. Such
    // a round is repeated. With another limit, no round has exactly five responses 200.
    await expect
      .poll(
        async () => {
          answers = await callTwelve();
          return answers.map((answer) => answer.status).sort((a, b) => a - b);
        },
        { timeout: 400_000 },
      )
      .toEqual([...Array<number>(5).fill(200), ...Array<number>(7).fill(429)]);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.body["error"]).toMatchObject({ code: "CONCURRENCY_LIMIT" });
    expect(refused?.headers.get("retry-after")).toBe("1");
    const account = (await call("GET /v1/account")).body;
    expect(account["concurrency"]).toMatchObject({ limit: 5, in_flight: 0 });
  });
});

describe("a resource of another account", () => {
  it("gets the same error body, apart from the ID, as a resource that does not exist", async () => {
    const created = await call("POST /v1/watchlists", { body: list });
    const endpoint = await call("POST /v1/webhook_endpoints", {
      body: { url: `${world.receiverUrl}/mine` },
    });
    const missing = "0".repeat(24);
    const watchlistId = String(created.body["id"]);
    const pairs = [
      ["GET /v1/watchlists/{id}", watchlistId, `wl_${missing}`],
      ["POST /v1/watchlists/{id}/run", watchlistId, `wl_${missing}`],
      ["GET /v1/watchlists/{id}/runs", watchlistId, `wl_${missing}`],
      ["GET /v1/watchlists/{id}/items", watchlistId, `wl_${missing}`],
      ["GET /v1/webhook_endpoints/{id}", String(endpoint.body["id"]), `we_${missing}`],
    ] as const;
    for (const [operation, foreign, unknown] of pairs) {
      const [theirs, nobodys] = [
        await call(operation.replace("{id}", foreign), { key: strangerKey }),
        await call(operation.replace("{id}", unknown), { key: strangerKey }),
      ];
      expect(theirs.status).toBe(404);
      expect(theirs.text).toContain(foreign);
      expect(theirs.text).toBe(nobodys.text.replace(unknown, foreign));
    }
  });
});
