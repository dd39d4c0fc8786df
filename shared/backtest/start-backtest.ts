import type { Clock, RandomSource } from "../base/clock.ts";
import { conflict } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { backtest, type BacktestDependencies, type BacktestRequest } from "./backtest.ts";
import { type BacktestJob, newBacktestJob } from "./backtest-job.ts";
import type { BacktestQueue } from "./backtest-queue.ts";
import type { BacktestStore } from "./backtest-store.ts";
import {
  type BacktestResponse,
  presentBacktest,
  reportRun,
  type RunReport,
} from "./present-backtest.ts";

export interface StartBacktestDependencies extends BacktestDependencies {
  readonly backtests: Pick<BacktestStore, "create" | "end">;
  readonly backtestQueue: BacktestQueue;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** The result of a small back-test, or the job of a large one. */
export type StartedBacktest =
  | { readonly outcome: "tested"; readonly result: BacktestResponse }
  | { readonly outcome: "job"; readonly job: BacktestJob };

/**
 * Runs a back-test and returns its result. If the back-test exceeds `limits.backtest.call`, stores
 * a job instead, sends the job to the worker of back-tests, and returns the job.
 * @throws 400 INVALID_PARAM if the span has no ended run or begins before the oldest stored run;
 * 409 CONFLICT if the account has a job in progress; the error of the queue if the job cannot be
 * sent, after the job has been stored as failed
 */
export async function startBacktest(
  request: Omit<BacktestRequest, "bounds">,
  dependencies: StartBacktestDependencies,
): Promise<StartedBacktest> {
  const { watchlist, pipeline, span } = request;
  const reports: RunReport[] = [];
  const tested = await backtest(
    { ...request, bounds: limits.backtest.call },
    (run) => void reports.push(reportRun(run)),
    dependencies,
  );
  if (tested.outcome === "too_large") return startJob(request, dependencies);
  const subject = { watchlistId: watchlist.id, pipeline, span };
  return { outcome: "tested", result: presentBacktest(subject, reports, tested) };
}

/**
 * Stores a job and sends it to the worker.
 * @throws 409 if the account has a job in progress
 */
async function startJob(
  { watchlist, pipeline, span }: Omit<BacktestRequest, "bounds">,
  { backtests, backtestQueue, clock, random }: StartBacktestDependencies,
): Promise<StartedBacktest> {
  const now = clock.now();
  const ref = {
    accountId: watchlist.accountId,
    watchlistId: watchlist.id,
    id: newId("backtest", now, random),
  };
  const job = newBacktestJob({ ...ref, pipeline, span }, now);
  const created = await backtests.create(job);
  if (created.outcome === "busy") {
    throw conflict(
      `The back-test ${created.id} of this account is in progress. Wait until it has ended.`,
    );
  }
  try {
    await backtestQueue.send(ref);
  } catch (error) {
    await backtests.end(ref, {
      status: "failed",
      error: "The back-test could not be started. Send the request again.",
    });
    throw error;
  }
  return { outcome: "job", job };
}
