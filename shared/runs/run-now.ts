import type { RandomSource, Clock } from "../base/clock.ts";
import { conflict } from "../base/errors.ts";
import { type ChangeAttempt, endAttempt, lost } from "../base/repeat-change.ts";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { retryLostChange } from "../watchlists/retry-lost-change.ts";
import { watchlistSchedule, type Schedules } from "../watchlists/schedules.ts";
import { isEmpty, type Watchlist } from "../watchlists/watchlist.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { claimRun } from "./claim-run.ts";
import type { Run } from "./run.ts";
import type { RunQueue } from "./run-queue.ts";
import type { RunStore } from "./run-store.ts";

interface RunNowDependencies {
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly runs: RunStore;
  readonly queue: RunQueue;
  readonly schedules: Schedules;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly warn: Warn;
}

/**
 * Starts a manual run of an active or paused watchlist, and returns the run. If the watchlist is
 * active, also calculates its next due time from `now`. If the wake-up message cannot be sent, logs
 * a warning, and the sweeper resumes the run.
 * @param foundWatchlist the watchlist as the caller read it
 * @throws 404 if the watchlist was deleted; 409 if a run is in progress or held, if the watchlist
 * has no items, or after too many conflicts with concurrent changes; 503 if the rows stay contended
 * or the retry budget is exhausted
 */
export async function runNow(
  foundWatchlist: Watchlist,
  now: Date,
  dependencies: RunNowDependencies,
): Promise<Run> {
  const attempt = async (watchlist: Watchlist): Promise<ChangeAttempt<Run>> => {
    if (watchlist.lastRunStatus === "held") throw await heldRefusal(watchlist, dependencies);
    refuseRun(watchlist);
    const run = await claimRun({ watchlist, trigger: "manual", due: now, now }, dependencies.runs);
    if (run === undefined) return lost;
    await wake(run, { watchlist, now }, dependencies);
    return endAttempt(run);
  };
  return retryLostChange(foundWatchlist, attempt, dependencies);
}

/** Returns the error for a watchlist whose last run is held, or is being released or discarded. */
async function heldRefusal(
  { accountId, id: watchlistId, runningRun }: Watchlist,
  { runs }: Pick<RunNowDependencies, "runs">,
): Promise<Error> {
  const runNumber = runningRun ?? 0;
  const run = await runs.get({ accountId, watchlistId, runNumber });
  const status = run?.hold?.status ?? "held";
  return conflict(
    status === "held"
      ? `Run ${runNumber} of this watchlist is held by its brake. Release it with ` +
          `POST /v1/watchlists/${watchlistId}/runs/${runNumber}/release, or discard it with .../discard.`
      : `Run ${runNumber} of this watchlist was ${status} and is still ending. Try again in a few ` +
          "seconds.",
  );
}

/**
 * Checks that a manual run can start.
 * @throws 409 if a run is in progress or the watchlist has no items
 */
function refuseRun(watchlist: Watchlist): void {
  if (watchlist.runningRun !== null) {
    throw conflict("A run of this watchlist is in progress. Try again once it has ended.");
  }
  if (isEmpty(watchlist)) {
    throw conflict(
      "This watchlist has no items, so there is nothing to read. Add items with " +
        "POST /v1/watchlists/{id}/items, then run it.",
    );
  }
}

/**
 * Sends the wake-up message of the run. If the watchlist is active, also restarts its EventBridge
 * schedule from `now`. Only logs a failure, because the run is already claimed.
 */
async function wake(
  run: Run,
  { watchlist, now }: { readonly watchlist: Watchlist; readonly now: Date },
  { queue, schedules, warn }: RunNowDependencies,
): Promise<void> {
  await bestEffort(() => queue.sendResume(run), warn);
  if (watchlist.status === "active") {
    const restarted = watchlistSchedule({ ...watchlist, nextRunAt: now.toISOString() }, now);
    // The stored row, not the schedule, decides when the next run is due. If this update fails, the
    // schedule only ticks late.
    await bestEffort(() => schedules.put(restarted), warn);
  }
}
