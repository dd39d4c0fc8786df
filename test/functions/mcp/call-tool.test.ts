import type { Logger } from "@aws-lambda-powertools/logger";
import { describe, expect, it } from "vitest";
import { callTool, type McpCall, type ToolResult } from "../../../functions/mcp/call-tool.ts";
import type { Tool } from "../../../functions/mcp/tool.ts";
import { tools } from "../../../functions/mcp/tools.ts";
import { watchlistNotFound } from "../../../shared/base/errors.ts";
import { scopes } from "../../../shared/accounts/scopes.ts";
import { newWork, type Work, within } from "../../../shared/observability/work-log.ts";

/** Calls a tool whose route is replaced by `handle`. */
async function callWith(
  tool: Tool,
  sent: Readonly<Record<string, unknown>>,
  handle: Tool["route"]["handle"],
): Promise<{ result: ToolResult; work: Work; logged: unknown[] }> {
  const work = newWork({});
  const logged: unknown[] = [];
  const logger = { error: (...line: unknown[]) => logged.push(line) } as unknown as Logger;
  const call = {
    caller: { accountId: "acct_1", keyId: "key_1", demo: false, scopes },
    requestId: "req_1",
    now: new Date("2026-11-28T12:00:00Z"),
  } as unknown as McpCall["call"];
  const dependencies = { logger } as unknown as McpCall["dependencies"];
  const replaced = { ...tool, route: { ...tool.route, handle } };
  const result = await within(work, () => callTool(replaced, sent, { call, dependencies }));
  return { result, work, logged };
}

const named = (name: string): Tool => {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
};
const unreached = () => Promise.reject(new Error("The route was executed."));
const items = { platform: "retailer_d", ids: ["9000001"] };

describe("a call of an MCP tool", () => {
  it.each([
    ["read_products", items],
    ["read_offers", { ids: ["B00EXAMPLE"] }],
    ["create_watchlist", { name: "A", ...items, every: "1h" }],
    ["back_test", { watchlist_id: "wl_1", pipeline: { steps: [] } }],
  ])(
    "is refused before its route is executed if it calls the tool %s without a credit cap",
    async (name, sent) => {
      const { result } = await callWith(named(name), sent, unreached);
      expect(result.structuredContent["error"]).toMatchObject({
        code: "MISSING_PARAM",
        param: named(name).cap?.name,
        request_id: "req_1",
      });
    },
  );

  it("returns the result a second time as JSON text, for clients that read only text", async () => {
    const { result } = await callWith(named("list_platforms"), {}, async () => ({
      status: 200,
      body: { data: [{ id: "retailer_d" }] },
    }));
    expect(result.content.map(({ text }) => text)).toEqual([
      "1 platform.",
      JSON.stringify(result.structuredContent),
    ]);
  });

  it("treats a null argument as absent", async () => {
    const calls: unknown[] = [];
    await callWith(
      named("read_products"),
      { ...items, marketplace: null, max_credits: 1 },
      async ({ body }) => {
        calls.push(body);
        return { status: 200, body: {} };
      },
    );
    expect(calls).toMatchObject([{ ids: ["9000001"], maxCredits: 1 }]);
  });

  it("names MCP tools instead of HTTP routes in error messages", async () => {
    const { result } = await callWith(named("get_watchlist"), { watchlist_id: "wl_1" }, () =>
      Promise.reject(watchlistNotFound("wl_1")),
    );
    expect(result.content[0]?.text).toContain("list_watchlists");
    expect(result.content[0]?.text).not.toContain("/v1/");
  });

  it("passes path parameters, the query and the body to the HTTP route", async () => {
    const calls: unknown[] = [];
    const record: Tool["route"]["handle"] = async ({ path, query, body }) => {
      calls.push({ path, query, body });
      return { status: 200, body: { data: [] } };
    };
    const list = { watchlist_id: "wl_1", limit: 5 };
    await callWith(named("list_watchlist_items"), list, record);
    await callWith(named("pause_watchlist"), { watchlist_id: "wl_1" }, record);
    expect(calls).toMatchObject([
      { path: { id: "wl_1" }, query: { limit: 5 } },
      { path: { id: "wl_1" }, body: { status: "paused" } },
    ]);
  });

  it("is logged and counted like an HTTP call with status 500 after an internal error", async () => {
    const { result, work, logged } = await callWith(named("list_platforms"), {}, () =>
      Promise.reject(new Error("a bug")),
    );
    expect(result.content[0]?.text).toMatch(/^INTERNAL/);
    expect(JSON.stringify(result)).not.toContain("a bug");
    expect(work.metrics).toContainEqual(
      expect.objectContaining({ values: { unforeseen_errors: 1 } }),
    );
    expect(logged).toHaveLength(1);
    expect(work.keys["tool"]).toBe("list_platforms");
  });
});
