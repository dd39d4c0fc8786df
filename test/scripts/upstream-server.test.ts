import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstreamServer, type UpstreamServer } from "../../tools/sources/upstream/server.ts";
import { upstreamCapabilities } from "../../shared/sources/upstream/contract.ts";

let server: UpstreamServer;
beforeAll(async () => {
  server = await startUpstreamServer({ port: 0, secret: "right", maxBatch: 2 });
});
afterAll(() => server.close());

const request = {
  scraper: "retailer_d.standard",
  marketplace: "us",
  ids: ["9000000", "9000007"],
  deadline_ms: 5_000,
};

const post = (
  body: NonNullable<RequestInit["body"]>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${server.url}/read`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", Authorization: "Bearer right", ...headers },
  });

describe("the reference upstream server", () => {
  it("returns the product data of the sandbox", async () => {
    const response = await post(JSON.stringify(request));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      results: [
        { id: "9000000", status: "ok", data: { price: { amount: 99.99, currency: "USD" } } },
        { id: "9000007", status: "not_found" },
      ],
    });
  });

  it("accepts a request body that is compressed with gzip", async () => {
    const zipped = gzipSync(JSON.stringify(request));
    expect((await post(zipped, { "Content-Encoding": "gzip" })).status).toBe(200);
  });

  it("returns its scrapers, batch size and marketplaces as capabilities", async () => {
    const headers = { Authorization: "Bearer right" };
    const response = await fetch(`${server.url}/capabilities`, { headers });
    const { scrapers } = v.parse(upstreamCapabilities, await response.json());
    expect(scrapers).toHaveLength(8);
    expect(scrapers[0]).toMatchObject({
      maxBatch: 2,
      marketplaces: expect.arrayContaining(["us"]),
    });
  });

  it.each([
    ["a body that is not JSON", 400, "{", {}],
    ["an unknown scraper", 400, JSON.stringify({ ...request, scraper: "x" }), {}],
    ["no IDs", 400, JSON.stringify({ ...request, ids: [] }), {}],
    ["too many IDs", 413, JSON.stringify({ ...request, ids: ["1", "2", "3"] }), {}],
    ["a body of type text/plain", 415, JSON.stringify(request), { "Content-Type": "text/plain" }],
    ["a wrong secret", 401, JSON.stringify(request), { Authorization: "Bearer wrong" }],
  ] as const)(
    "refuses an invalid request (with %s) with the status %d",
    async (...[, status, body, headers]) => {
      expect((await post(body, headers)).status).toBe(status);
    },
  );

  it("returns 404 for a path that the upstream contract does not define", async () => {
    const headers = { Authorization: "Bearer right" };
    expect((await fetch(`${server.url}/read`, { headers })).status).toBe(404);
  });
});

describe("the command of the reference upstream server", () => {
  const start = promisify(execFile);
  const script = new URL("../../scripts/upstream-server.ts", import.meta.url).pathname;

  it.each([
    [
      ["--port", "0", "--secret-env", "NO_SUCH_SECRET"],
      "the environment variable NO_SUCH_SECRET must contain the secret",
    ],
    [["--port", "abc"], "--port must be an integer"],
    [["--port", "0", "--max-batch", "none"], "--max-batch must be an integer"],
    [["--port", "0", "--misbehave", "nicely"], "--misbehave must be one of"],
  ])("refuses to start with the arguments %j", async (args, message) => {
    // If the server started, the timeout would kill it, and the exit code would differ.
    const run = start(process.execPath, [script, ...args], { timeout: 120_000 });
    await expect(run).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });
});
