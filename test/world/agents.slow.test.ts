import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../shared/accounts/scopes.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import { startTestWorld, type World } from "../support/local-world.ts";

let world: World;
beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

const owner = () => apiClient(world.baseUrl, world.apiKey);
const balance = async (): Promise<unknown> =>
  (await owner().get("/account")).body["credit_balance"];
const keyWith = async (scopes: readonly Scope[]): Promise<string> =>
  String((await owner().send("POST", "/api_keys", { name: "agent", scopes })).body["key"]);

interface Called {
  /** The text of the result. */
  readonly text: string;
  readonly isError: boolean;
  readonly result: Readonly<Record<string, unknown>>;
}

interface Agent {
  readonly names: readonly string[];
  readonly protocol: string | undefined;
  readonly call: (name: string, sent?: Readonly<Record<string, unknown>>) => Promise<Called>;
  readonly close: () => Promise<void>;
}

/** Connects the SDK's client to `/mcp`. By default, the client speaks the protocol of 2025. */
async function connect(key: string, mode: "legacy" | "auto" = "legacy"): Promise<Agent> {
  const client = new Client({ name: "agent", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.baseUrl}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  return {
    names: (await client.listTools()).tools.map(({ name }) => name),
    protocol: client.getNegotiatedProtocolVersion(),
    async call(name, sent = {}) {
      const {
        content,
        isError = false,
        structuredContent,
      } = await client.callTool({
        name,
        arguments: { ...sent },
      });
      const [first] = content as { text: string }[];
      return {
        text: first?.text ?? "",
        isError,
        result: structuredContent as Called["result"],
      };
    },
    close: () => client.close(),
  };
}

const items = { platform: "retailer_d", ids: ["9000001", "9000007"] };

/** Creates a watchlist and waits for the end of its first run. */
async function watchlistWithRun(): Promise<string> {
  const { body } = await owner().send("POST", "/watchlists", {
    name: "Espresso",
    ...items,
    every: "1h",
  });
  const id = String(body["id"]);
  await expect
    .poll(async () => (await owner().get(`/watchlists/${id}`)).body["last_run_status"])
    .toBe("completed");
  return id;
}

const pipeline = {
  steps: [
    {
      id: "check",
      scraper: "retailer_d.standard",
      routes: [{ when: "ok", field: "price", op: "below", value: 1_000, notify: true }],
    },
  ],
};

describe("an agent with a key that can read and spend", () => {
  it("can read, estimate and back-test, and is refused a read or back-test that has no cap or would exceed its cap", async () => {
    const id = await watchlistWithRun();
    const agent = await connect(await keyWith(["read", "spend"]));
    const lines: string[] = [];
    const session = async (
      name: string,
      sent: Readonly<Record<string, unknown>>,
    ): Promise<Called> => {
      const called = await agent.call(name, sent);
      lines.push(`> ${name} ${JSON.stringify(sent)}`, called.text);
      return called;
    };
    const before = Number(await balance());
    const since = new Date(Date.now() - 2.5 * 86_400_000).toISOString();
    const test = { watchlist_id: id, pipeline };

    await session("read_products", items);
    await session("read_products", { ...items, max_credits: 1 });
    await session("back_test", test);
    await session("back_test", { ...test, since, max_days: 1 });
    await session("create_watchlist", { name: "More", ...items, every: "1h" });
    expect(await balance()).toBe(before);

    const read = await session("read_products", { ...items, max_credits: 2 });
    expect(read.result).toMatchObject({ credits: 2, results: [{ status: "ok" }, {}] });
    expect(await balance()).toBe(before - 2);
    await session("estimate_watchlist", { watchlist_id: id, every: "15m" });
    const tested = await session("back_test", { ...test, max_days: 1 });
    expect(tested.result).toMatchObject({ object: "watchlist_backtest" });
    expect(await balance()).toBe(before - 2);
    await agent.close();

    const recorded = lines
      .join("\n")
      .replaceAll(id, "wl_1")
      .replaceAll(since, "2026-11-25T20:00:00.000Z");
    const page = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");
    expect(/```\n(?<session>> [^`]+)\n```/.exec(page)?.groups?.["session"]).toBe(recorded);
  });

  it("sees no tool that changes watchlists, and gets 403 UNAUTHORIZED if it calls one", async () => {
    const agent = await connect(await keyWith(["read", "spend"]));
    expect(agent.names).not.toContain("pause_watchlist");
    const { isError, result } = await agent.call("pause_watchlist", { watchlist_id: "wl_1" });
    expect(isError).toBe(true);
    expect(result["error"]).toMatchObject({
      code: "UNAUTHORIZED",
      status: 403,
      param: "scopes",
      message: expect.stringContaining("lacks the scope 'write'"),
    });
    await agent.close();
  });
});

describe("an agent with a key that has every scope", () => {
  it("creates, changes, pauses and resumes a watchlist with the MCP protocol version of 2026", async () => {
    const agent = await connect(world.apiKey, "auto");
    expect(agent.protocol).toBe("2026-07-28");
    const uncapped = await agent.call("create_watchlist", { name: "A", ...items, every: "1h" });
    expect(uncapped.result["error"]).toMatchObject({ param: "max_credits_per_run" });
    const created = await agent.call("create_watchlist", {
      name: "A",
      ...items,
      every: "1h",
      status: "paused",
      max_credits_per_run: 10,
    });
    expect(created.result).toMatchObject({ item_count: 2, max_credits_per_run: 10 });
    const watchlist = { watchlist_id: String(created.result["id"]) };

    const changed = await agent.call("change_watchlist_items", { ...watchlist, add: ["9000000"] });
    expect(changed.text).toBe("Added 1, removed 0. The watchlist has 3 items.");
    expect((await agent.call("resume_watchlist", watchlist)).result["status"]).toBe("active");
    expect((await agent.call("pause_watchlist", watchlist)).result["status"]).toBe("paused");
    const listed = await agent.call("list_watchlist_items", { ...watchlist, limit: 2 });
    expect(listed.text).toMatch(/^2 items; there are more/);
    const missing = await agent.call("get_watchlist", { watchlist_id: "wl_none" });
    expect(missing.result["error"]).toMatchObject({ code: "NOT_FOUND", status: 404 });
    const misspelled = await agent.call("list_changes", { limits: 2 });
    expect(misspelled.text).toContain("Did you mean 'limit'?");
    await expect(agent.call("delete_everything")).rejects.toThrow("Unknown tool");
    await agent.close();
  });

  it("sees the account as the HTTP API returns it, with a summary of the balance and the budget", async () => {
    const agent = await connect(world.apiKey);
    await owner().send("PATCH", "/account", { daily_credit_budget: 1_000_000 });
    const { text, result } = await agent.call("get_account");
    const { body } = await owner().get("/account");
    await owner().send("PATCH", "/account", { daily_credit_budget: null });
    // The forecast depends on the time of the call.
    expect(result).toEqual({ ...body, forecast: expect.any(Object) });
    const [left, charged] = [body["credit_balance"], body["credits_spent_today"]].map(String);
    expect(text).toBe(
      `The balance is ${left} credits. Charged today: ${charged} credits. ` +
        `The daily budget leaves ${String(body["daily_credits_left"])} credits for today.`,
    );
    await agent.close();
  });

  it("gets the URL of a watchlist as the HTTP API returns it", async () => {
    const id = await watchlistWithRun();
    const agent = await connect(world.apiKey);
    const { result } = await agent.call("get_watchlist", { watchlist_id: id });
    expect(result).toEqual((await owner().get(`/watchlists/${id}`)).body);
    await agent.close();
  });
});

describe("an agent with the key of the demo workspace", () => {
  it("sees only tools that read", async () => {
    const agent = await connect(world.demoApiKey);
    expect(agent.names).toContain("list_changes");
    expect(agent.names).not.toContain("read_products");
    const refused = await agent.call("read_products", { ...items, max_credits: 2 });
    expect(refused.result["error"]).toMatchObject({ code: "DEMO_READ_ONLY" });
    await agent.close();
  });
});

describe("a call of /mcp", () => {
  const send = async (
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Response> =>
    fetch(`${world.baseUrl}/mcp`, {
      method,
      headers: {
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  const authorized = () => ({ Authorization: `Bearer ${world.apiKey}` });
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

  it.each(["GET", "DELETE"])("with the method %s gets 405", async (method) => {
    const answer = await send(method, authorized());
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });

  it("gets a JSON response with the headers of every call, and no session", async () => {
    const answer = await send("POST", authorized(), list);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.headers.get("x-ratelimit-limit")).toBe("50");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    expect(answer.headers.get("mcp-session-id")).toBeNull();
    expect(await answer.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });

  it("gets 401 if it has no key, and 403 if a page of another site sends it", async () => {
    expect((await send("POST", {}, list)).status).toBe(401);
    const origin = { ...authorized(), Origin: "https://evil.example" };
    expect((await send("POST", origin, list)).status).toBe(403);
  });

  it.each([
    { name: "a batch", body: `[${list}]`, code: -32_600, message: "batches are not supported" },
    { name: "an empty batch", body: "[]", code: -32_600, message: "batches are not supported" },
    { name: "invalid JSON", body: "{", code: -32_700, message: "The body is not valid JSON" },
    { name: "another object", body: '{"ids":[]}', code: -32_600, message: "Unknown field 'ids'" },
  ])(
    "gets 400 with a JSON-RPC error for an invalid body: $name",
    async ({ body, code, message }) => {
      const answer = await send("POST", authorized(), body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({
        jsonrpc: "2.0",
        id: null,
        error: {
          code,
          message: expect.stringContaining(message),
          data: expect.objectContaining({ code: "INVALID_PARAM", docs: expect.any(String) }),
        },
      });
    },
  );

  it("gets an error if the call subscribes to changes", async () => {
    const agentKey = authorized();
    const answer = await send(
      "POST",
      { ...agentKey, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" },
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "agent", version: "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    );
    expect(await answer.text()).toContain('"error"');
  });
});
