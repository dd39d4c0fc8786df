import { beforeEach, describe, expect, it } from "vitest";
import type { Run } from "../../../shared/runs/run.ts";
import { claimDueRun } from "../../../shared/runs/claim-due-run.ts";
import { cronSchedule } from "../../../shared/watchlists/schedule.ts";
import { watchlistSchedule } from "../../../shared/watchlists/schedules.ts";
import { noItems } from "../../../shared/watchlists/item-counts.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { type WatchlistWorld, openWatchlistWorld } from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

const due = "2026-03-01T10:31:00.000Z";
const list = aWatchlist({ nextRunAt: due });

async function put(overrides: Partial<Watchlist> = {}): Promise<void> {
  const stored = { ...list, ...overrides };
  await putWatchlist({ client: world.client, ...world.options }, stored, []);
  await world.schedules.put(watchlistSchedule(stored, world.clock.now()));
}
const tick = (scheduledTime: string, now = scheduledTime): Promise<Run | undefined> =>
  claimDueRun(
    {
      accountId: list.accountId,
      watchlistId: list.id,
      scheduledTime: new Date(scheduledTime),
      now: new Date(now),
    },
    world,
  );
const nextRunAt = async (): Promise<string | null | undefined> =>
  (await world.watchlists.get(list.accountId, list.id))?.nextRunAt;

describe("a schedule tick", () => {
  it("removes the schedule if the watchlist was deleted", async () => {
    await put();
    await world.watchlists.remove({ ...list, watchlistId: list.id, purgeAt: new Date(due) });

    expect(await tick(due)).toBeUndefined();
    expect(world.scheduled.size).toBe(0);
  });

  it("removes the schedule and starts no run if the watchlist is paused", async () => {
    await put({ status: "paused", pausedReason: "insufficient_credits", nextRunAt: null });

    expect(await tick(due)).toBeUndefined();
    expect(world.scheduled.size).toBe(0);
  });

  it("starts one run, even if the tick is delivered twice", async () => {
    await put();

    expect(await tick(due)).toMatchObject({ runNumber: 1, trigger: "initial" });
    expect(await tick(due)).toMatchObject({ runNumber: 1 });
    expect(await nextRunAt()).toBe("2026-03-01T11:31:00.000Z");
    expect((await world.runs.list(list.id, 10)).runs).toHaveLength(1);
  });

  it("of a cadence starts a run if the tick arrives less than a second before the due time", async () => {
    await put({ nextRunAt: "2026-03-01T10:31:00.900Z" });

    expect(await tick(due)).toMatchObject({ runNumber: 1 });
  });

  it("of a cron starts no run if the tick arrives before the due time", async () => {
    await put({ schedule: cronSchedule("1,31 * * * *", "UTC") });

    expect(await tick("2026-03-01T10:30:00.000Z")).toBeUndefined();
    expect(await tick(due)).toMatchObject({ runNumber: 1 });
    expect(await nextRunAt()).toBe("2026-03-01T11:01:00.000Z");
  });

  it("of a watchlist without items starts no run, and advances the due time", async () => {
    await put({ itemCounts: noItems, runCount: 3 });

    expect(await tick(due)).toBeUndefined();
    expect(await tick(due)).toBeUndefined();
    expect(await nextRunAt()).toBe("2026-03-01T11:31:00.000Z");
    expect((await world.runs.list(list.id, 10)).runs).toEqual([]);
    const stored = await world.watchlists.get(list.accountId, list.id);
    expect(stored).toMatchObject({ runCount: 3, lastRunAt: null, overlaps: 0, status: "active" });
    expect(world.scheduled.size).toBe(1);
    const dueBy = async (by: string): Promise<number> =>
      (await world.watchlists.due(new Date(by), 10)).length;
    expect([await dueBy("2026-03-01T11:30:00Z"), await dueBy("2026-03-01T11:31:00Z")]).toEqual([
      0, 1,
    ]);
  });

  it("starts no run if another call removes the last items of the watchlist while the tick is handled", async () => {
    await put({ itemCounts: noItems });
    const { watchlists } = world;
    const get = watchlists.get.bind(watchlists);
    const counts = { new: 1, active: 0, delisted: 0 };
    Object.assign(watchlists, {
      get: async (...ref: Parameters<typeof get>) => {
        const found = await get(...ref);
        return found && { ...found, itemCounts: counts };
      },
    });

    expect(await tick(due)).toBeUndefined();
    expect((await world.runs.list(list.id, 10)).runs).toEqual([]);
    expect(await nextRunAt()).toBe(due);
  });

  it("does not advance the due time of an empty watchlist if another call adds items while the tick is handled", async () => {
    await put();
    const { watchlists } = world;
    const get = watchlists.get.bind(watchlists);
    Object.assign(watchlists, {
      get: async (...ref: Parameters<typeof get>) => {
        const found = await get(...ref);
        return found && { ...found, itemCounts: noItems };
      },
    });

    expect(await tick(due)).toBeUndefined();
    expect(await nextRunAt()).toBe(due);
  });

  it("that arrives hours late starts one run, and leaves the time of the next run unchanged", async () => {
    await put({ schedule: cronSchedule("31 * * * *", "UTC") });

    expect(await tick(due, "2026-03-01T15:00:00.000Z")).toMatchObject({ runNumber: 1 });
    expect(await nextRunAt()).toBe("2026-03-01T15:31:00.000Z");
  });
});
