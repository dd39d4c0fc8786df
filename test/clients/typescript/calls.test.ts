import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  ApiError,
  Client,
  ConnectionError,
  TimeoutError,
} from "../../../clients/typescript/source/index.ts";
import { isRetryable, retryDelayMs, timeoutOf } from "../../../clients/typescript/source/policy.ts";
import { failure, startScriptedService } from "./scripted-service.ts";

async function scripted(...[answer]: Parameters<typeof startScriptedService>) {
  const service = await startScriptedService(answer);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { service, client: new Client({ baseUrl: service.baseUrl, apiKey: "svc_live_1" }) };
}

const products = { platform: "retailer_d", ids: ["9000001"] } as const;
const read = (client: Client) =>
  client.products.read({ platform: products.platform, ids: [...products.ids] });
const watchlist = {
  name: "Coffee",
  platform: "retailer_d",
  ids: ["9000001"],
  every: "1h",
} as const;
const create = (client: Client) =>
  client.call("createWatchlist", { body: { ...watchlist, ids: [...watchlist.ids] } });

describe("a call of the TypeScript client", () => {
  it("refuses an API key that an HTTP header cannot contain, before it sends a request", () => {
    const options = { baseUrl: "http://127.0.0.1:1", apiKey: "\u201csvc_live_1\u201d" };
    expect(() => new Client(options)).toThrow("a character that no key has");
  });

  it("names the cause of a failed connection in its error", async () => {
    const client = new Client({ baseUrl: "http://127.0.0.1:1", attempts: 1 });
    await expect(client.call("listPlatforms")).rejects.toThrow(/127\.0\.0\.1:1 \(.+\)\. Check/);
  });

  it.each([5, "text"])("throws an error if a successful response has the body %j", async (body) => {
    const { client } = await scripted(() => ({ body }));
    await expect(client.call("listPlatforms")).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      message: expect.stringContaining("is not JSON of the service"),
    });
  });

  it("throws an error if the response to a list operation contains no list", async () => {
    const { client } = await scripted(() => ({ body: {} }));
    await expect(client.list("listWatchlists").next()).rejects.toThrow("has no list 'data'");
  });

  it("sends the API key, the path, the query and the body", async () => {
    const { service, client } = await scripted(() => ({ body: { id: "wl_1" } }));
    await client.call("changeWatchlistItems", { path: { id: "wl 1" }, body: { add: ["9000001"] } });
    await client.call("listWatchlists", { query: { limit: 5 } });
    expect(service.calls).toMatchObject([
      {
        method: "POST",
        url: "/v1/watchlists/wl%201/items",
        headers: { authorization: "Bearer svc_live_1" },
        body: { add: ["9000001"] },
      },
      { method: "GET", url: "/v1/watchlists?limit=5" },
    ]);
  });

  it("warns exactly once about a deprecated operation, even if the operation is called again", async () => {
    const headers = {
      deprecation: "@1795392000",
      sunset: "Tue, 23 Nov 2027 00:00:00 GMT",
      link: '</docs/api-guide#deprecated>; rel="deprecation"; type="text/html"',
    };
    const { service, client } = await scripted(() => ({ headers, body: {} }));
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => emitWarning.mockRestore());
    await client.call("listSources");
    await client.call("listSources");
    expect(emitWarning.mock.calls).toEqual([
      [
        "listSources, or a field that the call uses, has been deprecated since 2026-11-23. " +
          "It stops working on 2027-11-23. " +
          `See ${service.baseUrl}/docs/api-guide#deprecated.`,
        { type: "DeprecationWarning", code: "RPD_DEPRECATED" },
      ],
    ]);
  });

  it("refuses a path parameter, such as '..', that would change the path to another operation", async () => {
    const { service, client } = await scripted(() => ({}));
    await expect(client.call("getWatchlist", { path: { id: ".." } })).rejects.toThrow(/'id'/);
    expect(service.calls).toEqual([]);
  });

  it("throws an error with the code, the parameter and the request ID of the response", async () => {
    const { service, client } = await scripted(() => failure(400, "INVALID_PARAM"));
    const error = await read(client).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "INVALID_PARAM",
      status: 400,
      param: "name",
      requestId: "req_1",
    });
    expect(service.calls).toHaveLength(1);
  });

  it("waits for Retry-After and repeats a call that got 429", async () => {
    const { service, client } = await scripted((_, n) =>
      n === 0
        ? failure(429, "CONCURRENCY_LIMIT", { "retry-after": "1" })
        : { body: { results: [], credits: 0 } },
    );
    const started = Date.now();
    await read(client);
    expect(service.calls).toHaveLength(2);
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);
  });

  it("repeats an item call after a 503 response that reports a charge of 0, but after no other 503 response", async () => {
    const known = await scripted((_, n) =>
      n === 0
        ? failure(503, "UNAVAILABLE", { "x-service-credits": "0" })
        : { body: { results: [], credits: 0 } },
    );
    await read(known.client);
    expect(known.service.calls).toHaveLength(2);

    const unknown = await scripted(() => failure(503, "UNAVAILABLE"));
    await expect(read(unknown.client)).rejects.toThrow(ApiError);
    expect(unknown.service.calls).toHaveLength(1);
  });

  it("repeats a list operation if its response is lost, but does not repeat an item call", async () => {
    const { service, client } = await scripted(({ method }, n) =>
      method === "POST" || n === 1 ? "cut" : { body: { data: [], has_more: false } },
    );
    await expect(read(client)).rejects.toThrow(ConnectionError);
    expect(service.calls).toHaveLength(1);
    await client.call("listWatchlists");
    expect(service.calls).toHaveLength(3);
  });

  it("repeats the creation of a watchlist with the same idempotency key after a lost response, and again after a 409", async () => {
    const { service, client } = await scripted((_, n) =>
      n === 0 ? "cut" : n === 1 ? failure(409, "CONFLICT") : { status: 201, body: { id: "wl_1" } },
    );
    await create(client);
    const keys = service.calls.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    await create(client);
    expect(service.calls.at(-1)?.headers["idempotency-key"]).not.toBe(keys[0]);
  });

  it("throws an error for a 409 to the creation of a watchlist if no earlier response was lost", async () => {
    const { service, client } = await scripted(() => failure(409, "CONFLICT"));
    await expect(create(client)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(service.calls).toHaveLength(1);
  });

  it("ends with a timeout error when the response takes too long", async () => {
    const { client } = await scripted(() => new Promise(() => {}));
    const call = client.call("checkOffers", { body: { offers: [] }, timeoutMs: 50 });
    await expect(call).rejects.toThrow(TimeoutError);
  });

  it("ends when the caller aborts it", async () => {
    const { client } = await scripted(() => new Promise(() => {}));
    const abort = new AbortController();
    const call = client.call("listPlatforms", { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  it("has the timeouts that the specification sets", () => {
    expect(
      (
        ["readProducts", "readOffers", "checkOffers", "previewWatchlist", "getAccount"] as const
      ).map(timeoutOf),
    ).toEqual([300_000, 180_000, 120_000, 60_000, 30_000]);
  });

  it("does not repeat GET /v1/products/{id}/offers if its response is lost", () => {
    const lost = new ConnectionError("lost");
    expect(isRetryable(lost, { operation: "readItemOffers", isInFlight: false })).toBe(false);
    expect(isRetryable(lost, { operation: "getAccount", isInFlight: false })).toBe(true);
  });

  it("refuses a number that JSON cannot contain, and names its field", async () => {
    const { service, client } = await scripted(() => ({}));
    const body = { ...watchlist, ids: ["9000001"], max_credits_per_run: Number.NaN };
    await expect(client.call("createWatchlist", { body })).rejects.toThrow(
      new TypeError("The field 'body.max_credits_per_run' must be a finite number (got NaN)."),
    );
    expect(service.calls).toEqual([]);
  });

  it("throws an error for a 429 with a Retry-After of more than a minute, in seconds or as a date", async () => {
    for (const later of ["999999999", "Fri, 01 Jan 2100 00:00:00 GMT"]) {
      const { service, client } = await scripted(() =>
        failure(429, "RATE_LIMITED", { "retry-after": later }),
      );
      await expect(client.call("getAccount")).rejects.toMatchObject({ code: "RATE_LIMITED" });
      expect(service.calls).toHaveLength(1);
    }
  });

  it("throws an error for a 404 response that is not JSON, and does not retry", async () => {
    const { service, client } = await scripted(() => ({ status: 404, body: "not here" }));
    await expect(client.call("getAccount")).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      status: 404,
    });
    expect(service.calls).toHaveLength(1);
  });

  it("waits longer after each failed attempt, up to 30 seconds", () => {
    const delays = [1, 2, 3, 10].map((attempt) => retryDelayMs(attempt, undefined, () => 1));
    expect(delays).toEqual([500, 1_000, 2_000, 30_000]);
  });

  it("refuses a service address that is not an HTTP or HTTPS URL", () => {
    for (const baseUrl of ["api.example.com", "ftp://api.example.com", "http://"])
      expect(() => new Client({ baseUrl })).toThrow(
        "must be an http or https URL. Check the variable RPD_BASE_URL",
      );
  });

  it("throws an error if no service address is given", () => {
    expect(() => new Client({ apiKey: "svc_live_1" })).toThrow(/RPD_BASE_URL/);
  });
});

describe("the list method of the TypeScript client", () => {
  it("iterates over all pages, with the paging parameters of each operation", async () => {
    const { service, client } = await scripted((_, n) => ({
      body: {
        data: [{ id: `entry_${n}`, run_number: 9 - n }],
        has_more: n % 2 === 0,
        ...(n < 2 && { next_starting_after: "cursor" }),
      },
    }));
    const ids = async (entries: AsyncIterable<{ readonly id?: string }>) => {
      const found = [];
      for await (const { id } of entries) found.push(id);
      return found;
    };
    expect(await ids(client.list("listWebhookDeliveries", { query: { limit: 1 } }))).toEqual([
      "entry_0",
      "entry_1",
    ]);
    await ids(client.list("listWatchlistRuns", { path: { id: "wl_1" } }));
    await ids(client.list("listWatchlistItems", { path: { id: "wl_1" } }));
    expect(service.calls.map(({ url }) => url)).toEqual([
      "/v1/webhook_deliveries?limit=1",
      "/v1/webhook_deliveries?limit=1&starting_after=cursor",
      "/v1/watchlists/wl_1/runs",
      "/v1/watchlists/wl_1/runs?before_run=7",
      "/v1/watchlists/wl_1/items",
      "/v1/watchlists/wl_1/items?starting_after=entry_4",
    ]);
  });

  it("throws an error after the first page if the list has more entries but the operation has no paging", async () => {
    const { client } = await scripted(() => ({ body: { data: [{ id: "wl_1" }], has_more: true } }));
    const seen: string[] = [];
    const readAll = async () => {
      for await (const { id } of client.list("listWatchlists", { query: { limit: 1 } }))
        seen.push(id);
    };
    await expect(readAll()).rejects.toThrow(
      "The list has more entries, but listWatchlists returns only one page. Set a higher 'limit'",
    );
    expect(seen).toEqual(["wl_1"]);
  });

  it("follows the event feed, and continues after the last event of each page", async () => {
    const { service, client } = await scripted((_, n) => ({
      body: { data: [{ id: `evt_${n}` }], has_more: false, next_after: `evt_${n}` },
    }));
    const abort = new AbortController();
    const seen = [];
    const options = { after: "evt_a", pollSeconds: 0, signal: abort.signal };
    for await (const { id } of client.events.tail(options)) {
      seen.push(id);
      if (seen.length === 3) abort.abort();
    }
    expect(seen).toEqual(["evt_0", "evt_1", "evt_2"]);
    expect(service.calls.map(({ url }) => url)).toEqual([
      "/v1/events?after=evt_a",
      "/v1/events?after=evt_0",
      "/v1/events?after=evt_1",
    ]);
  });
});
