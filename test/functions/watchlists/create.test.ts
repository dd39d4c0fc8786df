import { beforeEach, describe, expect, it } from "vitest";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

const aBody = { name: "Coffee", platform: "retailer_d", ids: ["9000001", "9000000"], every: "15m" };
const create = (body: object = {}): Promise<Answered> =>
  world.ask("POST ", { body: { ...aBody, ...body } });

const without = (...names: (keyof typeof aBody)[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(aBody).filter(([name]) => !names.some((n) => n === name)));

/** Returns the status and the parameter of an error. */
const refusal = ({ status, json }: Answered): readonly unknown[] => {
  const { code, param } = json["error"] as Record<string, unknown>;
  return [status, code, param];
};

describe("POST /v1/watchlists", () => {
  it("returns 201 with an active watchlist whose items are new and whose first run is due now", async () => {
    const { status, json } = await create();

    const at = world.clock.now().toISOString();
    const counts = { new: 2, active: 0, delisted: 0 };
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^wl_[0-9a-z]{24}$/),
      object: "watchlist",
      name: "Coffee",
      platform: "retailer_d",
      marketplace: "us",
      currency: "USD",
      status: "active",
      paused_reason: null,
      schedule: { type: "every", every: "15m", every_seconds: 900 },
      every: "15m",
      every_seconds: 900,
      refresh_every_runs: 8,
      max_credits_per_run: null,
      daily_credit_budget: null,
      brake: { max_changed_percent: 95, min_items: 50 },
      webhook_url: null,
      webhook_endpoint_id: null,
      webhook_endpoint_status: null,
      item_count: 2,
      items_by_state: counts,
      asin_count: 2,
      asins_by_state: counts,
      pipeline: expect.objectContaining({ entry: "check", baseline: null, refresh: null }),
      default_pipeline: true,
      estimated_credits: { pulseRun: 2, refreshRun: 2, newAsins: 2 },
      blocked_by_limit: null,
      daily_credits_used: null,
      run_count: 0,
      consecutive_skips: 0,
      last_run_at: null,
      last_run_status: null,
      next_run_at: at,
      next_run_times: [15, 30, 45, 60, 75].map((minutes) => minutesLater(minutes)),
      created_at: at,
      updated_at: at,
      url: `https://api.test/v1/watchlists/${String(json["id"])}`,
    });
    expect(await world.ask(`GET /${String(json["id"])}`)).toMatchObject({ status: 200, json });
  });

  it("writes the ID of the watchlist to the call's log line, even if the call returns the stored response for an idempotency key", async () => {
    const headers = { "Idempotency-Key": "one" };
    for (let n = 0; n < 2; n += 1) {
      const { json } = await world.ask("POST ", { body: aBody, headers });
      expect(world.lines.at(-1)).toMatchObject({ message: "call", watchlist_id: json["id"] });
    }
  });

  it("sends a wake-up message for the first run, and creates a schedule that starts with the second run", async () => {
    const { json } = await create();

    const watchlistId = String(json["id"]);
    expect([...world.scheduled.values()]).toEqual([
      {
        accountId: "acct_1",
        watchlistId,
        schedule: { type: "every", every: "15m", everySeconds: 900 },
        firstAt: new Date(minutesLater(15)),
      },
    ]);
    expect(world.waiting).toEqual([
      {
        queue: "due",
        due: { accountId: "acct_1", watchlistId, scheduledTime: json["next_run_at"] },
      },
    ]);
  });

  it("creates a paused watchlist without a schedule and without a due time", async () => {
    const { status, json } = await create({ status: "paused" });

    expect([status, json["status"], json["paused_reason"]]).toEqual([201, "paused", "user"]);
    expect([json["next_run_at"], json["next_run_times"]]).toEqual([null, []]);
    expect(world.scheduled.size).toBe(0);
    expect(world.waiting).toEqual([]);
    expect(await world.watchlists.due(new Date("2030-01-01T00:00:00Z"), 10)).toEqual([]);
  });

  it("creates a paused watchlist that becomes due immediately when a client resumes it", async () => {
    const { json: paused } = await create({ status: "paused" });
    world.clock.set("2026-03-01T13:07:00Z");

    const path = `PATCH /${String(paused["id"])}`;
    const { json } = await world.ask(path, { body: { status: "active" } });
    const scheduledTime = "2026-03-01T13:07:00.000Z";
    expect(json).toMatchObject({ status: "active", paused_reason: null, run_count: 0 });
    expect(json["next_run_at"]).toBe(scheduledTime);
    expect([...world.scheduled.keys()]).toEqual([paused["id"]]);
    expect(world.waiting).toEqual([
      { queue: "due", due: { accountId: "acct_1", watchlistId: paused["id"], scheduledTime } },
    ]);
  });

  it("accepts the status 'active' like a request without a status", async () => {
    const headers = { "Idempotency-Key": "status" };
    const first = await world.ask("POST ", { body: { ...aBody, status: "active" }, headers });
    const second = await world.ask("POST ", { body: aBody, headers });

    expect([first.status, first.json["status"]]).toEqual([201, "active"]);
    expect([second.status, second.text]).toEqual([201, first.text]);
  });

  it("returns the stored response for a repeated idempotency key, even if the watchlist was created as paused and activated later", async () => {
    const headers = { "Idempotency-Key": "paused" };
    const body = { ...aBody, status: "paused" };
    const first = await world.ask("POST ", { body, headers });
    await world.ask(`PATCH /${String(first.json["id"])}`, { body: { status: "active" } });

    expect((await world.ask("POST ", { body, headers })).text).toBe(first.text);
    const other = await world.ask("POST ", { body: { ...body, status: "active" }, headers });
    expect(refusal(other)).toEqual([422, "INVALID_PARAM", "idempotency_key"]);
  });

  it("leaves no purge mark when the creation succeeds", async () => {
    await create();

    const keys = (await world.rows()).map(({ sk }) => sk.replace(/wl_.*/, "wl"));
    expect(keys.sort()).toEqual(["page#", "watchlist#wl", "watchlists"]);
  });

  it("evaluates a cron schedule in the time zone of the request", async () => {
    const { json } = await create({
      every: undefined,
      cron: "30 8 * * MON-FRI",
      timezone: "europe/berlin",
    });

    expect(json).toMatchObject({
      schedule: { type: "cron", cron: "30 8 * * MON-FRI", timezone: "Europe/Berlin" },
      every: null,
      every_seconds: null,
      next_run_at: world.clock.now().toISOString(),
    });
    expect((json["next_run_times"] as string[]).slice(0, 2)).toEqual([
      "2026-03-02T07:30:00.000Z",
      "2026-03-03T07:30:00.000Z",
    ]);
    expect(await createdSchedule(json)).toMatchObject({ timezone: "Europe/Berlin" });
  });

  it("evaluates a cron schedule in UTC when the request names no time zone", async () => {
    const { json } = await create({ every: undefined, cron: "@daily" });

    expect(json["schedule"]).toEqual({ type: "cron", cron: "@daily", timezone: "UTC" });
  });

  it("uses retailer_a with its default pipeline when the request names no platform", async () => {
    const { status, json } = await world.ask("POST ", {
      body: { name: "A", asins: ["b0sandbox0"], every: "1h", refresh_every_runs: 3 },
    });

    expect(status).toBe(201);
    expect(json).toMatchObject({
      platform: "retailer_a",
      marketplace: "us",
      default_pipeline: true,
      refresh_every_runs: 3,
      pipeline: { entry: "pulse", baseline: "full", refresh: { every_runs: 3, entry: "lite" } },
      estimated_credits: { pulseRun: 1, refreshRun: 1, newAsins: 5 },
    });
  });

  it("accepts a custom pipeline", async () => {
    const { status, json } = await create({ pipeline });

    expect(status).toBe(201);
    expect(json).toMatchObject({ default_pipeline: false, pipeline: { entry: "look" } });
  });

  it("uses the default pipeline when the pipeline is null", async () => {
    expect((await create({ pipeline: null })).json["default_pipeline"]).toBe(true);
  });

  it("accepts item IDs as one string with commas and line breaks, and stores a repeated ID once", async () => {
    const { json } = await create({ ids: "9000001, 9000002\n9000001,,\n 9000003 " });

    expect(json["item_count"]).toBe(3);
  });

  it("binds a watchlist to the webhook endpoint that the request names by URL or ID", async () => {
    const endpoint = await world.registered("https://shop.example.org/hook");

    const byUrl = await create({ webhook_url: "https://SHOP.example.org/hook" });
    const byId = await create({ webhook_endpoint_id: endpoint.id });

    for (const { json } of [byUrl, byId]) {
      expect(json["webhook_url"]).toBe(endpoint.url);
      const stored = await world.watchlists.get("acct_1", String(json["id"]));
      expect(stored).toMatchObject({ webhookEndpointId: endpoint.id, webhookUrl: endpoint.url });
    }
  });

  it("returns 400 for an unknown field in the body, and creates nothing", async () => {
    const { status, json } = await create({ max_credit_per_run: 5 });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: {
        param: "max_credit_per_run",
        message: expect.stringContaining("Did you mean 'max_credits_per_run'?") as unknown,
      },
    });
    expect(await world.rows()).toEqual([]);
  });

  it("returns 403 to a key of the demo workspace, and does not store the call's idempotency key", async () => {
    const body = { ...aBody, idempotency_key: "k" };

    expect((await world.ask("POST ", { body, as: "demo" })).status).toBe(403);
    expect(await world.rows()).toEqual([]);
  });
});

const pipeline = {
  steps: [
    { id: "look", scraper: "retailer_d.standard", routes: [{ when: "changed", notify: true }] },
  ],
};
const minutesLater = (minutes: number): string =>
  new Date(world.clock.now().getTime() + minutes * 60_000).toISOString();
const createdSchedule = async ({ id }: Readonly<Record<string, unknown>>): Promise<unknown> =>
  world.scheduled.get(String(id))?.schedule;

describe("a request body of POST /v1/watchlists", () => {
  it.each([
    ["'name' is missing", without("name"), "MISSING_PARAM", "name"],
    ["'name' is empty", { ...aBody, name: "  " }, "INVALID_PARAM", "name"],
    ["'name' has 101 characters", { ...aBody, name: "x".repeat(101) }, "INVALID_PARAM", "name"],
    ["'name' is a number", { ...aBody, name: 1 }, "INVALID_PARAM", "name"],
    ["'ids' is missing", without("ids"), "MISSING_PARAM", "ids"],
    ["'ids' is empty", { ...aBody, ids: [] }, "INVALID_PARAM", "ids"],
    ["'ids' is blank text", { ...aBody, ids: " \n," }, "INVALID_PARAM", "ids"],
    ["'ids' is a number", { ...aBody, ids: 5 }, "INVALID_PARAM", "ids"],
    ["an ID is malformed", { ...aBody, ids: ["9000001", "12"] }, "INVALID_PARAM", "ids[1]"],
    [
      "there are 50,001 IDs",
      { ...aBody, ids: Array.from({ length: 50_001 }, (_, n) => String(1_000_000 + n)) },
      "INVALID_PARAM",
      "ids",
    ],
    [
      "'asins' is sent for another platform than retailer_a",
      { ...without("ids"), asins: ["B0SANDBOX0"] },
      "INVALID_PARAM",
      "asins",
    ],
    [
      "'ids' and 'asins' are both sent",
      { name: "A", every: "1h", ids: ["B0SANDBOX0"], asins: ["B0SANDBOX0"] },
      "INVALID_PARAM",
      "asins",
    ],
    ["'platform' is unknown", { ...aBody, platform: "retailer_z" }, "INVALID_PARAM", "platform"],
    ["'marketplace' is unknown", { ...aBody, marketplace: "xx" }, "INVALID_PARAM", "marketplace"],
    ["neither 'every' nor 'cron' is sent", without("every"), "MISSING_PARAM", "every"],
    ["'every' is too short", { ...aBody, every: "4m" }, "INVALID_PARAM", "every"],
    ["'every' is too long", { ...aBody, every: "8d" }, "INVALID_PARAM", "every"],
    ["'every' and 'cron' are both sent", { ...aBody, cron: "@daily" }, "INVALID_PARAM", "cron"],
    ["'timezone' is sent with 'every'", { ...aBody, timezone: "UTC" }, "INVALID_PARAM", "timezone"],
    ["'cron' fires too often", { ...without("every"), cron: "* * * * *" }, "INVALID_PARAM", "cron"],
    [
      "'timezone' is unknown",
      { ...without("every"), cron: "@daily", timezone: "Mars/Olympus" },
      "INVALID_PARAM",
      "timezone",
    ],
    [
      "'webhook_url' is not registered",
      { ...aBody, webhook_url: "https://shop.example.org/" },
      "INVALID_PARAM",
      "webhook_url",
    ],
    [
      "'webhook_endpoint_id' is not registered",
      { ...aBody, webhook_endpoint_id: "we_0123456789abcdefghjkmnpr" },
      "INVALID_PARAM",
      "webhook_endpoint_id",
    ],
    [
      "'webhook_endpoint_id' is not an endpoint's ID",
      { ...aBody, webhook_endpoint_id: "wl_1" },
      "INVALID_PARAM",
      "webhook_endpoint_id",
    ],
    [
      "two endpoints are named",
      { ...aBody, webhook_url: "https://a.example.org/", webhook_endpoint_id: "we_1" },
      "INVALID_PARAM",
      "webhook_url",
    ],
    [
      "'refresh_every_runs' is 1,001",
      { ...aBody, refresh_every_runs: 1_001 },
      "INVALID_PARAM",
      "refresh_every_runs",
    ],
    [
      "'max_credits_per_run' is 0",
      { ...aBody, max_credits_per_run: 0 },
      "INVALID_PARAM",
      "max_credits_per_run",
    ],
    [
      "'daily_credit_budget' is not an integer",
      { ...aBody, daily_credit_budget: 1.5 },
      "INVALID_PARAM",
      "daily_credit_budget",
    ],
    [
      "'refresh_every_runs' is not an integer",
      { ...aBody, refresh_every_runs: 0.5 },
      "INVALID_PARAM",
      "refresh_every_runs",
    ],
    [
      "'refresh_every_runs' is below 0",
      { ...aBody, refresh_every_runs: -1 },
      "INVALID_PARAM",
      "refresh_every_runs",
    ],
    ["'status' is unknown", { ...aBody, status: "stopped" }, "INVALID_PARAM", "status"],
    ["'status' is null", { ...aBody, status: null }, "INVALID_PARAM", "status"],
    [
      "'refresh_every_runs' is sent for another platform than retailer_a",
      { ...aBody, refresh_every_runs: 8 },
      "INVALID_PARAM",
      "refresh_every_runs",
    ],
    [
      "'refresh_every_runs' is sent with a custom pipeline",
      {
        ...aBody,
        platform: "retailer_a",
        ids: ["B0SANDBOX0"],
        pipeline: { steps: [{ id: "a", scraper: "retailer_a.lite" }] },
        refresh_every_runs: 8,
      },
      "INVALID_PARAM",
      "refresh_every_runs",
    ],
    [
      "'pipeline' has a scraper of another platform",
      { ...aBody, pipeline: { steps: [{ id: "a", scraper: "retailer_b.standard" }] } },
      "INVALID_PARAM",
      "pipeline.steps[0].scraper",
    ],
    ["'brake' is an array", { ...aBody, brake: [] }, "INVALID_PARAM", "brake"],
    [
      "'idempotency_key' is empty",
      { ...aBody, idempotency_key: "" },
      "INVALID_PARAM",
      "idempotency_key",
    ],
    [
      "'idempotency_key' is a number",
      { ...aBody, idempotency_key: 5 },
      "INVALID_PARAM",
      "idempotency_key",
    ],
  ])(
    "gets 400 with the name of the invalid parameter (the error: %s)",
    async (...[, body, code, param]) => {
      const answer = await world.ask("POST ", { body });

      expect(refusal(answer)).toEqual([400, code, param]);
      expect(await world.rows()).toEqual([]);
      expect(world.scheduled.size).toBe(0);
    },
  );

  it.each([
    ["a platform", { ...aBody, platform: "retailer_e" }],
    ["a marketplace", { ...aBody, platform: "retailer_d", marketplace: "ca" }],
  ])("gets 501 for a feature that is announced but not yet available (%s)", async (_, body) => {
    const answer = await world.ask("POST ", { body });

    expect(answer.status).toBe(501);
    expect(answer.json["coming_soon"]).toBe(true);
    expect(await world.rows()).toEqual([]);
  });
});

describe("POST /v1/watchlists with a brake that is not an object", () => {
  it("returns an error that quotes the refused value and explains how to turn the brake off", async () => {
    const { json } = await world.ask("POST ", { body: { ...aBody, brake: "off" } });
    expect(json["error"]).toMatchObject({
      code: "INVALID_PARAM",
      param: "brake",
      message: `'brake' must be null, which turns it off, or an object with exactly 'max_changed_percent' and 'min_items' (got "off").`,
    });
  });
});

describe("POST /v1/watchlists without a required parameter", () => {
  it.each([
    ["a schedule", without("every"), "every", "Send 'every' or 'cron'."],
    ["IDs of retailer_a", { name: "A", every: "1h" }, "ids", "'asins' is accepted instead."],
    ["IDs of other platforms", without("ids"), "ids", "Parameter 'ids' is required."],
  ])(
    "returns an error that explains what to send (missing: %s)",
    async (...[, body, param, text]) => {
      const { json } = await world.ask("POST ", { body });
      expect(json["error"]).toMatchObject({
        code: "MISSING_PARAM",
        param,
        message: expect.stringContaining(text),
      });
    },
  );
});

describe("the name in POST /v1/watchlists", () => {
  it("may have up to 100 characters, where a character outside the Basic Multilingual Plane counts as one", async () => {
    expect((await create({ name: "😀".repeat(100) })).status).toBe(201);
    expect(refusal(await create({ name: "😀".repeat(101) }))).toEqual([
      400,
      "INVALID_PARAM",
      "name",
    ]);
  });
});

describe("POST /v1/watchlists with an idempotency key", () => {
  const keyed = (key: string, body: object = aBody): Promise<Answered> =>
    world.ask("POST ", { body, headers: { "Idempotency-Key": key } });
  const listCount = async (as: "owner" | "stranger" = "owner"): Promise<number> =>
    ((await world.ask("GET ", { as })).json["data"] as unknown[]).length;

  it("returns the bytes of the first response to a repeated request, and creates nothing", async () => {
    const first = await keyed("order-1");
    world.clock.advance(60_000);
    const second = await keyed("order-1");

    expect(first.headers["Idempotent-Replayed"]).toBeUndefined();
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers["Idempotent-Replayed"]).toBe("true");
    expect(await listCount()).toBe(1);
  });

  it("has the same result whether the key is in the header, in the body, or in both", async () => {
    const { text } = await keyed("order-1");

    const inBody = await world.ask("POST ", { body: { idempotency_key: "order-1", ...aBody } });
    const inBoth = await keyed("order-1", { ...aBody, idempotency_key: "order-1" });

    expect([inBody.text, inBoth.text]).toEqual([text, text]);
  });

  it("returns the first response even if the repeated request has the fields of its body in another order", async () => {
    const { text } = await keyed("order-1", { ...aBody, pipeline });

    const turned = Object.fromEntries(Object.entries({ ...aBody, pipeline }).toReversed());
    expect((await keyed("order-1", turned)).text).toBe(text);
  });

  it("returns 422 if the repeated request has another body", async () => {
    await keyed("order-1");

    expect(refusal(await keyed("order-1", { ...aBody, name: "Tea" }))).toEqual([
      422,
      "INVALID_PARAM",
      "idempotency_key",
    ]);
    expect(await listCount()).toBe(1);
  });

  it("does not return the response to another account that used the same key", async () => {
    await keyed("order-1");

    const other = await world.ask("POST ", {
      body: { ...aBody, name: "Tea" },
      headers: { "Idempotency-Key": "order-1" },
      as: "stranger",
    });
    expect(other.status).toBe(201);
    expect(await listCount("stranger")).toBe(1);
  });

  it("creates another watchlist if the key is repeated after 24 hours", async () => {
    await keyed("order-1");
    world.clock.advance(24 * 3_600_000 - 1);
    expect((await keyed("order-1")).headers["Idempotent-Replayed"]).toBe("true");

    world.clock.advance(1);
    expect((await keyed("order-1")).headers["Idempotent-Replayed"]).toBeUndefined();
    expect(await listCount()).toBe(2);
  });

  it("accepts any body if the first request with the key failed", async () => {
    const body = { ...aBody, webhook_url: "https://shop.example.org/hook" };
    expect((await keyed("order-1", body)).status).toBe(400);

    await world.registered("https://shop.example.org/hook");
    expect((await keyed("order-1", body)).status).toBe(201);
    expect((await keyed("order-2", { ...body, every: "1m" })).status).toBe(400);
    expect((await keyed("order-2")).status).toBe(201);
  });

  it("returns the first response even if the watchlist's webhook endpoint was deleted later", async () => {
    const body = { ...aBody, webhook_url: "https://shop.example.org/hook" };
    await world.registered("https://shop.example.org/hook");
    const { text } = await keyed("order-1", body);
    Object.assign(world.endpoints, { findByUrl: async () => null });

    expect(await keyed("order-1", body)).toMatchObject({ status: 201, text });
  });

  it.each([
    ["256 characters", "x".repeat(256)],
    ["a tab", "a\tb"],
    ["a letter beyond ASCII", "é"],
    ["zero characters", ""],
  ])("refuses an invalid key (%s)", async (_, key) => {
    expect(refusal(await keyed(key))).toEqual([400, "INVALID_PARAM", "idempotency_key"]);
  });

  it("accepts a key of 255 characters", async () => {
    expect((await keyed("~".repeat(255))).status).toBe(201);
  });

  it("refuses different keys in the header and in the body", async () => {
    const answer = await keyed("a", { ...aBody, idempotency_key: "b" });

    expect(refusal(answer)).toEqual([400, "INVALID_PARAM", "idempotency_key"]);
    expect(await world.rows()).toEqual([]);
  });
});

describe("the labels of a new watchlist's items", () => {
  const labeled = [
    { id: "9000001", label: "Kettle", metadata: { target_price: 70 } },
    "9000000",
    { id: "9000002" },
  ];
  const items = async ({ json }: Answered) => {
    const listed = await world.ask(`GET /${String(json["id"])}/items`);
    return listed.json["data"];
  };

  it("are set by POST /v1/watchlists, which accepts IDs and objects in one array", async () => {
    const created = await create({ ids: labeled });
    expect(created.json).toMatchObject({ item_count: 3 });
    expect(await items(created)).toMatchObject([
      { id: "9000000", label: null, metadata: {} },
      { id: "9000001", label: "Kettle", metadata: { target_price: 70 } },
      { id: "9000002", label: null, metadata: {} },
    ]);
  });

  it("that differ from the stored request of an idempotency key get 422", async () => {
    const headers = { "Idempotency-Key": "one" };
    const send = (ids: unknown) => world.ask("POST ", { headers, body: { ...aBody, ids } });
    const first = await send(labeled);
    const reordered = [{ metadata: { target_price: 70 }, label: "Kettle", id: "9000001" }];
    const again = await send([...reordered, ...labeled.slice(1)]);
    expect([again.text, again.headers["Idempotent-Replayed"]]).toEqual([first.text, "true"]);
    const other = await send([{ id: "9000001", label: "Kettle" }, ...labeled.slice(1)]);
    expect(refusal(other)).toEqual([422, "INVALID_PARAM", "idempotency_key"]);
  });

  it("are refused with an error that names the path of the invalid value", async () => {
    const bad = [...labeled, { id: "9000003", metadata: { target_price: [] } }];
    expect(refusal(await create({ ids: bad }))).toEqual([
      400,
      "INVALID_PARAM",
      "ids[3].metadata.target_price",
    ]);
  });

  it("are accepted in a body of 50,000 objects of 40 bytes, and are stored in pages within the size limit", async () => {
    const ids = Array.from({ length: 50_000 }, (_, n) => ({
      id: String(1_000_000 + n),
      label: `item ${n}`,
    }));
    const created = await create({ ids });
    expect(created.status).toBe(201);
    expect(await items(created)).toMatchObject(
      ids.slice(0, 100).map(({ id, label }) => ({ id, label })),
    );
    const pages = (await world.rows()).filter(({ sk }) => sk.startsWith("details#"));
    expect(pages).toHaveLength(50);
  });
});
