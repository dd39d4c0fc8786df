import { createHash } from "node:crypto";
import { Logger } from "@aws-lambda-powertools/logger";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { metaRoutes } from "../../../functions/meta/handler.ts";
import type { AccountStore } from "../../../shared/accounts/account-store.ts";
import { scraperIds, scrapers, stepScraperIds } from "../../../shared/scrapers/catalogue.ts";
import { sandboxAnswer } from "../../../shared/sources/sandbox/scraper.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { delistingIds, reservedIds } from "../../../shared/scrapers/reserved-ids.ts";
import { inFlight } from "../../../shared/watchlists/claim-creation.ts";
import { errorGuide } from "../../../tools/documents/error-guide.ts";
import { fixedClock } from "../../support/clock.ts";

const handler = groupHandler({
  group: "meta",
  routes: metaRoutes,
  dependencies: {
    // Calls of this group read no account.
    accounts: {} as AccountStore,
    clock: fixedClock("2026-03-01T00:00:00Z"),
    random: systemRandom,
    logger: new Logger(),
  },
});

async function get(path: string): Promise<APIGatewayProxyResult> {
  const event = {
    httpMethod: "GET",
    path,
    headers: { Host: "api.example.com", "X-Forwarded-Proto": "https" },
    queryStringParameters: null,
    pathParameters: null,
    body: null,
    requestContext: { path: `/prod${path}`, identity: { sourceIp: "192.0.2.1" } },
  } as unknown as APIGatewayProxyEvent;
  return handler(event, { getRemainingTimeInMillis: () => 30_000 } as Context);
}

const schemas = new Ajv2020({ strict: true });
addFormats.default(schemas);

const pages = ["/docs", "/docs/errors", "/docs/sandbox", "/docs/upstream"];

describe("the documentation pages:", () => {
  it.each(pages)("%s is a page that needs no key", async (path) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      "Content-Type": "text/html; charset=utf-8",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": expect.stringMatching(/^req_/),
    });
    expect(answer.body).toMatch(/^<!doctype html>/);
  });

  it.each(pages)(
    "%s loads nothing from elsewhere: its inline styles and scripts are allowed by digest",
    async (path) => {
      const { headers, body } = await get(path);
      const policy = String(headers?.["Content-Security-Policy"]);
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      const inlined = [...body.matchAll(/<(style|script)\b[^>]*>([^]*?)<\/\1>/g)];
      expect(inlined.length).toBeGreaterThan(0);
      for (const [, kind, text = ""] of inlined) {
        const digest = createHash("sha256").update(text).digest("base64");
        expect(policy).toContain(`${kind}-src 'sha256-${digest}'`);
      }
      // Escaped text in a code listing loads nothing, even if it contains addresses.
      const withoutListings = body.replaceAll(/<pre>[^<>]*<\/pre>/g, "");
      expect(withoutListings).not.toMatch(/\s(src|on\w+|style)=|url\(|@import|https?:\/\//);
    },
  );

  it("/docs/errors advises to retry a CONFLICT exactly if its message does", async () => {
    const { body } = await get("/docs/errors");
    const section = /<section id="CONFLICT">[^]*?<\/section>/.exec(body)?.[0];
    expect(section).toContain(
      "<b>Retry:</b> if <code>message</code> asks you to, with exponential backoff",
    );
    expect(section).not.toContain("Wait until");
    expect(inFlight().message).toContain("Try again");
  });

  it("/docs stores the API key nowhere", async () => {
    expect((await get("/docs")).body).not.toMatch(/localStorage|sessionStorage|cookie|indexedDB/);
  });

  it("/docs/errors has an anchor for every error code", async () => {
    const { body } = await get("/docs/errors");
    for (const code of Object.keys(errorGuide)) expect(body).toContain(`id="${code}"`);
  });

  it("/docs/sandbox lists every reserved id of every platform, and the IDs that delist", async () => {
    const { body } = await get("/docs/sandbox");
    for (const [platform, ids] of Object.entries(reservedIds)) {
      const section = body.split(`<section id="${platform}">`)[1]?.split("</section>")[0] ?? "";
      for (const { id } of ids) expect(section).toContain(`<code>${id}</code>`);
    }
    for (const { description } of Object.values(delistingIds)) expect(body).toContain(description);
  });

  it("/docs/upstream shows schemas that accept its own examples, for every scraper", async () => {
    const { body } = await get("/docs/upstream");
    for (const scraper of stepScraperIds) {
      const section = body.split(`<h3 id="${scraper}">`)[1]?.split("<h3")[0] ?? "";
      const shown = (kind: string): object => {
        const text = section.split(`<details class="${kind}">`)[1]?.split(/<\/?pre>/)[1] ?? "";
        return JSON.parse(
          text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
        ) as object;
      };
      const [isRequest, isReply] = ["request-schema", "reply-schema"].map((kind) =>
        schemas.compile(shown(kind)),
      );
      expect(isRequest?.(shown("request-example")), scraper).toBe(true);
      expect(isReply?.(shown("reply-example")), scraper).toBe(true);
      expect(isRequest?.({ ...shown("request-example"), scraper: "another" })).toBe(false);
      expect(isReply?.({ results: [{ id: "1", status: "ok" }] })).toBe(false);
    }
  });

  it("/docs/upstream shows schemas that accept the answers of the sandbox", async () => {
    const { body } = await get("/docs/upstream");
    for (const scraper of scraperIds) {
      const section = body.split(`<h3 id="${scraper}">`)[1]?.split("<h3")[0] ?? "";
      const text = section.split('<details class="reply-schema">')[1]?.split(/<\/?pre>/)[1] ?? "";
      const isReply = schemas.compile(JSON.parse(text) as object);
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

  it("/v1/openapi.json contains the address that the client called, with its path prefix", async () => {
    const answer = await get("/v1/openapi.json");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers?.["Content-Type"]).toBe("application/json");
    expect(JSON.parse(answer.body)).toMatchObject({
      openapi: "3.1.0",
      servers: [{ url: "https://api.example.com/prod" }],
    });
  });
});

describe("the status of an unknown or retired path", () => {
  it.each([
    ["/docs/nothing", 404, "NOT_FOUND"],
    ["/v1/nothing", 404, "NOT_FOUND"],
    ["/v1/scrape", 410, "GONE"],
    ["/v1/jobs/17", 410, "GONE"],
    ["/v1/batches", 410, "GONE"],
  ])("%s is %d", async (path, status, code) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
  });
});
