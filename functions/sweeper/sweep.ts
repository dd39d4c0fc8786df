import type { Clock } from "../../shared/base/clock.ts";
import type { Warn } from "../../shared/base/best-effort.ts";
import { limits } from "../../shared/base/limits.ts";
import { withSeparateLoss } from "../../shared/base/retry-budget.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import { progressTimeoutMs } from "../../shared/runs/run.ts";
import type { PurgeStore } from "../../shared/watchlists/purge-store.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";

export interface SweepDependencies {
  readonly ledger: Ledger;
  readonly watchlists: WatchlistStore;
  readonly purges: PurgeStore;
  readonly runs: RunStore;
  readonly queue: RunQueue;
  /** Wakes up to `limit` deliveries that are due at `now`; returns how many. */
  readonly wakeDeliveries: (wanted: { now: Date; limit: number }) => Promise<number>;
  readonly clock: Clock;
  readonly warn: Warn;
}

export interface Swept {
  readonly lists: number;
  readonly runs: number;
  readonly purges: number;
  readonly holds: number;
  readonly deliveries: number;
  /** Parts of the sweep that failed. */
  readonly failures: number;
}

/** Rows of a kind that one sweep looks at; the longest due come first. */
const rowsMax = 1_000;
/** A due list is left to its own tick for this long before the sweeper starts it. */
const tickGraceMs = 90_000;

/**
 * Picks up whatever its own message did not: deliveries that are due, lists whose tick was lost, runs
 * that stand still, what lists that do not exist have left, holds that nobody resolved. It only wakes;
 * the rows decide. What fails is left to the next sweep and keeps nothing else from being looked at.
 */
export async function sweep(given: SweepDependencies): Promise<Swept> {
  let failures = 0;
  const warn: Warn = (message, error) => {
    failures += 1;
    given.warn(message, error);
  };
  const dependencies = { ...given, warn };
  const now = given.clock.now();
  const found = {
    deliveries: await partOfSweep(
      () => given.wakeDeliveries({ now, limit: rowsMax }),
      dependencies,
    ),
    lists: await partOfSweep(() => sweepLists(dependencies, now), dependencies),
    runs: await partOfSweep(() => sweepRuns(dependencies, now), dependencies),
    purges: await partOfSweep(() => sweepPurges(dependencies, now), dependencies),
    holds: await partOfSweep(() => sweepHolds(dependencies, now), dependencies),
  };
  return { ...found, failures };
}

/** A dependency that does not answer must not use up the time of parts that do not need it. */
const partOfSweep = (
  part: () => Promise<number>,
  dependencies: SweepDependencies,
): Promise<number> =>
  withSeparateLoss(limits.dependencies.workerLossMs, () => counted(part, dependencies));

async function counted(part: () => Promise<number>, { warn }: SweepDependencies): Promise<number> {
  try {
    return await part();
  } catch (error) {
    warn("a part of the sweep failed", error);
    return 0;
  }
}

async function sweepLists({ watchlists, queue }: SweepDependencies, now: Date): Promise<number> {
  const lists = await watchlists.due(new Date(now.getTime() - tickGraceMs), rowsMax);
  for (const { accountId, watchlistId, dueAt } of lists) {
    await queue.sendDue({ accountId, watchlistId, scheduledTime: dueAt, overdue: true });
  }
  return lists.length;
}

async function sweepRuns({ runs, queue }: SweepDependencies, now: Date): Promise<number> {
  const nextCheck = new Date(now.getTime() + progressTimeoutMs);
  const stalled = await runs.takeStalled({ now, nextCheck, limit: rowsMax });
  for (const run of stalled) await queue.sendResume(run);
  return stalled.length;
}

async function sweepPurges({ purges, queue }: SweepDependencies, now: Date): Promise<number> {
  const left = await purges.due(now, rowsMax);
  for (const watchlistId of left) await queue.sendPurge(watchlistId);
  return left.length;
}

async function sweepHolds(dependencies: SweepDependencies, now: Date): Promise<number> {
  const { ledger } = dependencies;
  let released = 0;
  for (const accountId of await ledger.accountsWithExpiredHolds(now, rowsMax)) {
    released += await counted(() => ledger.releaseExpired(accountId, now), dependencies);
  }
  return released;
}
