import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { publicDocument } from "../../../functions/http/public-document.ts";
import { route } from "../../../functions/http/route.ts";
import { notFound } from "../../../shared/base/errors.ts";
import { callEdge, type EdgeAnswer, edgeWith } from "../../support/edge-calls.ts";

const text = JSON.stringify({ text: "x".repeat(5_000) });
let body: unknown = text;

const handler = groupHandler({
  group: "platforms",
  routes: {
    "GET /v1/platforms": route<unknown>({
      async handle({ headers }) {
        if (headers("x-fail").length > 0) throw notFound(`This ${"very ".repeat(400)}thing`);
        return publicDocument(body);
      },
    }),
  },
  dependencies: edgeWith(async () => ({ outcome: "unknown" })),
});

const get = (headers: Record<string, string> = {}, method = "GET"): Promise<EdgeAnswer> =>
  callEdge(handler, { route: `${method} /v1/platforms`, headers });

describe("a JSON response over 1 KB", () => {
  it.each([
    "gzip",
    "GZIP",
    "gzip, deflate, br",
    "br;q=1.0, gzip;q=0.8, *;q=0.1",
    "*",
    "identity, gzip",
    "identity;q=0.5, gzip;q=0.5",
    "gzip;q=0.001, identity;q=0",
    "deflate, gzip;q=1.000",
  ])("is compressed for a client that sends Accept-Encoding: '%s'", async (accepted) => {
    body = text;
    const answer = await get({ "accept-encoding": accepted });
    expect(answer.headers).toMatchObject({ "Content-Encoding": "gzip", Vary: "Accept-Encoding" });
    expect(gunzipSync(answer.bytes).toString()).toBe(text);
  });

  it.each([
    "",
    "br",
    "identity",
    "gzip;q=0",
    "gzip;q=0.000, br",
    "*;q=0",
    "identity;q=1, gzip;q=0.5",
    "gzipped",
    "x; gzip",
  ])("is not compressed for a client that sends Accept-Encoding: '%s'", async (accepted) => {
    body = text;
    const answer = await get(accepted === "" ? {} : { "accept-encoding": accepted });
    expect(answer.headers).toMatchObject({ Vary: "Accept-Encoding" });
    expect(answer.headers).not.toHaveProperty("Content-Encoding");
    expect(answer.bytes.toString()).toBe(text);
  });

  it("is compressed if it is an error response", async () => {
    const answer = await get({ "accept-encoding": "gzip", "x-fail": "1" });
    expect(answer).toMatchObject({ status: 404, headers: { "Content-Encoding": "gzip" } });
    expect(gunzipSync(answer.bytes).toString()).toContain('"NOT_FOUND"');
  });
});

it("each version of a public document is compressed exactly once", async () => {
  const dispatch = groupHandler({
    group: "platforms",
    routes: {
      "GET /v1/platforms": route<unknown>({
        handle: async () => ({ status: 200, body, headers: { ETag: 'W/"one version"' } }),
      }),
    },
    dependencies: edgeWith(async () => ({ outcome: "unknown" })),
  });
  const call = { route: "GET /v1/platforms", headers: { "accept-encoding": "gzip" } };
  body = text;
  await callEdge(dispatch, call);
  body = JSON.stringify({ text: "y".repeat(5_000) });
  const { bytes } = await callEdge(dispatch, call);
  expect(gunzipSync(bytes).toString()).toBe(text);
});

describe("the gzip compression of responses", () => {
  it.each([
    ["at most 1 KB", "x".repeat(1_024)],
    ["larger after compression", randomText(1_500)],
  ])(
    "is omitted for a response of at most 1 KB, and for one that would become larger (response: %s)",
    async (_, sent) => {
      body = sent;
      const answer = await get({ "accept-encoding": "gzip" });
      expect(answer.headers).not.toHaveProperty("Content-Encoding");
      expect(answer.bytes.toString()).toBe(sent);
    },
  );
});

/** Random text, whose compressed bytes in base64 are longer than the text. */
function randomText(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCodePoint(32 + (state % 95));
  }).join("");
}

describe("a public document", () => {
  it("has an ETag, and headers that allow caches to store the document and pages of other origins to read it", async () => {
    body = text;
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ETag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      "Cache-Control": "public, max-age=300",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": expect.stringContaining("X-RateLimit-Remaining"),
    });
  });

  it("keeps the same ETag until the document changes", async () => {
    body = text;
    const [first, again] = [await get(), await get({ "accept-encoding": "gzip" })];
    expect(again.headers["ETag"]).toBe(first.headers["ETag"]);
    body = `${text} `;
    expect((await get()).headers["ETag"]).not.toBe(first.headers["ETag"]);
  });

  it("gets 304 without a body if the client already has the current version", async () => {
    body = text;
    const tag = String((await get()).headers["ETag"]);
    const strong = tag.slice(2);
    for (const known of [tag, strong, `"other", ${tag}`, "*"]) {
      const answer = await get({ "If-None-Match": known, "Accept-Encoding": "gzip" });
      expect(answer).toMatchObject({
        status: 304,
        headers: { ETag: tag, "Cache-Control": "public, max-age=300", Vary: "Accept-Encoding" },
      });
      expect(answer.headers).not.toHaveProperty("Content-Encoding");
      expect(answer.bytes).toHaveLength(0);
    }
    for (const other of ['"other"', strong.slice(1, -1), ""]) {
      expect((await get({ "If-None-Match": other })).status).toBe(200);
    }
    expect((await get({ "If-None-Match": "*", "x-fail": "1" })).status).toBe(404);
  });

  it("is not sent in the response to a browser's preflight request", async () => {
    const answer = await get(
      { Origin: "https://a.example", "Access-Control-Request-Method": "GET" },
      "OPTIONS",
    );
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        Allow: "GET, HEAD, OPTIONS",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, HEAD",
        "Access-Control-Allow-Headers": expect.stringContaining("X-API-Key"),
      },
    });
    expect(answer.bytes).toHaveLength(0);
  });
});

describe("a HEAD request", () => {
  it.each([{}, { "accept-encoding": "gzip" }, { "x-fail": "1" }, { "If-None-Match": "*" }])(
    "returns the status and headers of GET without a body, for the request headers %j",
    async (headers: Record<string, string>) => {
      body = text;
      const [asked, got] = [await get(headers, "HEAD"), await get(headers)];
      const changing = ["X-Request-Id", "X-RateLimit-Remaining"];
      const fixed = ({ headers: all }: EdgeAnswer): unknown =>
        Object.fromEntries(Object.entries(all).filter(([name]) => !changing.includes(name)));
      expect(asked.status).toBe(got.status);
      expect(fixed(asked)).toEqual(fixed(got));
      expect(Object.keys(asked.headers)).toEqual(expect.arrayContaining(changing));
      expect(asked.bytes).toHaveLength(0);
    },
  );
});
