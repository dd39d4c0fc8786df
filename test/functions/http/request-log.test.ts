import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { itemReply } from "../../../functions/http/item-reply.ts";
import { route } from "../../../functions/http/route.ts";
import type { Admission } from "../../../shared/accounts/account-store.ts";
import { newApiKey } from "../../../shared/accounts/api-key.ts";
import {
  invalidParam,
  notFound,
  notImplemented,
  unavailable,
} from "../../../shared/base/errors.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { fixedClock } from "../../support/clock.ts";
import { type Line, loggedLines, metricsOf } from "../../support/log-lines.ts";
import { scopes } from "../../../shared/accounts/scopes.ts";

afterEach(() => vi.restoreAllMocks());

const apiKey = newApiKey(false, systemRandom);
const clock = fixedClock("2026-03-01T00:00:00Z");
const owner = {
  accountId: "acct_1",
  keyId: "key_1",
  keyName: "",
  keyPrefix: "",
  demo: false,
  scopes,
};

const rate = { limit: 50, remaining: 49, resetSeconds: 1 };

interface Asked {
  readonly countedHere?: boolean;
  /**
   * The result of the rate limiter for the call.
   * @default admitted
   */
  readonly admission?: Admission;
  readonly path?: string;
  /**
   * The API key of the call.
   * @default the key of the account
   */
  readonly key?: string;
}

/** Makes one call of the route group `offers`. Returns the lines that the call logs. */
async function logged(
  outcome: () => Promise<unknown>,
  { countedHere = false, admission, ...asked }: Asked = {},
): Promise<readonly Line[]> {
  const { logger, lines } = loggedLines("offers");
  const read = route({
    body: v.object({ ids: v.array(v.string()) }),
    query: v.object({ other: v.string() }),
    async handle() {
      logger.warn("under way");
      clock.advance(250);
      await outcome();
      const stats = { requested: 4, ok: 2, partial: 1, notFound: 1, unavailable: 0 };
      const found = { body: { stats }, credits: 3, balance: 90, reserved: 8 };
      return itemReply("retailer_a.offers", found);
    },
  });
  const handler = groupHandler({
    group: "offers",
    routes: { "POST /v1/offers": read, "POST /v1/offers/check": read },
    dependencies: {
      accounts: {
        admit: async () =>
          admission ?? {
            outcome: "admitted",
            owner,
            rate,
            ...(countedHere && { countedHere }),
          },
      },
      clock,
      random: systemRandom,
      logger,
    },
  });
  const event = {
    httpMethod: "POST",
    path: asked.path ?? "/v1/offers",
    headers: { Host: "api.test", "Content-Type": "application/json" },
    multiValueHeaders: {},
    queryStringParameters: { api_key: asked.key ?? apiKey, other: "canary-of-a-query" },
    multiValueQueryStringParameters: {
      api_key: [asked.key ?? apiKey],
      other: ["canary-of-a-query"],
    },
    pathParameters: null,
    body: JSON.stringify({ ids: ["canary-of-a-body"] }),
    isBase64Encoded: false,
    requestContext: { path: "/v1/offers", identity: { sourceIp: "192.0.2.1" } },
  } as unknown as APIGatewayProxyEvent;
  const context = {
    awsRequestId: "invocation-1",
    getRemainingTimeInMillis: () => 29_000,
  } as unknown as Context;
  await handler(event, context);
  return lines;
}

const closing = (lines: readonly Line[]): Line => lines.at(-1) ?? {};
const ids = {
  stage: "dev",
  service: "offers",
  request_id: expect.stringMatching(/^req_/) as unknown,
  invocation_id: "invocation-1",
  account_id: "acct_1",
  key_id: "key_1",
};

describe("the log line of an API call", () => {
  it("contains the caller, the route and the result", async () => {
    const lines = await logged(async () => undefined);

    expect(lines.map(({ message }) => message)).toEqual(["under way", "call"]);
    expect(closing(lines)).toMatchObject({
      ...ids,
      level: "INFO",
      method: "POST",
      route: "POST /v1/offers",
      status: 200,
    });
    expect(closing(lines)).not.toHaveProperty("path");
    expect(closing(lines)).not.toHaveProperty("code");
  });

  it("is written even for a call that gets 401 or 429, and counts this status in the metrics", async () => {
    const limited: Admission = { outcome: "limited", rate, retryAfterSeconds: 1 };
    const refused = [
      await logged(async () => undefined, { key: "none" }),
      await logged(async () => undefined, { admission: limited }),
      await logged(async () => undefined),
    ].map((lines) => metricsOf(closing(lines)));

    expect(refused[0]).toMatchObject({ calls_unauthorized: [1] });
    expect(refused[0]).not.toHaveProperty("calls_rate_limited");
    expect(refused[1]).toMatchObject({ calls_rate_limited: [1] });
    expect(refused[1]).not.toHaveProperty("calls_unauthorized");
    expect(refused[2]).not.toHaveProperty("calls_unauthorized");
    expect(refused[2]).not.toHaveProperty("calls_rate_limited");
  });

  it("names the error code and the route of a refused call", async () => {
    const work = async (): Promise<void> => {
      throw invalidParam("ids", "Send IDs.");
    };
    const refusal = { level: "INFO", message: "call", route: "POST /v1/offers" };
    expect(closing(await logged(work))).toMatchObject({
      ...refusal,
      status: 400,
      code: "INVALID_PARAM",
    });
    expect(closing(await logged(work, { key: "svc_live_wrong" }))).toMatchObject({
      ...refusal,
      status: 401,
      code: "UNAUTHORIZED",
    });
  });

  it("contains the requested path with masked API keys if no route matches the path", async () => {
    const path = `/v1/offers/${apiKey}/whsec_canary`;
    const line = closing(await logged(async () => undefined, { path }));

    expect(line).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(line["path"]).toBe("/v1/offers/svc_live_…/whsec_…");
    expect(line).not.toHaveProperty("route");
  });

  it("has the level ERROR and contains the cause if the service was overloaded or down", async () => {
    const line = closing(
      await logged(async () => {
        throw unavailable("ledger of acct_1: TransactionConflict");
      }),
    );

    expect(line).toMatchObject({
      ...ids,
      level: "ERROR",
      message: "call failed",
      status: 503,
      code: "UNAVAILABLE",
      error: {
        name: "ServiceError",
        cause: "ledger of acct_1: TransactionConflict",
        stack: expect.stringContaining("request-log.test") as unknown,
      },
    });
  });

  it("has the level ERROR and contains the reason if a dependency failed", async () => {
    const line = closing(
      await logged(async () => {
        throw Object.assign(new Error("connect 10.0.0.1:443"), { code: "ECONNREFUSED" });
      }),
    );

    expect(line).toMatchObject({
      level: "ERROR",
      message: "call failed",
      status: 503,
      code: "UNAVAILABLE",
      error: { message: "connect 10.0.0.1:443" },
    });
  });

  it("has the level INFO for the 501 response to a call of an announced feature", async () => {
    const line = closing(
      await logged(async () => {
        throw notImplemented("This");
      }),
    );

    expect(line).toMatchObject({ level: "INFO", message: "call", code: "NOT_IMPLEMENTED" });
  });

  it("has the same request IDs as all other log lines of the call", async () => {
    const lines = await logged(async () => undefined, { countedHere: true });

    expect(lines.map(({ message }) => message)).toEqual([
      "rate limiter store unavailable; call counted in this process only",
      "under way",
      "call",
    ]);
    for (const line of lines) expect(line).toMatchObject(ids);
  });

  const limited = { outcome: "limited", rate, retryAfterSeconds: 1 } as const;

  it.each<[string, Admission, readonly number[] | undefined]>([
    ["the process counted it", { outcome: "admitted", owner, rate, countedHere: true }, [1]],
    ["it was refused because the row was throttled", { ...limited, throttled: true }, [1]],
    ["no counter was available", { outcome: "unreadable", rate, error: unavailable() }, [1]],
    ["the limiter counted it", { outcome: "admitted", owner, rate }, undefined],
    ["the limiter refused it", limited, undefined],
  ])(
    "has the field 'limiter_local' only if the rate limiter's store did not count the call (case: %s)",
    async (...one) => {
      const [, admission, expected] = one;
      const line = closing(await logged(async () => undefined, { admission }));

      expect(metricsOf(line)["limiter_local"]).toEqual(expected);
    },
  );

  it("contains no API key, no query and no body", async () => {
    const lines = await logged(async () => {
      throw new Error("unforeseen");
    });

    const text = JSON.stringify(lines);
    expect(text).toContain("unforeseen");
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain("canary");
  });
});

describe("the metrics of an API call", () => {
  it("count the call by route group and status class, with duration, items and credits", async () => {
    const line = closing(await logged(async () => undefined));

    expect(metricsOf(line)).toEqual({
      items_ok: [2],
      items_partial: [1],
      items_not_found: [1],
      items_unavailable: [0],
      credits_reserved: [8],
      credits_charged: [3],
      credits_refunded: [5],
      calls: [1],
      call_ms: [250],
    });
    expect(line).toMatchObject({
      group: "offers",
      status_class: "2xx",
      scraper: "retailer_a.offers",
    });
  });

  it.each([
    {
      what: "count a refused call as 4xx, and not as an unforeseen error",
      error: notFound("This does not exist."),
      expected: ["4xx", [1], []],
    },
    {
      what: "count a call of an announced endpoint in the class 501",
      error: notImplemented("This"),
      expected: ["501", [1], []],
    },
    {
      what: "count a call that fails because of overload as 5xx, and not as an unforeseen error",
      error: unavailable(),
      expected: ["5xx", [1], []],
    },
    {
      what: "count a call that fails because of a dependency as 5xx, and not as an unforeseen error",
      error: Object.assign(new Error("no response"), { name: "TimeoutError" }),
      expected: ["5xx", [1], []],
    },
    {
      what: "count a call that fails with an unexpected error as an unforeseen error",
      error: new Error("?"),
      expected: ["5xx", [1], [1]],
    },
  ])("follow the rule that they $what", async ({ error, expected }) => {
    const line = closing(
      await logged(async () => {
        throw error;
      }),
    );

    const { calls, unforeseen_errors: unforeseen = [] } = metricsOf(line);
    expect([line["status_class"], calls, unforeseen]).toEqual(expected);
  });
});
