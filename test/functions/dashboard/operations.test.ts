import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { createHandler } from "../../../functions/dashboard/handler.ts";
import { dashboardAssets } from "../../../tools/dashboard/assets.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";

const demoKey = `svc_demo_${"0".repeat(38)}`;

async function get(
  path: string,
  demoApiKey = demoKey,
  sent: Readonly<Record<string, string>> = {},
): Promise<APIGatewayProxyResult> {
  const handler = createHandler({
    STAGE: "dev",
    RESPONSE_MODE: "buffered",
    DEMO_API_KEY: demoApiKey,
  });
  const headers = { Host: "api.example.com", ...sent };
  const event = gatewayEvent({ path, calledPath: `/prod${path}`, headers });
  return handler(event, gatewayContext);
}

/** Paths of the files that the page references. */
async function filesOf(): Promise<readonly string[]> {
  const { body } = await get("/dashboard");
  return [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = ""]) => file);
}

describe("the response to GET /dashboard:", () => {
  it("the page references a script, a style sheet and an icon by relative paths", async () => {
    expect(await filesOf()).toEqual([
      expect.stringMatching(/^dashboard\/icon-[\w-]{10}\.svg$/),
      expect.stringMatching(/^dashboard\/app-[\w-]{10}\.css$/),
      expect.stringMatching(/^dashboard\/app-[\w-]{10}\.js$/),
    ]);
  });

  it("the page must be revalidated at every request, and its files may be cached for a year", async () => {
    expect((await get("/dashboard")).headers?.["Cache-Control"]).toBe("public, no-cache");
    for (const file of await filesOf()) {
      const { statusCode, headers } = await get(`/${file}`);
      expect(statusCode).toBe(200);
      expect(headers?.["Cache-Control"]).toBe("public, max-age=31536000, immutable");
    }
  });

  it("every response forbids inline scripts and styles, other hosts, and frames", async () => {
    for (const path of ["/dashboard", "/dashboard/config.json", ...(await filesOf())]) {
      const { headers } = await get(path.startsWith("/") ? path : `/${path}`);
      const policy = String(headers?.["Content-Security-Policy"]);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers).toMatchObject({
        "X-Content-Type-Options": "nosniff",
        "Strict-Transport-Security": "max-age=31536000",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
      });
    }
  });

  it("the embedded configuration contains the demo workspace's key if one is configured", async () => {
    expect(JSON.parse((await get("/dashboard/config.json")).body)).toEqual({
      demo_api_key: demoKey,
    });
    expect(JSON.parse((await get("/dashboard/config.json", "none")).body)).toEqual({
      demo_api_key: null,
    });
  });
});

describe("GET /dashboard/ returns 308 and", () => {
  it("redirects to the address without the slash, below any prefix", async () => {
    const { statusCode, headers } = await get("/dashboard/");
    expect(statusCode).toBe(308);
    const from = new URL("https://api.example.com/prod/dashboard/");
    expect(new URL(String(headers?.["Location"]), from).href).toBe(
      "https://api.example.com/prod/dashboard",
    );
  });
});

describe("the dashboard's function", () => {
  it("returns 404 with a page that links to the dashboard if a browser opens an unknown address", async () => {
    const accept = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const { statusCode, headers, body } = await get("/dashboard/foo", demoKey, accept);
    expect(statusCode).toBe(404);
    expect(headers?.["Content-Type"]).toBe("text/html; charset=utf-8");
    expect(headers?.["Content-Security-Policy"]).toMatch(/^default-src 'none'/);
    const link = /href="([^"]+)"/.exec(body)?.[1] ?? "";
    expect(new URL(link, "https://api.example.com/prod/dashboard/foo").pathname).toBe(
      "/prod/dashboard",
    );
  });

  it.each(["/dashboard/app.js", "/dashboard/constructor", "/dashboard/a/b"])(
    "returns 404 for the unknown path %s",
    async (path) => {
      expect((await get(path)).statusCode).toBe(404);
    },
  );
});

describe("the dashboard's generated file", () => {
  const { path, text } = dashboardAssets();
  const assets = JSON.parse(text) as {
    index: string;
    files: Record<string, { readonly text: string }>;
  };
  const texts = [assets.index, ...Object.values(assets.files).map((file) => file.text)];

  it("equals the output of `npm run dashboard` for the current sources", () => {
    expect(readFileSync(path, "utf8") === text, `${path} is stale`).toBe(true);
  });

  it("contains files of less than 160 KB in total after compression", () => {
    const bytes = texts.reduce((sum, one) => sum + gzipSync(one).length, 0);
    expect(bytes).toBeLessThan(160 * 1_024);
    expect(bytes).toBeGreaterThan(10 * 1_024);
  });

  it("references no other host, and its style sheet loads no other file", () => {
    for (const one of texts) {
      const hosts = [...one.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
      // www.w3.org is part of an XML namespace name, which no browser requests.
      expect(hosts.filter((host) => host !== "www.w3.org")).toEqual([]);
      expect(one).not.toMatch(/@import|@font-face/);
    }
  });
});
