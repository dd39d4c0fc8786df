import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count, timestamp } from "../base/wire-schema.ts";
import type { HistorySpan } from "../history/history.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { type BacktestResponse, backtestResponse } from "./present-backtest.ts";

/** The statuses of a job, as API responses show them. */
export const backtestStatuses = ["pending", "running", "done", "failed"] as const;
export type BacktestStatus = (typeof backtestStatuses)[number];

/** The IDs that identify a job. */
export interface BacktestRef {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly id: string;
}

/** Number of runs that a job has repeated so far, and number of runs to repeat. */
export interface BacktestProgress {
  readonly runsDone: number;
  readonly runs: number;
}

/** A back-test that is too large for one call. A worker repeats its runs. */
export interface BacktestJob extends BacktestRef {
  /** The pipeline to test. */
  readonly pipeline: Pipeline;
  readonly span: HistorySpan;
  readonly status: BacktestStatus;
  /** The progress of the worker; null until it has repeated the first run. */
  readonly progress: BacktestProgress | null;
  readonly createdAt: string;
  /** Time from which a job that has not ended counts as failed. */
  readonly endBy: string;
  /** Time at which the job ended; null until then. */
  readonly endedAt: string | null;
  /** Time after which the job is deleted. */
  readonly expiresAt: string;
  /** Why the job failed. Null if it did not fail. */
  readonly error: string | null;
  /** The result of the back-test; null until the job has succeeded. */
  readonly result: BacktestResponse | null;
}

/** Builds a new job whose creation time is `now`. Stores nothing. */
export const newBacktestJob = (
  job: BacktestRef & Pick<BacktestJob, "pipeline" | "span">,
  now: Date,
): BacktestJob => ({
  ...job,
  status: "pending",
  progress: null,
  createdAt: now.toISOString(),
  endBy: new Date(now.getTime() + limits.backtest.jobHoursMax * 3_600_000).toISOString(),
  endedAt: null,
  expiresAt: new Date(now.getTime() + limits.backtest.jobDays * 86_400_000).toISOString(),
  error: null,
  result: null,
});

/** Response of `GET /v1/watchlists/{id}/backtests/{backtest_id}`. */
export const backtestJobResponse = v.object({
  object: v.literal("backtest_job"),
  id: v.pipe(v.string(), v.description("ID of the job.")),
  watchlist_id: v.pipe(v.string(), v.description("ID of the watchlist.")),
  status: v.pipe(
    v.picklist(backtestStatuses),
    v.description(
      "`pending`: the job has not started. `running`: it repeats runs. `done`: see `result`. " +
        "`failed`: see `error`.",
    ),
  ),
  progress: v.pipe(
    v.nullable(
      v.object({
        runs_done: v.pipe(count, v.description("Number of runs repeated so far.")),
        runs: v.pipe(count, v.description("Number of runs to repeat.")),
      }),
    ),
    v.description("How far the job is. Null until the first run was repeated."),
  ),
  created_at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.description("Time at which the job was created."),
  ),
  ended_at: v.pipe(v.nullable(timestamp), v.description("Null until the job has ended.")),
  expires_at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.description("Time at which the job and its result are deleted."),
  ),
  error: v.pipe(
    v.nullable(v.string()),
    v.description("Why the job failed, and what to change. Null if it did not fail."),
  ),
  result: v.pipe(
    v.nullable(backtestResponse),
    v.description(
      "The response that a smaller back-test gets immediately. Null until the job is done.",
    ),
  ),
});

/**
 * Builds the response of `GET /v1/watchlists/{id}/backtests/{backtest_id}`. If the job has not
 * ended, and `now` is at or after the job's `endBy`, presents the job as failed.
 */
export function presentBacktestJob(
  job: BacktestJob,
  now: Date,
): v.InferOutput<typeof backtestJobResponse> {
  const isLost = job.endedAt === null && job.endBy <= now.toISOString();
  return {
    object: "backtest_job",
    id: job.id,
    watchlist_id: job.watchlistId,
    status: isLost ? "failed" : job.status,
    progress: job.progress && { runs_done: job.progress.runsDone, runs: job.progress.runs },
    created_at: job.createdAt,
    ended_at: isLost ? job.endBy : job.endedAt,
    expires_at: job.expiresAt,
    error: isLost ? notEnded : job.error,
    result: job.result,
  };
}

const notEnded =
  `The back-test did not end within ${limits.backtest.jobHoursMax} hours. ` +
  "Start it again, or send a later 'since'.";
