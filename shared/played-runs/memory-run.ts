import { assert } from "../base/assert.ts";
import {
  addBatchCounts,
  type BatchRef,
  type BatchResult,
  noCounts,
  type PlannedBatch,
} from "../runs/batch.ts";
import type { Run } from "../runs/run.ts";
import type { StepRecord } from "../runs/step.ts";
import type { RunQueue } from "../runs/run-queue.ts";
import type { RunStore, WatchlistOutcome } from "../runs/run-store.ts";
import type { Starts, StepStore } from "../runs/step-store.ts";

/** The stores and the queue of one run, which exist only in memory. */
export interface MemoryRun {
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly queue: RunQueue;
  /** Takes the next batch to read; undefined if there is none. */
  readonly nextBatch: () => BatchRef | undefined;
  /**
   * Returns the run as it is now.
   * @throws Error before the run is claimed
   */
  readonly run: () => Run;
  /** Returns the changes that the end of the run makes in the watchlist; null before the end. */
  readonly outcome: () => WatchlistOutcome | null;
}

/**
 * Fails, because only one process works on a run in memory, so no code may abandon, hold or resume
 * it.
 * @throws Error always
 */
const failUnused = async (): Promise<never> => {
  throw new Error(
    "Invariant broken: code that plays a run in memory called a store method that only several processes need. Add this method to shared/played-runs/memory-run.ts, or do not call it.",
  );
};

/**
 * Fails, because a run in memory has no brake and so restores no items.
 * @throws Error always
 */
const noItemsBefore = (): never => {
  throw new Error("Invariant broken: a run in memory must not restore items. Correct the code.");
};

/**
 * Creates the stores and the queue of one run, in memory, but not the run itself. The caller must
 * claim the run in `runs` (`claimRun`) before it uses the other stores.
 * @param id ID of the run
 */
export function memoryRun(id: string): MemoryRun {
  let current: Run | undefined;
  let ended: WatchlistOutcome | null = null;
  const batches: BatchRef[] = [];
  const run = (): Run => {
    assert(current !== undefined, "a run must be claimed before it is read");
    return current;
  };
  return {
    run,
    outcome: () => ended,
    nextBatch: () => batches.shift(),
    steps: memorySteps(run),
    queue: {
      sendDue: failUnused,
      sendPurge: failUnused,
      sendResume: failUnused,
      sendFinish: async () => {},
      async sendBatches(refs) {
        batches.push(...refs);
      },
    },
    runs: {
      async claim(claim) {
        current = { ...claim.run, id };
        return "claimed";
      },
      get: async () => current,
      // The list is empty, so that the history counts as complete without a check of earlier runs.
      list: async () => ({ runs: [], hasMore: false }),
      async startReading(_ref, plan) {
        current = { ...run(), ...plan, phase: "reading" };
      },
      recordProgress: async () => {},
      abandon: failUnused,
      async startFinishing(_ref, status) {
        current = { ...run(), status, phase: "finishing" };
      },
      async finish(finished, outcome) {
        current = finished;
        ended = outcome;
        return "finished";
      },
      async markEmitted() {
        current = { ...run(), phase: "done" };
      },
      forget: async () => {},
      // A run in memory has no brake, and only one process works on it, so nothing calls these
      // methods.
      markHeld: failUnused,
      decideHold: failUnused,
      endHold: failUnused,
      takeStalled: failUnused,
    },
  };
}

interface MemoryStep {
  readonly record: StepRecord;
  readonly batches: readonly PlannedBatch[];
  readonly results: Map<number, BatchResult>;
}

/** Creates the store of the steps of one run, in memory. */
function memorySteps(run: () => Run): StepStore {
  let starts: Starts = new Map();
  const steps = new Map<string, MemoryStep>();
  const change = (name: string, changes: Partial<StepRecord>): StepRecord => {
    const step = steps.get(name);
    assert(step !== undefined, "a step must be planned before it changes");
    const record = { ...step.record, ...changes };
    steps.set(name, { ...step, record });
    return record;
  };
  const resultsOf = (name: string): readonly BatchResult[] => {
    const results = [...(steps.get(name)?.results ?? [])];
    return results.toSorted(([a], [b]) => a - b).map(([, result]) => result);
  };
  return {
    async saveStarts(_runId, _plan, planned) {
      starts = planned;
    },
    starts: async (_run, step) => starts.get(step) ?? [],
    async plan(_run, { step, batches }) {
      steps.set(step.step, { record: step, batches, results: new Map() });
      return step;
    },
    get: async (_runId, step) => steps.get(step)?.record,
    async list() {
      const records = [...steps.values()].map(({ record }) => record);
      return records.toSorted((a, b) => a.position - b.position);
    },
    async decide(_run, { step }, shortfall) {
      const decision = shortfall === null ? "read" : "defer";
      change(step, { decision, shortfall });
      return decision;
    },
    async recordSent({ step }) {
      change(step, { isSent: true });
    },
    open: async (ref) => ({
      run: run(),
      step: steps.get(ref.step)?.record,
      planned: steps.get(ref.step)?.batches[ref.batch],
      result: steps.get(ref.step)?.results.get(ref.batch),
    }),
    planned: async ({ step, batch }) => steps.get(step)?.batches[batch],
    async recordResult({ step, batch }, result) {
      steps.get(step)?.results.set(batch, result);
      return { isFirst: true };
    },
    markDone: async ({ step, batch }) =>
      change(step, { done: new Set([...(steps.get(step)?.record.done ?? []), batch]) }),
    counts: async ({ step }) =>
      resultsOf(step).reduce((sum, { counts }) => addBatchCounts(sum, counts), noCounts),
    async *routed({ step }) {
      for (const { outcomes } of resultsOf(step)) {
        yield outcomes.filter(({ next }) => next !== undefined);
      }
    },
    async *effectiveResults({ step }) {
      for (const result of resultsOf(step)) yield { ...result, points: [], isRestorable: false };
    },
    async *delisted({ step }) {
      for (const { outcomes } of resultsOf(step)) {
        yield outcomes.filter(({ lastSnapshot }) => lastSnapshot !== undefined).map(({ id }) => id);
      }
    },
    itemsBefore: noItemsBefore,
    async recordStats({ step, stats }) {
      change(step, { stats });
    },
  };
}
