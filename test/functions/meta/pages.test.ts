import { readdirSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Logger } from "@aws-lambda-powertools/logger";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, it } from "vitest";
import document from "../../../functions/meta/generated/openapi.json" with { type: "json" };
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { metaRoutes } from "../../../functions/meta/handler.ts";
import type { AccountStore } from "../../../shared/accounts/account-store.ts";
import { scrapers, stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import { scraperIds } from "../../support/scraper-ids.ts";
import { sandboxAnswer } from "../../../shared/sources/sandbox/scraper.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { delistingIds, reservedIds } from "../../../shared/scrapers/reserved-ids.ts";
import { inFlight } from "../../../shared/watchlists/claim-creation.ts";
import { errorGuide } from "../../../tools/documents/error-guide.ts";
import { fixedClock } from "../../support/clock.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";

/** The tests call once a second, so that no call exceeds the rate limit of an IP address. */
let seconds = 0;
const clock = {
  ...fixedClock("2026-03-01T00:00:00Z"),
  now: () => new Date(Date.UTC(2026, 2, 1) + 1_000 * (seconds += 1)),
};

const handler = groupHandler({
  group: "meta",
  routes: metaRoutes,
  dependencies: {
    // Calls of this group read no account.
    accounts: {} as AccountStore,
    database: async () => ({ outcome: "ok" as const }),
    clock,
    random: systemRandom,
    logger: new Logger(),
  },
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function get(
  path: string,
  { method = "GET", headers = {} }: Sent = {},
): Promise<APIGatewayProxyResult> {
  const event = gatewayEvent({
    method,
    path,
    calledPath: `/prod${path}`,
    headers: { Host: "api.example.com", "X-Forwarded-Proto": "https", ...headers },
  });
  return handler(event, gatewayContext);
}

const schemas = new Ajv2020({ strict: true });
addFormats.default(schemas);

const generated = new URL("../../../functions/meta/generated/", import.meta.url);
const namesIn = (folder: string, suffix: string): string[] =>
  readdirSync(new URL(folder, generated)).map((name) => name.replace(suffix, ""));
const assets = namesIn("assets", ".br");
const pages = namesIn("pages", ".html.br").map((name) =>
  name === "index" ? "/docs" : `/docs/${name}`,
);
const guides = pages.filter((path) => path !== "/docs" && path !== "/docs/reference");

const address = "https://api.example.com/prod";
/** Returns the paths on this service that a page links to or loads, without the stage's prefix. */
function linksOf(path: string, html: string): string[] {
  return [...html.matchAll(/\s(?:href|src|data-sections)="([^"]+)"/g)]
    .map(([, link = ""]) => new URL(link, `${address}${path}`))
    .filter(({ protocol, host }) => protocol === "https:" && host === "api.example.com")
    .map(({ pathname, hash }) => `${pathname.replace(/^\/prod/, "")}${hash}`);
}

describe("the documentation page", () => {
  it.each(pages)("%s is HTML that is served without an API key", async (path) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      "Content-Type": "text/html; charset=utf-8",
      "X-Content-Type-Options": "nosniff",
      "Strict-Transport-Security": "max-age=31536000",
      "X-Request-Id": expect.stringMatching(/^req_/),
    });
    expect(answer.body).toMatch(/^<!doctype html>/);
  });

  it.each(pages)(
    "%s loads only scripts and styles of this service, and contains no inline scripts or styles",
    async (path) => {
      const { headers, body } = await get(path);
      const policy = String(headers?.["Content-Security-Policy"]);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(policy).not.toMatch(/unsafe-eval|\*|https?:/);
      // Only the page of the reference allows inline styles, because its renderer adds styles while
      // it runs.
      expect(policy.includes("unsafe-inline")).toBe(path === "/docs/reference");
      expect(body).not.toMatch(/<style|\s(on\w+|style)=|<script(?![^>]* src=)/);
      expect(body).not.toMatch(/\ssrc="https?:/);
    },
  );

  it.each(pages)(
    "%s links only to pages, headings and files of the documentation that exist",
    async (path) => {
      for (const link of linksOf(path, (await get(path)).body)) {
        const [target = "", anchor] = link.split("#");
        // The dashboard's function serves `/dashboard`, and the renderer creates the anchors that
        // begin with `tag/`.
        if (target === "/dashboard" || anchor?.startsWith("tag/")) continue;
        const answer = await get(target);
        expect(answer.statusCode, link).toBe(200);
        if (anchor !== undefined) expect(answer.body, link).toContain(`id="${anchor}"`);
      }
    },
  );

  it("/docs/reference contains every operation with a link to it, even before scripts run", async () => {
    const linked = linksOf("/docs/reference", (await get("/docs/reference")).body);
    const expected = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([
          method,
          {
            tags: [tag = ""],
          },
        ]) => `/docs/reference#tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}`,
      ),
    );
    expect(linked.map(decodeURIComponent)).toEqual(expect.arrayContaining(expected));
  });

  it("of every topic is linked from the page /docs", async () => {
    const linked = linksOf("/docs", (await get("/docs")).body);
    expect(linked).toEqual(expect.arrayContaining([...guides, "/docs/reference"]));
  });

  it("of every topic has all its sections in the index of the documentation's search", async () => {
    const index = linksOf("/docs", (await get("/docs")).body).find((link) =>
      link.includes("sections-"),
    );
    const found = JSON.parse((await get(String(index))).body) as { readonly href: string }[];
    const hrefs = found.map(({ href }) => `/${href}`);
    for (const path of guides) {
      const ids = [...(await get(path)).body.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id);
      expect(ids.length).toBeGreaterThan(0);
      expect(hrefs.filter((href) => href.startsWith(`${path}#`))).toEqual(
        ids.map((id) => `${path}#${id}`),
      );
    }
  });
});

describe("the page /docs/errors", () => {
  it("has a heading for every error code, with the code as its anchor", async () => {
    const { body } = await get("/docs/errors");
    for (const code of Object.keys(errorGuide)) expect(body).toContain(`<h2 id="${code}">`);
  });

  it("advises a retry for exactly the CONFLICT errors whose message also advises a retry", async () => {
    const { body } = await get("/docs/errors");
    const section = body.split('<h2 id="CONFLICT">')[1]?.split("<h2")[0];
    expect(section).toContain("<strong>Retry:</strong> if <code>message</code>");
    expect(inFlight().message).toContain("Try again");
  });
});

it("the page /docs/sandbox lists every reserved ID of every platform, including the IDs of items that become delisted", async () => {
  const { body } = await get("/docs/sandbox");
  for (const [platform, ids] of Object.entries(reservedIds)) {
    const section = body.split(`<h2 id="${platform}">`)[1]?.split("<h2")[0] ?? "";
    for (const { id } of ids) expect(section).toContain(`<code>${id}</code>`);
  }
  for (const { description } of Object.values(delistingIds)) expect(body).toContain(description);
});

describe("the page /docs/upstream", () => {
  /** Returns the JSON blocks of a scraper: request and reply, and the schemas of both. */
  async function blocksOf(scraper: string): Promise<readonly object[]> {
    const { body } = await get("/docs/upstream");
    const id = scraper.replaceAll(".", "");
    const section = body.split(`<h3 id="${id}">`)[1]?.split("<h3")[0] ?? "";
    return [...section.matchAll(/<pre[^>]*><code>([^<]*)<\/code><\/pre>/g)].map(
      ([, text = ""]) =>
        JSON.parse(
          text
            .replaceAll("&lt;", "<")
            .replaceAll("&gt;", ">")
            .replaceAll("&quot;", '"')
            .replaceAll("&amp;", "&"),
        ) as object,
    );
  }

  it("shows, for every scraper, a schema that the examples of the page match", async () => {
    for (const scraper of stepScraperIds) {
      const [request = {}, reply = {}, ...both] = await blocksOf(scraper);
      const [isRequest, isReply] = both.map((schema) => schemas.compile(schema));
      expect(isRequest?.(request), scraper).toBe(true);
      expect(isReply?.(reply), scraper).toBe(true);
      expect(isRequest?.({ ...request, scraper: "another" })).toBe(false);
      expect(isReply?.({ results: [{ id: "1", status: "ok" }] })).toBe(false);
    }
  });

  it("shows, for every scraper, a schema that the answers of the sandbox match", async () => {
    for (const scraper of scraperIds) {
      const isReply = schemas.compile((await blocksOf(scraper))[3] ?? {});
      const ids = reservedIds[scrapers[scraper].platform].map(({ id }) => id);
      const results = ids.map((id) => {
        const at = new Date("2026-03-01T00:00:00Z");
        const answer = sandboxAnswer({ scraper, marketplace: "us", id, at, seed: "test" });
        return "fields" in answer
          ? { id, status: answer.status, fetchedAt: answer.fetchedAt, data: answer.fields }
          : answer;
      });
      expect(isReply({ results }), JSON.stringify(isReply.errors)).toBe(true);
    }
  });
});

describe("a file of the documentation", () => {
  it("may be cached for a year", async () => {
    expect(assets.length).toBeGreaterThan(5);
    for (const name of assets) {
      const answer = await get(`/docs/assets/${name}`, { headers: { "Accept-Encoding": "br" } });
      expect(answer.statusCode, name).toBe(200);
      expect(answer.headers?.["Cache-Control"]).toBe("public, max-age=31536000, immutable");
      expect(answer.headers?.["Content-Type"], name).toMatch(
        /^(text\/(javascript|css); charset=utf-8|application\/json)$/,
      );
    }
  });

  it("is sent with the compression that the client accepts: brotli, gzip or none", async () => {
    const path = `/docs/assets/${assets.find((name) => name.startsWith("reference-"))}`;
    const plain = await get(path);
    expect(plain.headers).not.toHaveProperty("Content-Encoding");
    const accept = (coding: string) => get(path, { headers: { "Accept-Encoding": coding } });
    const brotli = await accept("gzip, deflate, br");
    expect(brotli).toMatchObject({ isBase64Encoded: true, headers: { "Content-Encoding": "br" } });
    expect(brotliDecompressSync(Buffer.from(brotli.body, "base64")).toString()).toBe(plain.body);
    const gzip = await accept("gzip");
    expect(gzip).toMatchObject({ isBase64Encoded: true, headers: { "Content-Encoding": "gzip" } });
    expect(gunzipSync(Buffer.from(gzip.body, "base64")).toString()).toBe(plain.body);
    for (const { headers } of [plain, brotli, gzip])
      expect(headers?.["Vary"]).toBe("Accept-Encoding");
  });

  it("stays below the maximum size of a Lambda response, even without compression", async () => {
    for (const name of assets) {
      const answer = await get(`/docs/assets/${name}`);
      expect(JSON.stringify(answer).length, name).toBeLessThan(5 * 1_024 * 1_024);
    }
  });

  it.each(["/docs", "/docs/reference", `/docs/assets/${assets[0]}`])(
    "at the path %s has the same headers for HEAD as for GET, and gets 304 for a known ETag",
    async (path) => {
      const headers = { "Accept-Encoding": "br" };
      const answer = await get(path, { headers });
      const head = await get(path, { method: "HEAD", headers });
      expect(head).toMatchObject({ statusCode: 200, body: "" });
      expect(Object.keys(head.headers ?? {})).toEqual(Object.keys(answer.headers ?? {}));
      const etag = String(answer.headers?.["ETag"]);
      const again = await get(path, { headers: { ...headers, "If-None-Match": etag } });
      expect(again).toMatchObject({ statusCode: 304, body: "" });
    },
  );
});

it("GET /v1/openapi.json names the address that the client called, including its path prefix, as the server", async () => {
  const answer = await get("/v1/openapi.json");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers?.["Content-Type"]).toBe("application/json");
  expect(JSON.parse(answer.body)).toMatchObject({
    openapi: "3.1.0",
    servers: [{ url: "https://api.example.com/prod" }],
  });
});

describe("an unknown or retired path", () => {
  it.each([
    ["/docs/nothing", 404, "NOT_FOUND"],
    ["/docs/index", 404, "NOT_FOUND"],
    ["/docs/..%2Fopenapi", 404, "NOT_FOUND"],
    ["/docs/assets/nothing.js", 404, "NOT_FOUND"],
    ["/docs/assets/..%2F..%2Fpage.js", 404, "NOT_FOUND"],
    ["/v1/nothing", 404, "NOT_FOUND"],
    ["/v1/scrape", 410, "GONE"],
    ["/v1/jobs/17", 410, "GONE"],
    ["/v1/batches", 410, "GONE"],
  ])("such as %s returns the status %d with the error code %s", async (path, status, code) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
  });
});
