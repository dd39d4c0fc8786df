import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { documented } from "../support/openapi.ts";
import { eventually, type RunningWorld, startRunningWorld } from "../support/running-world.ts";

const run = promisify(execFile);

type Entry = Readonly<Record<string, unknown>>;

/** Longer than the runs take on a busy machine. */
const patienceSeconds = 300;
let world: RunningWorld;
let demo: ApiClient;

beforeAll(async () => {
  world = await startRunningWorld([]);
  demo = documented(apiClient(world.ready["base_url"] ?? "", world.ready["demo_api_key"] ?? ""));
});
afterAll(() => world.dispose());

async function entries(path: string): Promise<readonly Entry[]> {
  const { status, body } = await demo.get(path);
  expect(status).toBe(200);
  return Array.isArray(body["data"]) ? body["data"] : [];
}

/** Returns the watchlists as soon as each has at least this number of runs. */
const listsAfter = (runs: number): Promise<readonly Entry[]> =>
  eventually(`${runs} runs of every list`, patienceSeconds, async () => {
    const lists = await entries("/watchlists");
    const ran = lists.filter((list) => Number(list["run_count"]) >= runs);
    return ran.length >= 3 && ran.length === lists.length ? lists : undefined;
  });

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

describe("the demo workspace of npm start", () => {
  it("has watchlists of several platforms with runs, history, changes, deliveries and usage", async () => {
    const lists = await listsAfter(2);
    expect(new Set(lists.map((list) => list["platform"])).size).toBeGreaterThanOrEqual(3);
    for (const { id } of lists) {
      const runs = await eventually("the runs' ends", patienceSeconds, async () => {
        const found = await entries(`/watchlists/${String(id)}/runs`);
        return found.every(({ status }) => status !== "running") ? found : undefined;
      });
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["completed"]));
      const items = await entries(`/watchlists/${String(id)}/items`);
      expect(items.filter(({ snapshot: read }) => read !== null)).not.toEqual([]);
    }
    await eventually("a delivered change", patienceSeconds, async () => {
      const delivered = await entries("/webhook_deliveries?state=delivered");
      return delivered.find(({ event_type: type }) => type === "watchlist.product.changed");
    });
    const { body } = await demo.get("/usage?days=30");
    expect(body["daily"]).toContainEqual(
      expect.objectContaining({ credits: expect.toSatisfy((credits: number) => credits > 0) }),
    );
  });

  it("has watchlists of thousands of items, with 90 days of history and with labels and titles", async () => {
    const large = (await entries("/watchlists")).filter(
      ({ item_count: count }) => Number(count) >= 1_000,
    );
    expect(large.length).toBeGreaterThanOrEqual(2);
    for (const { id } of large) {
      expect(await entries(`/watchlists/${String(id)}/changes?limit=10`)).toHaveLength(10);
      const oldest = `/watchlists/${String(id)}/changes?limit=1&until=${daysAgo(80)}`;
      expect(await entries(oldest)).toHaveLength(1);
      const items = await entries(`/watchlists/${String(id)}/items?limit=20`);
      expect(items.some(({ label }) => label !== null)).toBe(true);
      // The sandbox does not return a title of every item at all times.
      expect(items.filter(({ title }) => title !== null).length).toBeGreaterThan(10);
    }
  });

  it("has usage for 90 days, with a charge in the ledger for each past run", async () => {
    const counts = (await entries("/watchlists"))
      .filter(({ item_count: count }) => Number(count) >= 1_000)
      .map(({ items_by_state: states }) => (states as { readonly active: number }).active);
    // A past run charged each item that was not delisted yet, so no day cost less than the newest
    // day.
    const dailyMin = counts.reduce((sum, active) => sum + active, 0);
    const { body } = await demo.get("/usage?days=89");
    const days = Array.isArray(body["daily"]) ? body["daily"] : [];
    // The newest run ended a few minutes ago, perhaps on the day before.
    expect(days.filter(({ credits }) => credits >= dailyMin).length).toBeGreaterThanOrEqual(88);
    const env = { ...process.env, LOCAL_DIR: world.folder };
    const { stdout } = await run(process.execPath, ["scripts/admin.ts", "reconcile"], { env });
    expect(stdout).toContain("no differences");
  });

  it("sends nothing to the local receiver", async () => {
    const answer = await fetch(`${world.ready["webhook_receiver_url"]}/deliveries`);
    expect(await answer.json()).toEqual([]);
  });

  it("refuses every change that is requested with its API key, and has no other key", async () => {
    const [list] = await entries("/watchlists");
    for (const [method, path, body] of [
      [
        "POST",
        "/watchlists",
        { name: "Mine", platform: "retailer_d", ids: ["9000001"], every: "1d" },
      ],
      ["PATCH", `/watchlists/${String(list?.["id"])}`, { name: "Mine" }],
      ["POST", "/api_keys", { name: "Mine" }],
    ] as const) {
      const answer = await demo.send(method, path, body);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ error: { code: "DEMO_READ_ONLY" } });
    }
    const keys = await entries("/api_keys");
    expect(keys.map(({ prefix }) => String(prefix).startsWith("svc_demo_"))).toEqual([true]);
  });

  it("has the same watchlists, without duplicates, after the local world restarts", async () => {
    const before = await entries("/watchlists");
    await world.kill();
    await world.start();
    demo = apiClient(world.ready["base_url"] ?? "", world.ready["demo_api_key"] ?? "");
    const after = await entries("/watchlists");
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});
