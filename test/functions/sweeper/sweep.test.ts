import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../../../functions/sweeper/sweep.ts";
import type { RunQueue } from "../../../shared/runs/run-queue.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { type ListWorld, openListWorld } from "../../support/list-world.ts";
import { putList } from "../../support/put-list.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

let tables: TestTables;
let world: ListWorld;
beforeAll(async () => {
  tables = await startTables();
  world = await openListWorld(tables);
});
afterAll(() => tables.stop());

describe("the sweeper", () => {
  it("wakes lists whose tick did not come, as overdue, and what is to be purged", async () => {
    const sent: unknown[] = [];
    const queue: RunQueue = {
      ...world.queue,
      sendDue: async (due) => void sent.push(due),
      sendPurge: async (watchlistId) => void sent.push(watchlistId),
    };
    const now = world.clock.now();
    const list = aWatchlist({ nextRunAt: new Date(now.getTime() - 120_000).toISOString() });
    await putList({ client: world.client, ...world.options }, list, []);
    const fresh = aWatchlist({ id: "wl_fresh", nextRunAt: now.toISOString() });
    await putList({ client: world.client, ...world.options }, fresh, []);
    await world.purges.expectCreation("wl_dead", now);
    await world.purges.expectCreation("wl_alive", new Date(now.getTime() + 1));

    const swept = await sweep({
      ...world,
      queue,
      ledger: { accountsWithExpiredHolds: async () => [] } as never,
      wakeDeliveries: async () => 0,
      warn: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });

    expect(swept).toMatchObject({ lists: 1, purges: 1 });
    expect(sent).toEqual([
      {
        accountId: "acct_1",
        watchlistId: list.id,
        scheduledTime: list.nextRunAt,
        overdue: true,
      },
      "wl_dead",
    ]);
  });

  it("goes on where a part of it fails, and says how many did", async () => {
    const warnings: string[] = [];
    const failing = async (): Promise<never> => {
      throw new Error("the table is busy");
    };

    const swept = await sweep({
      ...world,
      purges: { ...world.purges, due: failing },
      ledger: {
        accountsWithExpiredHolds: async () => ["acct_1", "acct_2"],
        releaseExpired: async (accountId: string) => (accountId === "acct_1" ? failing() : 3),
      } as never,
      wakeDeliveries: async () => 7,
      warn: (message) => void warnings.push(message),
    });

    expect(swept).toMatchObject({ deliveries: 7, purges: 0, holds: 3, failures: 2 });
    expect(warnings).toHaveLength(2);
  });
});
