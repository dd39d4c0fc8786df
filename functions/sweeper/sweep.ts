import type { Clock } from "../../shared/base/clock.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import { progressMs } from "../../shared/runs/start-run.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";

export interface SweepDependencies {
  readonly ledger: Ledger;
  readonly watchlists: WatchlistStore;
  readonly runs: RunStore;
  readonly queue: RunQueue;
  /** Wakes up to `limit` deliveries that are due at `now`; returns how many. */
  readonly wakeDeliveries: (wanted: { now: Date; limit: number }) => Promise<number>;
  readonly clock: Clock;
}

export interface Swept {
  readonly lists: number;
  readonly runs: number;
  readonly holds: number;
  readonly deliveries: number;
}

const rowsMax = 100;
/** A due list is left to its own tick for this long before the sweeper starts it. */
const tickGraceMs = 90_000;

/**
 * Picks up whatever its own message did not: lists whose tick was lost, runs that stand still,
 * holds that nobody resolved, deliveries that are due. It only wakes; the rows decide.
 */
export async function sweep(dependencies: SweepDependencies): Promise<Swept> {
  const { ledger, watchlists, runs, queue, wakeDeliveries, clock } = dependencies;
  const now = clock.now();
  const dueLists = await watchlists.due(new Date(now.getTime() - tickGraceMs), rowsMax);
  for (const list of dueLists) {
    const { accountId, watchlistId, dueAt } = list;
    await queue.sendDue({ accountId, watchlistId, scheduledTime: dueAt });
  }
  const nextLook = new Date(now.getTime() + progressMs);
  const stalled = await runs.takeStalled({ now, nextLook, limit: rowsMax });
  for (const run of stalled) await queue.sendResume(run);
  let holds = 0;
  for (const accountId of await ledger.accountsWithExpiredHolds(now, rowsMax)) {
    holds += await ledger.releaseExpired(accountId, now);
  }
  const deliveries = await wakeDeliveries({ now, limit: rowsMax });
  return { lists: dueLists.length, runs: stalled.length, holds, deliveries };
}
