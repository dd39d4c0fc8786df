import { describe, expect, it } from "vitest";
import { restoreSchedule } from "../../../shared/watchlists/restore-schedule.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";

const now = new Date("2026-03-01T10:30:00Z");

/**
 * Restores a schedule while successive reads of the watchlist return `reads`. Returns the calls:
 * the arguments of `put`, or the ID for `remove`.
 */
async function restored(...reads: (Watchlist | undefined)[]): Promise<readonly unknown[]> {
  const calls: unknown[] = [];
  let next = 0;
  const list = (): Watchlist | undefined => reads[Math.min(next++, reads.length - 1)];
  await restoreSchedule(
    { accountId: "acct_1", watchlistId: "wl_1", now },
    {
      watchlists: { get: async () => list() },
      schedules: {
        put: async ({ schedule, firstAt }) => void calls.push([schedule, firstAt]),
        remove: async (id) => void calls.push(id),
      },
    },
  );
  return calls;
}

describe("a schedule that may be missing", () => {
  const active = aWatchlist({ nextRunAt: "2026-03-01T11:00:00.000Z" });
  const paused = aWatchlist({ status: "paused", nextRunAt: null });
  const put = [active.schedule, new Date("2026-03-01T11:00:00Z")];

  it("is created again for an active watchlist, with its first tick at the next due time", async () => {
    expect(await restored(active)).toEqual([put]);
  });

  it.each([
    ["a paused watchlist", paused],
    ["a deleted watchlist", undefined],
  ])(
    "is removed for a watchlist that must have none (%s), even if the watchlist gets this state during the restoration",
    async (_, list) => {
      expect(await restored(list)).toEqual(["wl_1"]);
      expect(await restored(active, list)).toEqual([put, "wl_1"]);
    },
  );

  it("is created for the newest stored settings, even if the watchlist is resumed or changed during the restoration", async () => {
    const schedule = { type: "every", every: "5m", everySeconds: 300 } as const;
    const other = { ...active, schedule };

    expect(await restored(paused, active)).toEqual(["wl_1", put]);
    expect(await restored(active, other)).toEqual([put, [schedule, put[1]]]);
  });

  it("is left to the next pass of the sweeper if concurrent changes never stop", async () => {
    const reads = Array.from({ length: 9 }, (_, n) => (n % 2 === 0 ? active : paused));
    expect(await restored(...reads)).toHaveLength(5);
  });
});
