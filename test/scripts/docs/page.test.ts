import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import document from "../../../functions/meta/generated/openapi.json" with { type: "json" };
import { docsPages } from "../../../scripts/docs/pages.ts";
import { type FakeElement, openPage } from "../../support/browser-page.ts";

const script = /<script[^>]*>([^]*)<\/script>/.exec(docsPages().docs.html)?.[1] ?? "";
const key = "svc_live_example";

let calls: { readonly url: string; readonly init: RequestInit }[];
let page: FakeElement;

beforeEach(async () => {
  calls = [];
  page = await openPage({
    url: "https://api.example.com/prod/docs",
    script,
    fetch: async (url, init) => {
      calls.push({ url, init });
      return url.endsWith("/openapi.json")
        ? Response.json(document)
        : Response.json({ done: true }, { status: 202, headers: { "X-Request-Id": "req_1" } });
    },
  });
});

/** The element of an operation, opened. */
function opened(operationId: string): FakeElement {
  const details = page.find(({ attributes }) => attributes["id"] === operationId);
  details.dispatch("toggle");
  return details;
}

const keyField = (): FakeElement =>
  page.find(({ attributes }) => attributes["type"] === "password");

async function send(operation: FakeElement): Promise<string> {
  operation.find(({ name }) => name === "button").dispatch("click");
  for (let turns = 0; turns < 5; turns += 1) await nextTurn();
  return operation.find(({ attributes }) => attributes["aria-live"] === "polite").textContent;
}

describe("the documentation page", () => {
  it("shows every operation of the document with its summary", () => {
    for (const methods of Object.values(document.paths)) {
      for (const { operationId, summary } of Object.values(methods)) {
        const shown = page.find(({ attributes }) => attributes["id"] === operationId);
        expect(shown.textContent).toContain(summary);
      }
    }
  });

  it("shows parameters, bodies and answers of an operation that is opened", () => {
    const text = opened("createWatchlist").textContent;
    for (const part of ["refresh_every_runs", "items_by_state", "DEMO_READ_ONLY", "Try it"]) {
      expect(text).toContain(part);
    }
  });

  it("shows every variant of a body by its name", () => {
    const text = opened("readProducts").textContent;
    for (const part of ["ReadRetailerAProducts", "ReadRetailerDProducts", "entries at most 1000"]) {
      expect(text).toContain(part);
    }
  });

  it("calls only its own service, under the prefix of its address", async () => {
    await send(opened("listWatchlists"));
    expect(calls.map(({ url }) => url)).toEqual([
      "https://api.example.com/prod/v1/openapi.json",
      "https://api.example.com/prod/v1/watchlists",
    ]);
  });

  it("sends the key, the body and the filled-in parameters, and shows the answer", async () => {
    keyField().value = key;
    const operation = opened("createWatchlist");
    operation.find(({ name }) => name === "textarea").value = '{"name":"Mine"}';
    const shown = await send(operation);
    expect(calls[1]).toMatchObject({
      url: "https://api.example.com/prod/v1/watchlists",
      init: {
        method: "POST",
        body: '{"name":"Mine"}',
        credentials: "omit",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      },
    });
    expect(shown).toBe('HTTP 202\nx-request-id: req_1\n\n{\n  "done": true\n}');
  });

  it("encodes path and query parameters, and omits empty ones", async () => {
    const operation = opened("listWatchlistItems");
    const inputs = operation.all().filter(({ name }) => name === "input");
    const values: Record<number, string> = { 0: "wl_a/b", 1: "5" };
    for (const [n, input] of inputs.entries()) input.value = values[n] ?? "";
    await send(operation);
    expect(calls[1]?.url).toBe("https://api.example.com/prod/v1/watchlists/wl_a%2Fb/items?limit=5");
  });

  it("sends no key with a public call", async () => {
    keyField().value = key;
    await send(opened("listPlatforms"));
    expect(JSON.stringify(calls[1])).not.toContain(key);
  });
});
