import type { Clock } from "../base/clock.ts";
import { invalidParam, isServiceError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { backtest, type BacktestDependencies, type TestedRun } from "./backtest.ts";
import type { BacktestJob, BacktestRef } from "./backtest-job.ts";
import type { BacktestEnd, BacktestStore } from "./backtest-store.ts";
import { presentBacktest, reportRun, type RunReport } from "./present-backtest.ts";

export interface RunBacktestDependencies extends BacktestDependencies {
  readonly backtests: Pick<BacktestStore, "end" | "get" | "recordProgress">;
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly clock: Clock;
}

/** Minimum time between two writes of the progress, in milliseconds. */
const progressEveryMs = 5_000;

/**
 * Runs the job of a back-test and stores its result. Does nothing if the job has ended, has
 * expired, or does not exist. If the back-test cannot be run, ends the job as failed, with a
 * message to the client in the job's `error`.
 * @param until time at which the job must end
 * @throws any error of a dependency, after the job has been stored as failed
 */
export async function runBacktestJob(
  { ref, until }: { readonly ref: BacktestRef; readonly until: Date },
  dependencies: RunBacktestDependencies,
): Promise<void> {
  const { backtests, clock } = dependencies;
  const job = await backtests.get(ref);
  if (job === undefined || job.endedAt !== null || job.endBy <= clock.now().toISOString()) return;
  try {
    await backtests.end(ref, await endOf(job, until, dependencies));
  } catch (error) {
    const isRefusal = isServiceError(error) && error.status < 500;
    await backtests.end(ref, { status: "failed", error: isRefusal ? error.message : failed });
    if (!isRefusal) throw error;
  }
}

const failed = "The back-test failed because of an error of the service. Start it again.";

/** Runs the back-test of a job, and returns how the job ends. */
async function endOf(
  job: BacktestJob,
  until: Date,
  dependencies: RunBacktestDependencies,
): Promise<BacktestEnd> {
  const { pipeline, span } = job;
  const watchlist = await dependencies.watchlists.get(job.accountId, job.watchlistId);
  if (watchlist === undefined)
    return { status: "failed", error: "The watchlist was deleted while the back-test ran." };
  const reports: RunReport[] = [];
  const show = progressWriter(job, dependencies);
  const tested = await backtest(
    { watchlist, pipeline, span, bounds: limits.backtest.job },
    async (run, total) => {
      reports.push(reportRun(run));
      if (dependencies.clock.now() >= until) throw tookTooLong(run, reports.length, total);
      await show({ runsDone: reports.length, runs: total });
    },
    dependencies,
  );
  if (tested.outcome === "too_large") return { status: "failed", error: tested.error.message };
  const subject = { watchlistId: watchlist.id, pipeline, span };
  return { status: "done", result: presentBacktest(subject, reports, tested) };
}

/** Creates a function that stores the progress of a job, at most once in five seconds. */
function progressWriter(job: BacktestRef, { backtests, clock }: RunBacktestDependencies) {
  let last = 0;
  return async (progress: Parameters<BacktestStore["recordProgress"]>[1]): Promise<void> => {
    const now = clock.now().getTime();
    if (now - last < progressEveryMs) return;
    last = now;
    await backtests.recordProgress(job, progress);
  };
}

const tookTooLong = ({ run }: TestedRun, done: number, total: number): Error =>
  invalidParam(
    "until",
    `Only ${done} of ${total} runs could be repeated in time. Send an 'until' of ` +
      `${run.startedAt} or earlier, and test the later runs separately.`,
  );
