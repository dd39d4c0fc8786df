import { useState } from "preact/hooks";
import { ApiError, apiErrorOf } from "../../api/api-error.ts";
import type { ApiClient } from "../../api/client.ts";
import type { Backtest, BacktestJob, Watchlist, WatchlistRun } from "../../api/resources.ts";
import { readRunsSince } from "../../api/runs.ts";
import { type Action, useAction } from "../../api/use-action.ts";

/**
 * A pipeline to test on some watchlists. The back-test repeats the runs of the last `days` days.
 */
export interface BacktestInput {
  readonly lists: readonly TestedList["list"][];
  readonly pipeline: unknown;
  readonly days: number;
}

/** The result of a back-test, with the past runs that it repeated. */
export interface TestedRuns {
  readonly backtest: Backtest;
  readonly runs: readonly WatchlistRun[];
}

/** The result or the error of the back-test of one watchlist. */
export interface TestedList {
  readonly list: Pick<Watchlist, "id" | "name" | "currency">;
  /** The result; undefined if the back-test failed. */
  readonly tested: TestedRuns | undefined;
  readonly error: ApiError | undefined;
}

interface BacktestState {
  readonly action: Action<BacktestInput, readonly TestedList[]>;
  /**
   * The share of all back-tests that is done, from 0 to 1; undefined until the first back-test
   * reports progress or ends.
   */
  readonly progress: number | undefined;
}

const pollMs = 2_000;
const dayMs = 86_400_000;
/** The span of a back-test begins this many milliseconds before the start of its oldest run. */
const marginMs = 60_000;

/**
 * Returns an action that repeats past runs of watchlists with a pipeline, with the state and the
 * result of the action. Tests one watchlist after the other, and continues if a back-test fails. A
 * large back-test runs as a job, which the hook polls until it ends.
 */
export function useBacktest(): BacktestState {
  const [progress, setProgress] = useState<number>();
  const action = useAction(async (api, { lists, pipeline, days }: BacktestInput) => {
    setProgress(undefined);
    const results: TestedList[] = [];
    for (const list of lists) {
      const onProgress = (share: number): void =>
        setProgress((results.length + share) / lists.length);
      const input = { listId: list.id, pipeline, days };
      results.push(
        await testOf(api, input, onProgress).then(
          (tested) => ({ list, tested, error: undefined }),
          (thrown: unknown) => ({ list, tested: undefined, error: apiErrorOf(thrown) }),
        ),
      );
      onProgress(0);
    }
    return results;
  });
  return { action, progress };
}

interface OneTest extends Pick<BacktestInput, "days" | "pipeline"> {
  readonly listId: string;
}

/**
 * Repeats the past runs of one watchlist.
 * @throws ApiError if no run started in the last `days` days, or if the service refuses the
 * back-test
 */
async function testOf(
  api: ApiClient,
  { listId, pipeline, days }: OneTest,
  onProgress: (share: number) => void,
): Promise<TestedRuns> {
  const path = `watchlists/${listId}`;
  const runs = await readRunsSince(api, { listId, since: Date.now() - days * dayMs });
  const oldest = runs.at(-1);
  if (oldest === undefined) {
    throw new ApiError({
      status: 0,
      code: "NO_RUNS",
      message: "No run of the watchlist started in this time span. Choose a longer time span.",
    });
  }
  const started = await api.send<Backtest | BacktestJob>("POST", `${path}/backtest`, {
    body: { pipeline, since: sinceOf(oldest) },
  });
  const backtest =
    started.object === "backtest_job"
      ? await endOf(api, `${path}/backtests/${started.id}`, onProgress)
      : started;
  return { backtest, runs };
}

/** Returns a time just before a run started, so that the back-test includes it. */
const sinceOf = ({ started_at: at }: WatchlistRun): string =>
  new Date(Date.parse(at) - marginMs).toISOString();

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
