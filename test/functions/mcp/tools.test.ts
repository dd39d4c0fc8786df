import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { accountRoutes } from "../../../functions/account/handler.ts";
import { offerRoutes } from "../../../functions/offers/handler.ts";
import { platformRoutes } from "../../../functions/platforms/handler.ts";
import { productRoutes } from "../../../functions/products/handler.ts";
import { watchlistRoutes } from "../../../functions/watchlists/handler.ts";
import { inputSchema } from "../../../functions/mcp/input-schema.ts";
import { tools, toolsOf } from "../../../functions/mcp/tools.ts";
import { hasEffects, scopesOf } from "../../../functions/routes.ts";
import type { Scope } from "../../../shared/accounts/scopes.ts";

const namesFor = (scopes: readonly Scope[], demo = false): readonly string[] =>
  toolsOf({ scopes, demo }).map(({ name }) => name);

describe("the MCP tools", () => {
  it("execute the routes of their HTTP operations, with an argument for each path parameter", async () => {
    const routes: Readonly<Record<string, unknown>> = {
      ...accountRoutes,
      ...offerRoutes,
      ...platformRoutes,
      ...productRoutes,
      ...watchlistRoutes,
    };
    for (const { key, route, path = {}, name } of tools) {
      const found = routes[key];
      expect(route, name).toBe(typeof found === "function" ? await found() : found);
      const params = [...key.matchAll(/\{(\w+)\}/g)].map(([, param]) => param);
      expect(
        Object.values(path).map(({ param }) => param),
        name,
      ).toEqual(params);
    }
  });

  it("have unique names, and valid JSON Schema 2020-12 schemas whose required arguments exist", () => {
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

  it("require a cap on credits if they read items or create a watchlist", () => {
    const capped = tools.filter(({ cap }) => cap?.name.startsWith("max_credits"));
    expect(capped.map(({ name }) => name)).toEqual([
      "read_products",
      "read_offers",
      "create_watchlist",
    ]);
    const without = tools.filter((tool) => scopesOf(tool.key).includes("spend") && !tool.cap);
    expect(without.map(({ key }) => key)).toEqual([
      "POST /v1/watchlists/{id}/items",
      "PATCH /v1/watchlists/{id}",
      "PATCH /v1/watchlists/{id}",
    ]);
  });

  it("show no deprecated argument, and do not allow null for a cap", () => {
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

describe("the list of MCP tools for an API key", () => {
  it("contains only tools that the scopes of the key allow", () => {
    const effects = tools.filter(({ key }) => hasEffects(key)).map(({ name }) => name);
    expect(namesFor(["read"])).toEqual(expect.not.arrayContaining(effects));
    expect(namesFor(["read"])).toContain("back_test");
    expect(namesFor(["spend"])).toEqual(["list_platforms", "read_products", "read_offers"]);
    expect(namesFor(["write"])).toEqual(["list_platforms"]);
    expect(namesFor(["read", "spend", "write"])).toHaveLength(tools.length);
  });

  it("contains only tools that read if the key belongs to the demo workspace", () => {
    expect(namesFor(["read", "spend", "write"], true)).toEqual(namesFor(["read"]));
  });
});
