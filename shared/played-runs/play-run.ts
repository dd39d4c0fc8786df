import { assert } from "../base/assert.ts";
import type { Clock, RandomSource } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { SerializedEvent } from "../events/event.ts";
import type { PointLine } from "../history/history.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { finishRun } from "../runs/finish-run.ts";
import { readBatch } from "../runs/read-batch.ts";
import type { StepReader } from "../runs/read-step.ts";
import type { Run } from "../runs/run.ts";
import type { StepOutcomes } from "../runs/run-outcomes.ts";
import type { RunStore, WatchlistOutcome } from "../runs/run-store.ts";
import { startRun } from "../runs/start-run.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { MemoryRun } from "./memory-run.ts";

interface PlayRequest {
  /** A claimed run. */
  readonly memory: MemoryRun;
  /** The watchlist when the run was claimed. */
  readonly watchlist: Watchlist;
  /** Time at which reading must end. */
  readonly deadline: Date;
}

interface PlayDependencies {
  /** Pages in memory. */
  readonly pages: PageStore;
  readonly ledger: Ledger;
  readonly read: StepReader;
  readonly history: Pick<HistoryStore, "item" | "mergedWindows">;
  /** The stored runs of the watchlist, which show whether its history is complete. */
  readonly earlierRuns: Pick<RunStore, "list">;
  readonly random: RandomSource;
  readonly clock: Clock;
  /** The clock from which the run gets its end time. */
  readonly clockAtEnd: Clock;
}

/** The outcomes and the history points of one step, in batch order. */
interface StepResults extends StepOutcomes {
  readonly points: readonly PointLine[];
}

/** A run that ended in memory. Nothing of it is stored or sent. */
export interface PlayedRun {
  readonly run: Run;
  /** The events that the run would have sent, as they would be stored. */
  readonly events: readonly SerializedEvent[];
  readonly results: readonly StepResults[];
  /** The changes that the end of the run would have made in the watchlist. */
  readonly outcome: WatchlistOutcome;
}

/**
 * Plays a claimed run in memory: the code of real runs (`shared/runs`) plans, reads and ends the
 * run, on stores in memory. Stores and sends nothing. Returns the ended run, its results, and the
 * events that it would have sent.
 */
export async function playRun(
  { memory, watchlist, deadline }: PlayRequest,
  { earlierRuns, clockAtEnd, ...dependencies }: PlayDependencies,
): Promise<PlayedRun> {
  const { clock } = dependencies;
  const runs: RunStore = { ...memory.runs, list: (...query) => earlierRuns.list(...query) };
  const base = { ...dependencies, runs, steps: memory.steps, queue: memory.queue };
  const events: SerializedEvent[] = [];
  await startRun(memory.run(), base);
  const sentAt = clock.now();
  for (let batch = memory.nextBatch(); batch !== undefined; batch = memory.nextBatch()) {
    await readBatch(batch, { deadline, sentAt }, base);
  }
  await finishRun(memory.run(), {
    ...base,
    clock: clockAtEnd,
    history: recordedHistory,
    watchlists: { get: async () => ({ ...watchlist, runningRun: memory.run().runNumber }) },
    endpoints: { list: async () => [], deletions: async () => new Map() },
    publisher: {
      async publish(published) {
        for await (const event of published.events) events.push(event);
      },
    },
  });
  const [run, outcome] = [memory.run(), memory.outcome()];
  assert(outcome !== null, "a run in memory must end");
  return { run, events, results: await stepResultsOf(memory), outcome };
}

/** Returns the results of the steps of a run, in run order. */
const stepResultsOf = async (memory: MemoryRun): Promise<readonly StepResults[]> =>
  Promise.all(
    (await memory.steps.list(memory.run().id)).map(async (step) => {
      const results = await Array.fromAsync(memory.steps.effectiveResults(step));
      return {
        step,
        outcomes: results.flatMap(({ outcomes }) => outcomes),
        points: results.flatMap(({ points }) => points),
      };
    }),
  );

/** The history store of a run in memory. It stores nothing, and has no window to merge. */
const recordedHistory: Pick<HistoryStore, "append" | "mergedWindows" | "isRecorded" | "merge"> = {
  append: async () => "appended",
  isRecorded: async () => false,
  mergedWindows: async () => limits.runNumberMax,
  merge: async () => ({ outcome: "merged" }),
};
