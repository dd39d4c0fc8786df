import { type IncomingMessage, request } from "node:http";
import { deflateSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { gateway } from "../../../tools/local/gateway.ts";
import { startLambdaHost } from "../../../tools/local/lambda-host.ts";
import { serveFrom } from "../../../tools/local/local-server.ts";
import { provideStreaming } from "../../../tools/local/response-stream.ts";
import { resolveTemplates } from "../../../tools/local/template.ts";
import { loadFixture, streamingHandler } from "./fixture-handlers.ts";
import { fixtureStacks } from "./fixture-stacks.ts";

const log = (): void => {};

type Handlers = Parameters<typeof loadFixture>[0];

async function serve(handlers: Handlers = {}): Promise<string> {
  const templates = resolveTemplates(fixtureStacks, "http://127.0.0.1:1/000000000000");
  const host = await startLambdaHost({ templates, log, loadHandler: loadFixture(handlers) });
  const server = await serveFrom(0, gateway({ templates, host, log }));
  onTestFinished(async () => server.close());
  return server.url;
}

async function eventOf(path: string, init: RequestInit = {}): Promise<APIGatewayProxyEvent> {
  const response = await fetch(`${await serve()}${path}`, init);
  return ((await response.json()) as { event: APIGatewayProxyEvent }).event;
}

beforeAll(provideStreaming);

describe("the event that the local gateway passes to a function", () => {
  it("has the path, query, headers and body in the format of an API Gateway REST API", async () => {
    const event = await eventOf("/v1/things/a%20b/c?x=1&x=2&y=%20z", {
      method: "POST",
      headers: { "X-Custom": "value", "content-type": "application/json" },
      body: '{"ü":1}',
    });

    expect(event).toMatchObject({
      resource: "/v1/things/{proxy+}",
      path: "/v1/things/a%20b/c",
      httpMethod: "POST",
      pathParameters: { proxy: "a b/c" },
      queryStringParameters: { x: "2", y: " z" },
      multiValueQueryStringParameters: { x: ["1", "2"], y: [" z"] },
      body: '{"ü":1}',
      isBase64Encoded: false,
      stageVariables: null,
      requestContext: {
        path: "/v1/things/a%20b/c",
        stage: "fixture",
        resourcePath: "/v1/things/{proxy+}",
        httpMethod: "POST",
        identity: { sourceIp: "127.0.0.1" },
      },
    });
    expect(event.requestContext.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(event.multiValueHeaders["X-Forwarded-Proto"]).toEqual(["http"]);
    expect(Object.entries(event.headers)).toContainEqual([
      expect.stringMatching(/^x-custom$/i),
      "value",
    ]);
  });

  it('includes parameters and headers that are named like members of JavaScript objects, such as "constructor"', async () => {
    const event = await eventOf("/v1/things/a?constructor=1&__proto__=2&toString=3", {
      headers: { valueOf: "x" },
    });

    expect(Object.entries(event.multiValueQueryStringParameters ?? {})).toEqual([
      ["constructor", ["1"]],
      ["__proto__", ["2"]],
      ["toString", ["3"]],
    ]);
    expect(Object.keys(event.headers)).toContainEqual(expect.stringMatching(/^valueof$/i));
  });

  it("has null for a missing query, body or path parameters", async () => {
    const event = await eventOf("/v1/things");

    expect(event).toMatchObject({
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
      isBase64Encoded: false,
    });
  });

  it("has a base64 body if the template lists the media type of the body as binary", async () => {
    const body = new Uint8Array([0, 255, 128]);

    const event = await eventOf("/v1/things", {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body,
    });

    expect(event.isBase64Encoded).toBe(true);
    expect(Buffer.from(event.body ?? "", "base64")).toEqual(Buffer.from(body));
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ])('has the decompressed body of a request with the encoding "%s"', async (coding, compress) => {
    const event = await eventOf("/v1/things", {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": coding },
      body: compress('{"a":1}'),
    });

    expect(event.body).toBe('{"a":1}');
    expect(event.headers["content-encoding"]).toBe(coding);
  });

  it("has the path parameters of a path with a trailing slash", async () => {
    expect((await eventOf("/v1/ones/7/")).pathParameters).toEqual({ id: "7" });
  });
});

describe("the buffered response of the local gateway", () => {
  it("has the status, the headers with repetitions, and the body that the function returns", async () => {
    const url = await serve({
      echo: () => ({
        statusCode: 418,
        headers: { "X-One": "1", "WWW-Authenticate": "Bearer", "Content-Length": 3 },
        multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] },
        body: "tea",
      }),
    });

    const response = await fetch(`${url}/v1/things`);

    expect(response.status).toBe(418);
    expect(response.headers.get("x-one")).toBe("1");
    expect(response.headers.get("www-authenticate")).toBeNull();
    expect(response.headers.get("x-amzn-remapped-www-authenticate")).toBe("Bearer");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await response.text()).toBe("tea");
  });

  it("is decoded from base64 only for a binary media type that the client accepts", async () => {
    const url = await serve({
      echo: () => ({ statusCode: 200, isBase64Encoded: true, body: "aGVsbG8=" }),
    });

    const accepted = await fetch(`${url}/v1/things`, {
      headers: { accept: "application/octet-stream" },
    });
    const other = await fetch(`${url}/v1/things`, { headers: { accept: "text/plain" } });

    expect(await accepted.text()).toBe("hello");
    expect(await other.text()).toBe("aGVsbG8=");
  });
});

describe("the streamed response of the local gateway", () => {
  it("begins with the status and headers, and contains each part of the body as soon as the function sends it", async () => {
    const held = Promise.withResolvers<void>();
    const url = await serve({ stream: streamingHandler(held.promise) });

    const response = await fetch(`${url}/v1/streams`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let early = "";
    while (early.length < 8) early += Buffer.from((await reader.read()).value ?? []).toString();
    held.resolve();
    const last = await reader.read();

    expect(response.status).toBe(201);
    expect(response.headers.get("x-path")).toBe("/v1/streams");
    expect(response.headers.get("x-many")).toBe("a, b");
    expect(early).toBe("one two ");
    expect(Buffer.from(last.value ?? []).toString()).toBe("three");
  });

  it("ends before the body is complete if the function fails after it sent the status and headers", async () => {
    const broken = Promise.reject(new Error("broken"));
    broken.catch(() => {});
    const url = await serve({ stream: streamingHandler(broken) });

    const response = await fetch(`${url}/v1/streams`);

    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  it.each([
    ["throws before its metadata", () => Promise.reject(new Error("early"))],
    ["returns a buffered response", async () => ({ statusCode: 200, body: "{}" })],
  ])(
    "has the status 502 if the function does not stream a response (it %s)",
    async (_name, handler) => {
      const url = await serve({ stream: handler });

      expect((await fetch(`${url}/v1/streams`)).status).toBe(502);
    },
  );
});

describe("the error response of the local gateway", () => {
  it.each(["/", "/v1", "/v1/ones", "/v1/ones/7/8", "/v2/things"])(
    "is the template's response of the type MISSING_AUTHENTICATION_TOKEN for the path %s, which has no resource",
    async (path) => {
      const response = await fetch(`${await serve()}${path}`);

      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: { message: "Missing Authentication Token" } });
      expect(response.headers.get("retry-after")).toBe("7");
      expect(response.headers.get("x-request-id")).toBe(response.headers.get("x-amzn-requestid"));
    },
  );

  it("has the status 413 for a body above 10 MB, with API Gateway's message if the template has none", async () => {
    const url = await serve();

    const response = await fetch(`${url}/v1/things`, {
      method: "POST",
      body: Buffer.alloc(10 * 1024 * 1024 + 1),
    });

    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ message: "Request Too Long" });
  });

  it.each([
    ["an encoding that API Gateway does not know", "br", Buffer.from("{}")],
    ["a body that does not match its encoding", "gzip", Buffer.from("{}")],
    ["a compressed body that is cut off", "gzip", gzipSync("x".repeat(9_999)).subarray(0, 20)],
  ])(
    "has the status 415 for a body that cannot be decompressed (%s)",
    async (_name, coding, body) => {
      const response = await fetch(`${await serve()}/v1/things`, {
        method: "POST",
        headers: { "content-encoding": coding },
        body,
      });

      expect(response.status).toBe(415);
      expect(await response.json()).toEqual({ message: "Unsupported Media Type" });
    },
  );

  it("has the status 413 for a small body that decompresses to more than 10 MB", async () => {
    const response = await fetch(`${await serve()}/v1/things`, {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: gzipSync(Buffer.alloc(10 * 1024 * 1024 + 1)),
    });

    expect(response.status).toBe(413);
  });

  it("has the status 404 for a method that is not one of the methods of ANY", async () => {
    const url = new URL(await serve());
    const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: url.hostname, port: url.port, path: "/v1/things", method: "PURGE" })
        .on("response", resolve)
        .on("error", reject)
        .end();
    });

    expect(statusCode).toBe(404);
  });

  it("has the status 504 if the function does not respond within the method's timeout", async () => {
    const url = await serve({ slow: () => new Promise(() => {}) });

    expect((await fetch(`${url}/v1/slows`)).status).toBe(504);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("broken"))],
    ["returns no status", async () => ({ body: "{}" })],
    ["returns nothing", async () => undefined],
    ["returns more than 6 MB", async () => ({ statusCode: 200, body: "x".repeat(6_300_000) })],
  ])(
    "has the status 502 if the function returns no valid response (it %s)",
    async (_name, handler) => {
      const response = await fetch(`${await serve({ echo: handler })}/v1/things`);

      expect(response.status).toBe(502);
      expect(await response.text()).not.toContain("broken");
    },
  );
});
