import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { checkBacktestDays, requireCap } from "../../../functions/mcp/caps.ts";
import { inputSchema } from "../../../functions/mcp/input-schema.ts";
import { isOwnOrigin } from "../../../functions/mcp/origin.ts";
import { tools, toolsOf } from "../../../functions/mcp/tools.ts";
import { hasEffects, routes, scopesOf } from "../../../functions/routes.ts";
import type { Scope } from "../../../shared/accounts/scopes.ts";
import { gatewayEvent } from "../../support/gateway-event.ts";

const now = new Date("2026-11-28T12:00:00Z");
const namesFor = (scopes: readonly Scope[], demo = false): readonly string[] =>
  toolsOf({ scopes, demo }).map(({ name }) => name);

describe("the tools of agents", () => {
  it("each call a route that exists, with an argument for each path parameter", () => {
    for (const { key, path = {}, name } of tools) {
      expect(routes, name).toHaveProperty([key]);
      const params = [...key.matchAll(/\{(\w+)\}/g)].map(([, param]) => param);
      expect(
        Object.values(path).map(({ param }) => param),
        name,
      ).toEqual(params);
    }
  });

  it("each have another name, and a schema that JSON Schema 2020-12 accepts and whose required arguments exist", () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    for (const tool of tools) {
      const schema = inputSchema(tool);
      const ajv = new Ajv2020({ strict: false, formats: { "date-time": true, uri: true } });
      expect(() => ajv.compile(schema), tool.name).not.toThrow();
      expect(Object.keys(schema.properties), tool.name).toEqual(
        expect.arrayContaining(schema.required),
      );
    }
  });

  it("that charge credits or start runs each require a cap, except for items of a watchlist that has its cap", () => {
    const spending = tools.filter(({ key }) => scopesOf(key).includes("spend"));
    const capped = spending.filter((tool) =>
      inputSchema(tool).required.some((name) => name.startsWith("max_credits")),
    );
    expect(spending.map(({ name }) => name)).toEqual([
      "read_products",
      "read_offers",
      "create_watchlist",
      "change_watchlist_items",
      "pause_watchlist",
      "resume_watchlist",
    ]);
    expect(capped.map(({ name }) => name)).toEqual([
      "read_products",
      "read_offers",
      "create_watchlist",
    ]);
  });

  it("show no deprecated argument, and no null for a cap", () => {
    const products = tools.find(({ name }) => name === "read_products");
    const { properties = {} } = products === undefined ? {} : inputSchema(products);
    expect(Object.keys(properties)).toEqual([
      "platform",
      "marketplace",
      "ids",
      "tier",
      "max_credits",
    ]);
    expect(properties["max_credits"]).toMatchObject({ type: "integer", minimum: 0 });
  });
});

describe("a key sees only tools", () => {
  it("that its scopes allow", () => {
    const effects = tools.filter(({ key }) => hasEffects(key)).map(({ name }) => name);
    expect(namesFor(["read"])).toEqual(expect.not.arrayContaining(effects));
    expect(namesFor(["read"])).toContain("back_test");
    expect(namesFor(["spend"])).toEqual(["list_platforms", "read_products", "read_offers"]);
    expect(namesFor(["write"])).toEqual(["list_platforms"]);
    expect(namesFor(["read", "spend", "write"])).toHaveLength(tools.length);
  });

  it("that read, if the key belongs to the demo workspace", () => {
    expect(namesFor(["read", "spend", "write"], true)).toEqual(namesFor(["read"]));
  });
});

describe("the caps of agents", () => {
  it.each([{}, { max_credits: null }])("refuse a call with %j instead of max_credits", (sent) => {
    expect(() => requireCap("max_credits")(sent)).toThrow("'max_credits' is required");
  });

  it.each([
    [{ max_days: 1 }, undefined],
    [{ max_days: 3, since: "2026-11-26T00:00:00Z" }, undefined],
    [{ max_days: 2, since: "2026-11-26T00:00:00Z", until: "2026-11-28T00:00:00Z" }, undefined],
    [{ max_days: 2, since: "2026-11-26T00:00:00Z" }, "The span is 3 days, but 'max_days' is 2."],
    [{}, "'max_days' is required."],
    [{ max_days: 32 }, "'max_days' must be an integer from 1 to 31 (got 32)."],
    [{ max_days: "2" }, "'max_days' must be an integer from 1 to 31"],
  ])("check the span of the back-test %j", (sent, message) => {
    const check = () => checkBacktestDays(sent, now);
    if (message === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(message);
  });
});

describe("a call with an Origin", () => {
  const isAllowed = (host: string, origin: string | undefined, domain?: string): boolean => {
    const event = gatewayEvent({
      method: "POST",
      path: "/mcp",
      headers: { Host: host, ...(origin !== undefined && { Origin: origin }) },
      query: null,
      body: null,
    });
    const requestContext = { ...event.requestContext, apiId: "abc123" };
    return isOwnOrigin({ ...event, requestContext }, domain);
  };

  it.each([
    ["api.shop-example.com", undefined, true],
    ["api.shop-example.com", "https://api.shop-example.com", true],
    [
      "abc123.execute-api.us-east-1.amazonaws.com",
      "https://abc123.execute-api.us-east-1.amazonaws.com",
      true,
    ],
    ["localhost:3000", "http://localhost:3000", true],
    ["localhost:3000", "http://localhost:4000", false],
    ["api.shop-example.com", "https://evil.example", false],
    ["evil.example", "http://evil.example", false],
    ["localhost:3000", "null", false],
  ])("to %s from %s is allowed: %s", (host, origin, expected) => {
    expect(isAllowed(host, origin, "api.shop-example.com")).toBe(expected);
  });
});
