import { describe, expect, it } from "vitest";
import { restoreSchedule } from "../../../shared/watchlists/restore-schedule.ts";
import type { ListSchedule } from "../../../shared/watchlists/schedules.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../../shared/watchlists/watchlist-store.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";

const now = new Date("2026-03-01T10:30:00Z");

async function restored(watchlist: Watchlist | undefined): Promise<readonly ListSchedule[]> {
  const put: ListSchedule[] = [];
  await restoreSchedule(
    { accountId: "acct_1", watchlistId: "wl_1", now },
    {
      watchlists: { get: async () => watchlist } as Partial<WatchlistStore> as WatchlistStore,
      schedules: {
        put: async (schedule) => void put.push(schedule),
        remove: async () => {},
      },
    },
  );
  return put;
}

describe("a schedule that may be lost", () => {
  it("is put again for an active list, from its next run on", async () => {
    const list = aWatchlist({ nextRunAt: "2026-03-01T11:00:00.000Z" });

    expect(await restored(list)).toMatchObject([
      { watchlistId: list.id, firstAt: new Date("2026-03-01T11:00:00Z") },
    ]);
  });

  it.each([
    ["a paused list", aWatchlist({ status: "paused", nextRunAt: null })],
    ["a list that is gone", undefined],
  ])("is not put for %s", async (_, list) => {
    expect(await restored(list)).toEqual([]);
  });
});
