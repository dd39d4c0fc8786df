import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import { emptyStats } from "../../../shared/runs/run.ts";
import { noLimits } from "../../../shared/watchlists/settings.ts";
import { pipelineOf, type Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

const now = "2026-03-01T10:00:00.000Z";
const list = aWatchlist({
  schedule: { type: "every", every: "1h", everySeconds: 3_600 },
  runCount: 4,
  lastRunAt: "2026-03-01T09:30:00.000Z",
  lastRunStatus: "completed",
  nextRunAt: "2026-03-01T10:30:00.000Z",
});
const cronList: Partial<Watchlist> = {
  schedule: { type: "cron", cron: "0 12 * * *", timezone: "Europe/Berlin" },
  nextRunAt: "2026-03-01T11:00:00.000Z",
};
const pausedList: Partial<Watchlist> = {
  status: "paused",
  pausedReason: "insufficient_credits",
  consecutiveSkips: 3,
  nextRunAt: null,
};

const put = async (overrides: Partial<Watchlist> = {}): Promise<void> =>
  putWatchlist({ client: world.client, ...world.options }, { ...list, ...overrides }, []);
const patch = (body: object): Promise<Answered> => world.ask(`PATCH /${list.id}`, { body });
const stored = (): Promise<Watchlist | undefined> => world.watchlists.get("acct_1", list.id);
const refusal = ({ status, json }: Answered): readonly unknown[] => [
  status,
  (json["error"] as Record<string, unknown>)["param"],
];

describe("PATCH /v1/watchlists/{id}", () => {
  it("changes nothing for an empty body, and returns the watchlist", async () => {
    await put();
    const before = await world.ask(`GET /${list.id}`);

    expect(await patch({})).toMatchObject({ status: 200, json: before.json });
    expect(await stored()).toEqual(list);
    expect(world.scheduled.size).toBe(0);
  });

  it("renames a watchlist, and increases the revision number of its settings", async () => {
    await put();

    const { status, json } = await patch({ name: " Tea " });
    expect([status, json["name"], json["updated_at"]]).toEqual([200, "Tea", now]);
    expect(await stored()).toEqual({ ...list, name: "Tea", revision: 2, updatedAt: now });
  });

  it("does not change the due time of a watchlist that it renames", async () => {
    await put({ nextRunAt: "2026-03-01T09:59:00.000Z" });

    expect((await patch({ name: "Tea", every: "60m" })).json["next_run_at"]).toBe(
      "2026-03-01T09:59:00.000Z",
    );
    expect(world.waiting).toEqual([]);
  });

  it("accepts the watchlist's current platform and marketplace, and returns 400 for any other value", async () => {
    await put();

    expect((await patch({ platform: "retailer_d", marketplace: "us" })).status).toBe(200);
    expect(refusal(await patch({ platform: "retailer_b" }))).toEqual([400, "platform"]);
    expect(refusal(await patch({ marketplace: "ca" }))).toEqual([400, "marketplace"]);
  });

  it("accepts 'schedule' if it equals the watchlist's schedule, and otherwise returns 400 with the fields to send", async () => {
    await put();
    const { json } = await world.ask(`GET /${list.id}`);

    expect((await patch({ schedule: json["schedule"], every: "2h" })).status).toBe(200);
    const other = await patch({ schedule: { type: "every", every: "5m" }, name: "Tea" });
    expect(refusal(other)).toEqual([400, "schedule"]);
    expect(other.text).toContain("Send 'every', or 'cron' with 'timezone'.");
    expect((await stored())?.name).toBe(list.name);
  });

  it("accepts a cron schedule whose step exceeds its field's range only if the watchlist already has this schedule", async () => {
    const cron = "*/200 12 * * *";
    await put({ schedule: { type: "cron", cron, timezone: "UTC" } });

    const changed = await patch({ cron, timezone: "Europe/Berlin" });
    expect([changed.status, changed.json["schedule"]]).toEqual([
      200,
      { type: "cron", cron, timezone: "Europe/Berlin" },
    ]);
    expect((await patch({ timezone: "UTC" })).status).toBe(200);
    expect(refusal(await patch({ cron: "*/201 12 * * *" }))).toEqual([400, "cron"]);
  });

  it.each(["ids", "asins"])(
    "returns 400 to a body with the field '%s', and refers the client to POST /v1/watchlists/{id}/items",
    async (param) => {
      await put();

      const answer = await patch({ [param]: ["9000001"] });
      expect(refusal(answer)).toEqual([400, param]);
      expect(answer.text).toContain("POST /v1/watchlists/{id}/items");
    },
  );

  it("sets 'refresh_every_runs' of a retailer_a watchlist with the default pipeline", async () => {
    await put({ platform: "retailer_a" });

    expect((await patch({ refresh_every_runs: 0 })).json["refresh_every_runs"]).toBe(0);
    expect((await patch({ refresh_every_runs: 1_000 })).json["refresh_every_runs"]).toBe(1_000);
  });

  it("refuses 'refresh_every_runs' if no run would use the setting, and refers the client to 'pipeline.refresh'", async () => {
    await put();
    const otherPlatform = await patch({ refresh_every_runs: 5 });
    await patch({ pipeline: { steps: [{ id: "a", scraper: "retailer_d.standard" }] } });
    const otherPlatformOwn = await patch({ pipeline: null, refresh_every_runs: 5 });

    for (const answer of [otherPlatform, otherPlatformOwn]) {
      expect(refusal(answer)).toEqual([400, "refresh_every_runs"]);
      expect(answer.text).toContain("The default pipeline of retailer_d reads every item");
      expect(answer.text).toContain("'pipeline.refresh'");
    }
    expect((await stored())?.refreshEveryRuns).toBe(list.refreshEveryRuns);
  });

  it("accepts the 'refresh_every_runs' that GET returned for the watchlist, on every platform", async () => {
    await put();

    const { status, json } = await patch({ refresh_every_runs: list.refreshEveryRuns });

    expect([status, json["refresh_every_runs"]]).toEqual([200, list.refreshEveryRuns]);
  });

  it("validates 'refresh_every_runs' against the pipeline that the same request sets", async () => {
    await put({ platform: "retailer_a" });
    const pipeline = { steps: [{ id: "a", scraper: "retailer_a.pulse" }] };

    const both = await patch({ pipeline, refresh_every_runs: 3 });
    expect(refusal(both)).toEqual([400, "refresh_every_runs"]);
    expect(both.text).toContain("This watchlist has a custom pipeline");
    expect((await patch({ pipeline })).status).toBe(200);
    expect(refusal(await patch({ refresh_every_runs: 3 }))).toEqual([400, "refresh_every_runs"]);
    const restored = await patch({ pipeline: null, refresh_every_runs: 3 });
    expect(restored.json).toMatchObject({
      default_pipeline: true,
      refresh_every_runs: 3,
      pipeline: { refresh: { every_runs: 3, entry: "lite" } },
    });
  });

  it("sets a pipeline, and restores the default pipeline if the value is null", async () => {
    await put();
    const steps = [{ id: "look", scraper: "retailer_d.standard", routes: [] }];

    const own = await patch({ pipeline: { steps } });
    expect(own.json).toMatchObject({ default_pipeline: false, pipeline: { entry: "look" } });
    const restored = await patch({ pipeline: null });
    expect(restored.json).toMatchObject({ default_pipeline: true, pipeline: { entry: "check" } });
  });

  it("sets the webhook endpoint by URL or ID, and removes it if the value is null", async () => {
    await put();
    const { id, url } = await world.registered("https://shop.example.org/hook");

    for (const set of [{ webhook_url: url }, { webhook_endpoint_id: id, webhook_url: null }]) {
      expect((await patch(set)).json["webhook_url"]).toBe(url);
      expect((await stored())?.webhookEndpointId).toBe(id);
    }
    for (const clear of [{ webhook_url: null }, { webhook_endpoint_id: null }]) {
      await patch({ webhook_url: url });
      expect((await patch(clear)).json["webhook_url"]).toBeNull();
      expect((await stored())?.webhookEndpointId).toBeNull();
    }
  });

  it("returns 404 for a watchlist of another account and for an unknown one", async () => {
    await put();

    const foreign = await world.ask(`PATCH /${list.id}`, { body: { name: "x" }, as: "stranger" });
    const none = await world.ask("PATCH /wl_1", { body: { name: "x" } });
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(await stored()).toEqual(list);
  });

  it("returns 403 to a key of the demo workspace", async () => {
    expect((await world.ask(`PATCH /${list.id}`, { body: {}, as: "demo" })).status).toBe(403);
  });

  it.each([
    ["a null 'name'", { name: null }, "name"],
    ["an empty 'name'", { name: "" }, "name"],
    ["a null 'every'", { every: null }, "every"],
    ["a malformed 'every'", { every: "soon" }, "every"],
    ["a null 'cron'", { cron: null }, "cron"],
    ["a malformed 'cron'", { cron: "L * * * *" }, "cron"],
    ["a null 'timezone'", { timezone: null }, "timezone"],
    ["an unknown 'timezone'", { cron: "@daily", timezone: "Mars/Olympus" }, "timezone"],
    ["'every' together with 'cron'", { every: "1h", cron: "@daily" }, "cron"],
    ["'timezone' together with 'every'", { every: "1h", timezone: "UTC" }, "timezone"],
    ["'timezone' without 'cron'", { timezone: "UTC" }, "timezone"],
    ["a null 'status'", { status: null }, "status"],
    ["an unknown 'status'", { status: "stopped" }, "status"],
    ["a null 'refresh_every_runs'", { refresh_every_runs: null }, "refresh_every_runs"],
    ["a 'refresh_every_runs' of 1,001", { refresh_every_runs: 1_001 }, "refresh_every_runs"],
    ["a pipeline without steps", { pipeline: {} }, "pipeline.steps"],
    ["an unregistered URL", { webhook_url: "https://a.example.org/" }, "webhook_url"],
    [
      "two endpoints",
      {
        webhook_url: "https://a.example.org/",
        webhook_endpoint_id: "we_0123456789abcdefghjkmnpr",
      },
      "webhook_url",
    ],
    [
      "an unknown endpoint",
      { webhook_endpoint_id: "we_0123456789abcdefghjkmnpr" },
      "webhook_endpoint_id",
    ],
  ])("returns 400 for an invalid setting (%s), and changes nothing", async (_, body, param) => {
    await put();

    expect(refusal(await patch({ name: "Tea", ...body }))).toEqual([400, param]);
    expect(await stored()).toEqual(list);
    expect(world.scheduled.size).toBe(0);
  });
});

describe("a change of a watchlist's schedule", () => {
  it.each([
    ["a longer cadence, counted from the last run", {}, { every: "2h" }, "11:30"],
    ["a cadence that has passed since the last run", {}, { every: "15m" }, "10:00"],
    ["a cron instead of a cadence", {}, { cron: "15 * * * *" }, "10:15"],
    ["a cron of an overdue watchlist", { nextRunAt: now }, { cron: "15 * * * *" }, "10:15"],
    ["a cron in a time zone", {}, { cron: "0 16 * * *", timezone: "Asia/Kolkata" }, "10:30"],
    ["another cron in the same time zone", cronList, { cron: "0 13 * * *" }, "12:00"],
    ["a change of nothing but the time zone", cronList, { timezone: "UTC" }, "12:00"],
    ["another cron and time zone", cronList, { cron: "0 13 * * *", timezone: "UTC" }, "13:00"],
    ["a cadence instead of a cron", cronList, { every: "1h" }, "10:30"],
    ["the current cron", cronList, { cron: "0 12 * * *" }, "11:00"],
    [
      "a longer cadence of a watchlist that never ran",
      { runCount: 0, lastRunAt: null, nextRunAt: "2026-03-01T09:58:00.000Z" },
      { every: "2h" },
      "09:58",
    ],
  ] as const)(
    "updates the next run time (new schedule: %s)",
    async (...[, overrides, body, due]) => {
      await put(overrides);

      const { status, json } = await patch(body);
      expect([status, json["next_run_at"]]).toEqual([200, `2026-03-01T${due}:00.000Z`]);
    },
  );

  it("replaces the schedule, and sends a wake-up message if the watchlist is due under the new one", async () => {
    await put();
    const { json } = await patch({ every: "15m" });

    expect(json["schedule"]).toEqual({ type: "every", every: "15m", every_seconds: 900 });
    expect(world.scheduled.get(list.id)).toMatchObject({
      schedule: { every: "15m" },
      firstAt: new Date("2026-03-01T10:15:00Z"),
    });
    expect(world.waiting).toEqual([
      {
        queue: "due",
        due: { accountId: "acct_1", watchlistId: list.id, scheduledTime: now },
      },
    ]);
    expect(await world.watchlists.due(new Date(now), 10)).toMatchObject([{ dueAt: now }]);
  });

  it("creates a schedule whose first tick is at the due time of the watchlist", async () => {
    await put();
    await patch({ every: "2h" });

    expect(world.scheduled.get(list.id)?.firstAt).toEqual(new Date("2026-03-01T11:30:00Z"));
    expect(world.waiting).toEqual([]);
  });

  it("takes effect for a paused watchlist only after a client activates the watchlist", async () => {
    await put(pausedList);

    const { json } = await patch({ cron: "15 * * * *" });
    expect(json).toMatchObject({ next_run_at: null, next_run_times: [], status: "paused" });
    expect(world.scheduled.size).toBe(0);
    expect((await patch({ status: "active" })).json["next_run_at"]).toBe(
      "2026-03-01T10:15:00.000Z",
    );
  });
});

describe("PATCH /v1/watchlists/{id} with a status", () => {
  it("pauses a watchlist, which then has no schedule and no next run and is never due", async () => {
    await put();
    await patch({ every: "2h" });

    const { json } = await patch({ status: "paused" });
    expect(json).toMatchObject({
      status: "paused",
      paused_reason: "user",
      next_run_at: null,
      next_run_times: [],
    });
    expect(world.scheduled.size).toBe(0);
    expect(await world.watchlists.due(new Date("2027-01-01T00:00:00Z"), 10)).toEqual([]);
  });

  it("does not change a watchlist that already has the given status", async () => {
    await put(pausedList);
    expect((await patch({ status: "paused" })).json["paused_reason"]).toBe("insufficient_credits");
    expect(await stored()).toEqual({ ...list, ...pausedList });

    world = await openWatchlistWorld(tables);
    await put();
    await patch({ status: "active" });
    expect(await stored()).toEqual(list);
  });

  it("activates a watchlist that was paused because credits were missing, and resets its count of skips", async () => {
    await put(pausedList);

    const { json } = await patch({ status: "active" });
    expect(json).toMatchObject({
      status: "active",
      paused_reason: null,
      consecutive_skips: 0,
      next_run_at: "2026-03-01T10:30:00.000Z",
    });
    expect(world.scheduled.get(list.id)?.firstAt).toEqual(new Date("2026-03-01T10:30:00Z"));
    expect(await world.watchlists.due(new Date("2026-03-01T10:30:00Z"), 10)).toHaveLength(1);
  });

  it("activates a watchlist whose next run time has passed, and makes it due immediately", async () => {
    await put({ ...pausedList, lastRunAt: "2026-02-01T00:00:00.000Z" });

    expect((await patch({ status: "active" })).json["next_run_at"]).toBe(now);
    expect(world.waiting).toHaveLength(1);
  });

  it("activates a watchlist that never ran, and makes it due immediately under any schedule", async () => {
    await put({ ...pausedList, ...cronList, nextRunAt: null, runCount: 0, lastRunAt: null });

    expect((await patch({ status: "active" })).json["next_run_at"]).toBe(now);
  });
});

describe("a change of settings while other processes change the watchlist's row", () => {
  it("keeps the fields of the row about a run in progress", async () => {
    await put({ runningRun: 5, runCount: 5, lastRunStatus: "running" });

    await patch({ every: "2h", name: "Tea" });
    expect(await stored()).toMatchObject({
      runningRun: 5,
      runCount: 5,
      lastRunStatus: "running",
      lastRunAt: list.lastRunAt,
    });
  });

  it("calculates the time of the next run from a run that started during the change", async () => {
    await put();
    let changed = false;
    const { watchlists } = world;
    const update = watchlists.update.bind(watchlists);
    Object.assign(world.watchlists, {
      update: async (change: Parameters<typeof update>[0]) => {
        if (!changed) {
          changed = true;
          const before = await stored();
          await world.runs.claim({
            run: aRunOf(before as Watchlist),
            watchlist: before as Watchlist,
            nextRunAt: "2026-03-01T11:00:00.000Z",
          });
        }
        return update(change);
      },
    });

    const { json } = await patch({ every: "2h" });
    expect(json["next_run_at"]).toBe("2026-03-01T12:00:00.000Z");
    expect(json["last_run_status"]).toBe("running");
  });

  it("keeps the counts that the end of a run writes during the change", async () => {
    await put({ runningRun: 4, lastRunStatus: "running" });
    const { watchlists } = world;
    const update = watchlists.update.bind(watchlists);
    Object.assign(world.watchlists, {
      update: async (change: Parameters<typeof update>[0]) => {
        await world.client.send(
          new UpdateCommand({
            TableName: world.options.table,
            Key: watchlistKeys.watchlist(list.accountId, list.id),
            UpdateExpression: "SET consecutive_skips = :one, item_counts = :counts",
            ExpressionAttributeValues: { ":one": 1, ":counts": { new: 0, active: 7, delisted: 0 } },
          }),
        );
        return update(change);
      },
    });

    const { json } = await patch({ name: "Tea" });
    expect(json).toMatchObject({ name: "Tea", consecutive_skips: 1, item_count: 7 });
  });

  it("does not overwrite another change of different settings", async () => {
    await put();

    await Promise.all([patch({ name: "Tea" }), patch({ every: "2h" })]);
    const schedule = { type: "every", every: "2h", everySeconds: 7_200 };
    expect(await stored()).toMatchObject({ name: "Tea", schedule, revision: 3 });
  });

  it("gets 404 and leaves no schedule if the watchlist is deleted during the change", async () => {
    await put();
    const { watchlists } = world;
    const update = watchlists.update.bind(watchlists);
    Object.assign(world.watchlists, {
      update: async (change: Parameters<typeof update>[0]) => {
        await world.ask(`DELETE /${list.id}`);
        return update(change);
      },
    });

    expect((await patch({ every: "2h" })).status).toBe(404);
    expect(world.scheduled.size).toBe(0);
    expect((await world.rows()).map(({ sk }) => sk)).toEqual(["watchlists"]);
  });

  it("gets 409 if concurrent changes never stop, and restores the EventBridge schedule that matches the stored row", async () => {
    await put();
    Object.assign(world.watchlists, { update: async () => undefined });

    const answer = await patch({ every: "2h" });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("Try again.")]);
    expect(world.scheduled.get(list.id)?.schedule).toEqual(list.schedule);
  });

  it("leaves an EventBridge schedule that matches the stored row after twelve simultaneous changes of the schedule", async () => {
    await put();
    const hours = Array.from({ length: 12 }, (_, n) => n + 2);

    const answers = await Promise.all(hours.map((n) => patch({ every: `${n}h` })));
    expect(answers.map(({ status }) => status)).toEqual(hours.map(() => 200));
    const after = await stored();
    expect(after?.revision).toBe(13);
    expect(world.scheduled.get(list.id)?.schedule).toEqual(after?.schedule);
  });

  it.each([
    ["is refused because of a concurrent change", { timezone: "UTC" }, 400],
    ["finds that a concurrent call has made the same change", { status: "active" }, 200],
  ] as const)(
    "leaves an EventBridge schedule that matches the stored row after a change that %s",
    async (...[, body, status]) => {
      await put({ ...cronList, ...(status === 200 && pausedList) });
      const { watchlists } = world;
      const update = watchlists.update.bind(watchlists);
      const [before, every] = [await stored(), { type: "every", every: "5m", everySeconds: 300 }];
      let changed = false;
      Object.assign(world.watchlists, {
        update: async (change: Parameters<typeof update>[0]) => {
          if (!changed) {
            changed = true;
            const active = { ...before, ...list, schedule: every, revision: 2 } as Watchlist;
            await update({ before: before as Watchlist, after: active });
          }
          return update(change);
        },
      });

      expect((await patch(body)).status).toBe(status);
      expect((await stored())?.schedule).toEqual(every);
      expect(world.scheduled.get(list.id)?.schedule).toEqual(every);
    },
  );

  it("leaves no EventBridge schedule if the watchlist is paused just before its new schedule is created", async () => {
    await put();
    const { schedules } = world;
    const putSchedule = schedules.put.bind(schedules);
    Object.assign(schedules, {
      put: async (schedule: Parameters<typeof putSchedule>[0]) => {
        await patch({ status: "paused" });
        return putSchedule(schedule);
      },
    });

    expect((await patch({ every: "2h" })).json).toMatchObject({ status: "paused", every: "2h" });
    expect(world.scheduled.size).toBe(0);
  });
});

const aRunOf = (watchlist: Watchlist): Parameters<WatchlistWorld["runs"]["claim"]>[0]["run"] => ({
  id: "wlrun_0123456789abcdefghjkmnpq",
  accountId: watchlist.accountId,
  watchlistId: watchlist.id,
  runNumber: watchlist.runCount + 1,
  trigger: "schedule",
  kind: "sweep",
  phase: "claimed",
  status: "running",
  startedAt: now,
  finishedAt: null,
  progressAt: now,
  credits: 0,
  stats: emptyStats("check"),
  limits: noLimits,
  error: null,
  pipeline: pipelineOf(watchlist),
  plan: null,
  watchlist: null,
});
