import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import type { ApiClient } from "../../api/client.ts";
import type { Backtest, BacktestJob, List, WatchlistRun } from "../../api/resources.ts";
import { type Action, useAction } from "../../api/use-action.ts";

/** A pipeline to test, and the days before now whose runs are repeated. */
export interface BacktestInput {
  readonly listId: string;
  readonly pipeline: unknown;
  readonly days: number;
}

/** The result of a back-test, with the past runs that it repeated. */
export interface TestedRuns {
  readonly backtest: Backtest;
  readonly runs: readonly WatchlistRun[];
  readonly days: number;
}

interface BacktestState {
  readonly action: Action<BacktestInput, TestedRuns>;
  /** How far the job of a large back-test is, from 0 to 1; undefined before it repeats runs. */
  readonly progress: number | undefined;
}

const pollMs = 2_000;
const dayMs = 86_400_000;
/** The service refuses a `since` before the start of the kept history, as its clock shows it. */
const marginMs = 60_000;
const runPage = 100;
/** The number of runs that the service keeps. */
const runsKept = 500;

/**
 * Returns an action that repeats past runs with a pipeline, and its state and result. A large
 * back-test runs as a job, which the hook polls until it ends.
 */
export function useBacktest(): BacktestState {
  const [progress, setProgress] = useState<number>();
  const action = useAction(async (api, { listId, pipeline, days }: BacktestInput) => {
    setProgress(undefined);
    const path = `watchlists/${listId}`;
    const runs = await loadRuns(api, path, Date.now() - days * dayMs);
    const oldest = runs.at(-1);
    if (oldest === undefined) {
      throw new ApiError({
        status: 0,
        code: "NO_RUNS",
        message: "No run started in this time. Choose a longer time.",
      });
    }
    const started = await api.send<Backtest | BacktestJob>("POST", `${path}/backtest`, {
      body: { pipeline, since: sinceOf(oldest) },
    });
    const backtest =
      started.object === "backtest_job"
        ? await endOf(api, `${path}/backtests/${started.id}`, setProgress)
        : started;
    return { backtest, runs, days };
  });
  return { action, progress };
}

/** Returns a time just before a run started, so that the back-test includes it. */
const sinceOf = ({ started_at: at }: WatchlistRun): string =>
  new Date(Date.parse(at) - marginMs).toISOString();

/** Loads the runs that started since a time, newest first. */
async function loadRuns(
  api: ApiClient,
  path: string,
  since: number,
): Promise<readonly WatchlistRun[]> {
  const runs: WatchlistRun[] = [];
  for (let hasMore = true; hasMore && runs.length < runsKept;) {
    const page = await api.get<List<WatchlistRun>>(`${path}/runs`, {
      query: { limit: runPage, before_run: runs.at(-1)?.run_number },
    });
    runs.push(...page.data);
    hasMore = page.has_more && Date.parse(runs.at(-1)?.started_at ?? "") >= since;
  }
  return runs.filter(({ started_at: at }) => Date.parse(at) >= since);
}

/**
 * Waits until the job of a back-test ends, and returns its result.
 * @throws ApiError if the job failed
 */
async function endOf(
  api: ApiClient,
  path: string,
  onProgress: (share: number) => void,
): Promise<Backtest> {
  for (;;) {
    const { status, progress, result, error } = await api.get<BacktestJob>(path);
    if (result !== null) return result;
    if (status === "failed") {
      const message = error ?? "The back-test failed. Try again.";
      throw new ApiError({ status: 0, code: "BACKTEST_FAILED", message });
    }
    if (progress !== null) onProgress(progress.runs_done / progress.runs);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
