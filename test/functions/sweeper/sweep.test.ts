import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../../../functions/sweeper/sweep.ts";
import type { RunQueue } from "../../../shared/runs/run-queue.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";
import { limits } from "../../../shared/base/limits.ts";
import { retryBudget, withinBudget, withRetryBudget } from "../../../shared/base/retry-budget.ts";
import { duePartitionOf, duePartitionsOf } from "../../../shared/aws/table/due-partitions.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { startLedgerWorld } from "../../support/ledger-world.ts";
import { type WatchlistWorld, openWatchlistWorld } from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeAll(async () => {
  world = await openWatchlistWorld(tables);
});

describe("the sweeper", () => {
  it("sends wake-up messages for overdue watchlists, and continues overdue purges", async () => {
    const sent: unknown[] = [];
    const queue: RunQueue = {
      ...world.queue,
      sendDue: async (due) => void sent.push(due),
      sendPurge: async (watchlistId) => void sent.push(watchlistId),
    };
    const now = world.clock.now();
    const list = aWatchlist({ nextRunAt: new Date(now.getTime() - 120_000).toISOString() });
    await putWatchlist({ client: world.client, ...world.options }, list, []);
    const fresh = aWatchlist({ id: "wl_fresh", nextRunAt: now.toISOString() });
    await putWatchlist({ client: world.client, ...world.options }, fresh, []);
    await world.purges.expectCreation({ accountId: "acct_1", id: "wl_dead" }, now);
    await world.purges.expectCreation(
      { accountId: "acct_1", id: "wl_alive" },
      new Date(now.getTime() + 1),
    );

    const swept = await sweep({
      ...world,
      queue,
      ledger: { accountsWithExpiredHolds: async () => [] } as never,
      wakeDeliveries: async () => 0,
      warn: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });

    expect(swept).toMatchObject({ watchlists: 1, purges: 1 });
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

  it("releases the expired holds of every partition of the due index", async () => {
    const ledgerWorld = await startLedgerWorld();
    const ledger = ledgerWorld.ledger();
    const now = world.clock.now();
    const left = new Set(duePartitionsOf("hold"));
    const accountIds: string[] = [];
    while (left.size > 0) {
      const accountId = await ledgerWorld.open(10);
      if (!left.delete(duePartitionOf("hold", accountKeys.shard(accountId, 0).pk))) continue;
      accountIds.push(accountId);
      const hold = { accountId, holdId: "h1", credits: 10, slot: true, expiresAt: now };
      await ledger.reserve({ ...hold, source: { requestId: "req_1" }, now });
    }

    const swept = await sweep({
      ...world,
      ledger: ledgerWorld.ledger(),
      wakeDeliveries: async () => 0,
      warn: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });

    expect(swept).toMatchObject({ holds: duePartitionsOf("hold").length, failures: 0 });
    for (const accountId of accountIds) {
      expect(await ledgerWorld.account(accountId)).toMatchObject({
        balance: 10,
        held: 0,
        inFlight: 0,
      });
    }
  });

  it("releases an expired hold even if the due mark of its shard was written when the due index had fewer partitions", async () => {
    const ledgerWorld = await startLedgerWorld();
    const now = world.clock.now();
    const accountId = await ledgerWorld.open(10);
    const hold = { accountId, holdId: "h1", credits: 10, slot: true, expiresAt: now };
    await ledgerWorld.ledger().reserve({ ...hold, source: { requestId: "req_1" }, now });
    const own = duePartitionOf("hold", accountKeys.shard(accountId, 0).pk);
    await ledgerWorld.client.send(
      new UpdateCommand({
        TableName: ledgerWorld.accountsTable,
        Key: accountKeys.shard(accountId, 0),
        UpdateExpression: "SET due_kind = :other",
        ExpressionAttributeValues: {
          ":other": duePartitionsOf("hold").find((partition) => partition !== own),
        },
      }),
    );

    const swept = await sweep({
      ...world,
      ledger: ledgerWorld.ledger(),
      wakeDeliveries: async () => 0,
      warn: (message, error) => {
        throw new Error(message, { cause: error });
      },
    });

    expect(swept).toMatchObject({ holds: 1 });
    expect(await ledgerWorld.account(accountId)).toMatchObject({ balance: 10, held: 0 });
  });

  it("continues after a part of its pass fails, and reports the number of failures", async () => {
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

  it("completes the other parts of its pass while a dependency of one part does not respond", async () => {
    const { clock } = world;
    /** Uses up all remaining time, and then fails as a request without a response does. */
    const hanging = (): Promise<number> =>
      withinBudget(60_000, async (milliseconds) => {
        clock.advance(milliseconds);
        throw new Error("no response");
      });
    const released = (): Promise<number> => withinBudget(4_000, async () => 3);
    const retries = retryBudget({ clock, lossMs: limits.dependencies.workerLossMs });

    const swept = await withRetryBudget(retries, () =>
      sweep({
        ...world,
        ledger: {
          accountsWithExpiredHolds: async () => ["acct_1"],
          releaseExpired: released,
        } as never,
        wakeDeliveries: hanging,
        warn: () => undefined,
      }),
    );

    expect(swept).toMatchObject({ deliveries: 0, holds: 3, failures: 1 });
  });
});
