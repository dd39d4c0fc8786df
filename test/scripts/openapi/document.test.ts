import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { deprecations } from "../../../functions/http/deprecations.ts";
import { isPublic, type RouteKey, routes } from "../../../functions/routes.ts";
import { openApiDocument } from "../../../scripts/openapi/document.ts";
import { generatedFiles, generatedFolder } from "../../../scripts/generated-documents.ts";
import { errorGuide } from "../../../tools/documents/error-guide.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}
interface Response {
  readonly headers: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, unknown>>;
  };
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    key: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
);

/**
 * Routes that are not operations: the redirect to the documentation, a page's files, retired routes
 * (410) and unknown routes (404).
 */
const undocumented = [
  "GET /",
  "POST /mcp",
  "GET /dashboard/{file}",
  "GET /docs/assets/{file}",
  "ANY /v1/scrape",
  "ANY /v1/scrape/{proxy+}",
  "ANY /v1/jobs",
  "ANY /v1/jobs/{proxy+}",
  "ANY /v1/batches",
  "ANY /v1/batches/{proxy+}",
  "ANY /{proxy+}",
];

describe("the OpenAPI document", () => {
  it("states that refurbished and collectible offers do not count in usedCount", () => {
    expect(JSON.stringify(document.components.schemas)).toContain(
      "Refurbished and collectible offers are not counted.",
    );
  });

  it("describes exactly the routes that exist", () => {
    const documented = operations.map(({ key }) => key);
    expect([...documented, ...undocumented].sort()).toEqual(Object.keys(routes).sort());
  });

  it("is identical to the output of `npm run openapi`, and so are the pages of /docs", async () => {
    const expected = await generatedFiles();
    const stored = readdirSync(generatedFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(expected.map(({ path }) => path)).toEqual(expect.arrayContaining(stored));
    for (const { path, text } of expected) {
      const bytes = readFileSync(path);
      const content = path.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
      expect(content.toString() === text, `${path} is stale`).toBe(true);
    }
  });

  it("declares exactly the public routes as callable without an API key", () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0);
    const expected = Object.entries(routes).filter(
      ([key]) => isPublic(key as RouteKey) && !undocumented.includes(key),
    );
    expect(open.map(({ key }) => key).sort()).toEqual(expected.map(([key]) => key).sort());
  });
});

describe("every operation of the OpenAPI document", () => {
  it("has a unique operation ID, a known tag, a summary and a description", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { key, operation } of operations) {
      expect(operation.summary, key).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.description, key).toMatch(/\.$/);
      expect(tags, key).toContain(operation.tags[0]);
    }
  });

  it("declares exactly the parameters of its path", () => {
    for (const { key, path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path");
      expect(declared.map(({ name }) => name).sort(), key).toEqual(inPath.sort());
    }
  });

  it("declares the responses 429, 500 and 503, and also 400 and 401 if it is not public", () => {
    for (const { key, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      const wanted = operation.security?.length === 0 ? [] : ["400", "401"];
      expect(statuses, key).toEqual(expect.arrayContaining(["429", "500", "503", ...wanted]));
    }
  });

  it("declares the headers of the request ID and the rate limit in every response, errors included", () => {
    for (const { key, operation } of operations) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(Object.keys(resolved(answer).headers), `${key} ${status}`).toEqual(
          expect.arrayContaining([
            "X-Request-Id",
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            ...(status === "429" ? ["Retry-After"] : []),
          ]),
        );
      }
    }
  });

  it("declares the cost header if and only if the operation charges per item", () => {
    const charged = operations.filter(({ operation }) =>
      Object.values(operation.responses).some(
        (answer) => "X-Service-Credits" in resolved(answer).headers,
      ),
    );
    expect(charged.map(({ key }) => key).sort()).toEqual([
      "GET /v1/products/{id}/offers",
      "POST /v1/offers",
      "POST /v1/offers/check",
      "POST /v1/products",
      "POST /v1/watchlists/{id}/preview",
    ]);
    for (const { key, operation } of charged) {
      expect(Object.keys(operation.responses), key).toEqual(
        expect.arrayContaining(["200", "402", "403", "501"]),
      );
    }
  });
});

describe("deprecated aliases in the OpenAPI document", () => {
  it.each([
    ["ReadRetailerAProductsByAsin", "asins"],
    ["ReadRetailerAProducts", "include"],
    ["ReadOffersByAsin", "asins"],
    ["NewWatchlistWithCadence", "asins"],
    ["NewWatchlistWithCron", "asins"],
    ["Watchlist", "asin_count"],
    ["Watchlist", "asins_by_state"],
    ["WatchlistItem", "asin"],
  ])("are marked as deprecated in the schema %s: the field '%s'", (schema, name) => {
    expect(document.components.schemas[schema]).toMatchObject({
      properties: { [name]: { deprecated: true } },
    });
  });
});

describe("the service's table of deprecations", () => {
  it("lists exactly the deprecated operations and request fields of the OpenAPI document", () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const route = `${method.toUpperCase()} ${path}`;
        const {
          deprecated,
          parameters = [],
          requestBody,
        } = operation as {
          readonly deprecated?: boolean;
          readonly parameters?: readonly { readonly name: string; readonly deprecated?: boolean }[];
          readonly requestBody?: unknown;
        };
        const query = parameters.filter((one) => one.deprecated === true).map(({ name }) => name);
        const fields = query.concat(deprecatedFields(requestBody));
        const named = fields.map((field) => `${route} ${field}`);
        return deprecated === true ? named.concat(route) : named;
      }),
    );
    const listed = deprecations.map(({ route, field }) =>
      field === undefined ? route : `${route} ${field}`,
    );
    expect([...new Set(found)].toSorted()).toEqual(listed.toSorted());
  });
});

/**
 * Returns the names of the deprecated fields in a request body and in the schemas that it
 * references.
 */
function deprecatedFields(part: unknown, seen: ReadonlySet<unknown> = new Set()): string[] {
  if (seen.has(part) || typeof part !== "object" || part === null) return [];
  const { $ref, properties = {} } = part as { $ref?: string; properties?: object };
  const named = document.components.schemas[$ref?.split("/").at(-1) ?? ""];
  const fields = Object.entries(properties)
    .filter(([, field]) => (field as { deprecated?: boolean }).deprecated === true)
    .map(([name]) => name);
  const parts: readonly unknown[] = [named, ...Object.values(part)];
  return [...fields, ...parts.flatMap((one) => deprecatedFields(one, new Set([...seen, part])))];
}

describe("error examples in the OpenAPI document", () => {
  it("have only codes that the errors page explains", () => {
    const codes = [...JSON.stringify(document).matchAll(/"docs":"\/docs\/errors#(\w+)"/g)];
    expect(codes.length).toBeGreaterThan(10);
    for (const [, code] of codes) expect(Object.keys(errorGuide)).toContain(code);
  });
});

/** Returns a response with its reference resolved. */
function resolved(answer: { readonly $ref?: string }): Response {
  const name = answer.$ref?.split("/").at(-1);
  return name === undefined
    ? (answer as Response)
    : (document.components.responses[name] as Response);
}
