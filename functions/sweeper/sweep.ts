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
  /**
   * Sends wake-up messages for at most `limit` delivery targets that are due at `now`. Resolves to
   * the number of messages.
   */
  readonly wakeDeliveries: (wanted: { now: Date; limit: number }) => Promise<number>;
  readonly clock: Clock;
  readonly warn: Warn;
}

/** The counts of one pass of the sweeper. */
export interface Swept {
  /** The number of overdue watchlists. */
  readonly watchlists: number;
  /** The number of stalled runs. */
  readonly runs: number;
  /** The number of deleted watchlists to purge. */
  readonly purges: number;
  /** The number of expired holds that were released. */
  readonly holds: number;
  /** The number of due delivery targets. */
  readonly deliveries: number;
  /** The number of parts of the pass that failed. */
  readonly failures: number;
}

/**
 * The maximum number of rows of each kind that one pass handles. The rows that have been due
 * longest come first.
 */
export const rowsMax = 1_000;
/**
 * The sweeper treats the message of a watchlist's schedule as lost this many milliseconds after the
 * due time of the watchlist.
 */
const scheduleGraceMs = 90_000;

/**
 * Makes one pass of the sweeper. Sends new messages for work whose message was lost: due delivery
 * targets, overdue watchlists, stalled runs, and deleted watchlists to purge. Also releases expired
 * holds. If one part of the pass fails, logs a warning, counts it in `failures`, and continues with
 * the other parts. The next pass repeats the failed part.
 */
export async function sweep(given: SweepDependencies): Promise<Swept> {
  let failures = 0;
  const warn: Warn = (message, error) => {
    failures += 1;
    given.warn(message, error);
  };
  const dependencies = { ...given, warn };
  const now = given.clock.now();
  const counts = {
    deliveries: await partOfSweep(
      () => given.wakeDeliveries({ now, limit: rowsMax }),
      dependencies,
    ),
    watchlists: await partOfSweep(() => sweepWatchlists(dependencies, now), dependencies),
    runs: await partOfSweep(() => sweepRuns(dependencies, now), dependencies),
    purges: await partOfSweep(() => sweepPurges(dependencies, now), dependencies),
    holds: await partOfSweep(() => sweepHolds(dependencies, now), dependencies),
  };
  return { ...counts, failures };
}

/**
 * Runs one part of the pass with a separate retry budget, so that a failed dependency does not
 * delay the other parts.
 */
const partOfSweep = (
  part: () => Promise<number>,
  dependencies: SweepDependencies,
): Promise<number> =>
  withSeparateLoss(limits.dependencies.workerLossMs, () => countOrWarn(part, dependencies));

/** Returns the number that `part` returns. If `part` fails, logs a warning and returns 0. */
async function countOrWarn(
  part: () => Promise<number>,
  { warn }: SweepDependencies,
): Promise<number> {
  try {
    return await part();
  } catch (error) {
    warn("a part of the sweeper's pass failed; the next pass repeats it", error);
    return 0;
  }
}

/** Sends a message for each overdue watchlist. Returns the number of watchlists. */
async function sweepWatchlists(
  { watchlists, queue }: SweepDependencies,
  now: Date,
): Promise<number> {
  const overdue = await watchlists.due(new Date(now.getTime() - scheduleGraceMs), rowsMax);
  for (const { accountId, watchlistId, dueAt } of overdue) {
    await queue.sendDue({ accountId, watchlistId, scheduledTime: dueAt, overdue: true });
  }
  return overdue.length;
}

/** Sends a message for each stalled run. Returns the number of runs. */
async function sweepRuns({ runs, queue }: SweepDependencies, now: Date): Promise<number> {
  const nextCheck = new Date(now.getTime() + progressTimeoutMs);
  const stalled = await runs.takeStalled({ now, nextCheck, limit: rowsMax });
  for (const run of stalled) await queue.sendResume(run);
  return stalled.length;
}

/** Sends a message for each deleted watchlist to purge. Returns the number of watchlists. */
async function sweepPurges({ purges, queue }: SweepDependencies, now: Date): Promise<number> {
  const left = await purges.due(now, rowsMax);
  for (const watchlistId of left) await queue.sendPurge(watchlistId);
  return left.length;
}

/** Releases the expired holds of all accounts. Returns the number of released holds. */
async function sweepHolds(dependencies: SweepDependencies, now: Date): Promise<number> {
  const { ledger } = dependencies;
  let released = 0;
  for (const accountId of await ledger.accountsWithExpiredHolds(now, rowsMax)) {
    released += await countOrWarn(() => ledger.releaseExpired(accountId, now), dependencies);
  }
  return released;
}
