import { assert } from "../../shared/base/assert.ts";
import type { Warn } from "../../shared/base/best-effort.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import type { SerializedEvent } from "../../shared/events/event.ts";
import type { AbandonDependencies } from "../../shared/runs/abandon-run.ts";
import { claimDueRun } from "../../shared/runs/claim-due-run.ts";
import { decideHold } from "../../shared/runs/decide-hold.ts";
import { type FinishDependencies, finishRun } from "../../shared/runs/finish-run.ts";
import { type ReadBatchDependencies, readBatch } from "../../shared/runs/read-batch.ts";
import { resumeRun } from "../../shared/runs/resume-run.ts";
import { runNow } from "../../shared/runs/run-now.ts";
import type { Run } from "../../shared/runs/run.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { WaitingMessages } from "./waiting-messages.ts";

/** A watchlist that the replay created. */
export interface OpenWatchlist {
  readonly accountId: string;
  readonly watchlistId: string;
}

/** A run that the replay has played. */
export interface PlayedRun {
  readonly run: Run;
  /**
   * The events of the watchlist since its previous run, as the finisher passes them to the
   * publisher.
   */
  readonly events: readonly SerializedEvent[];
}

interface Engine {
  readonly ports: AbandonDependencies &
    FinishDependencies &
    ReadBatchDependencies & { readonly schedules: Schedules; readonly warn: Warn };
  readonly take: WaitingMessages["take"];
  /** Published events by watchlist ID. */
  readonly published: Map<string, readonly SerializedEvent[]>;
}

/** Maximum number of messages that are handled at the same time. */
const workersMax = 4;
/** Time that a step worker has left to read a batch, in milliseconds. */
const readingMs = 60_000;

/**
 * Runs each watchlist once, as its schedule does, and processes all messages until the queues are
 * empty. Returns the runs in the order of the watchlists.
 * @throws Error if a watchlist is not due.
 */
export async function playDueRuns(
  lists: readonly OpenWatchlist[],
  engine: Engine,
): Promise<readonly PlayedRun[]> {
  return playRuns(
    await inParallel(lists, workersMax, (watchlist) => claim(watchlist, engine)),
    engine,
  );
}

/**
 * Starts a manual run of each watchlist, and processes all messages until the queues are empty.
 * Returns the runs in the order of the watchlists.
 * @throws Error if a run cannot start, for example because another run is in progress
 */
export async function playManualRuns(
  lists: readonly OpenWatchlist[],
  engine: Engine,
): Promise<readonly PlayedRun[]> {
  const { ports } = engine;
  const claimed = await inParallel(lists, workersMax, async ({ accountId, watchlistId }) => {
    const watchlist = await ports.watchlists.get(accountId, watchlistId);
    assert(
      watchlist !== undefined,
      "the watchlist must exist, because the replay deletes no watchlist",
    );
    return runNow(watchlist, ports.clock.now(), ports);
  });
  return playRuns(claimed, engine);
}

/**
 * Discards held runs, and waits until their watchlists can run again.
 * @param runs The held runs.
 * @param reason The reason that is stored with each run.
 */
export async function discardRuns(
  runs: readonly Run[],
  reason: string,
  engine: Engine,
): Promise<void> {
  const decision = { status: "discarded", reason } as const;
  await inParallel(runs, workersMax, (run) => decideHold(run, decision, engine.ports));
  await drain(engine);
}

/**
 * Processes all messages of claimed runs until the queues are empty, and returns the finished runs.
 */
async function playRuns(claimed: readonly Run[], engine: Engine): Promise<readonly PlayedRun[]> {
  const { ports, published } = engine;
  await drain(engine);
  return inParallel(claimed, workersMax, async (ref) => {
    const run = await ports.runs.get(ref);
    assert(run !== undefined, "the run must be stored");
    const events = published.get(run.watchlistId) ?? [];
    published.delete(run.watchlistId);
    return { run, events };
  });
}

async function claim(watchlist: OpenWatchlist, { ports }: Engine): Promise<Run> {
  const now = ports.clock.now();
  const run = await claimDueRun({ ...watchlist, scheduledTime: now, now }, ports);
  assert(run !== undefined, "a run of the watchlist must be due");
  await resumeRun(run, ports);
  return run;
}

async function drain({ ports, take }: Engine): Promise<void> {
  const now = ports.clock.now();
  const times = { deadline: new Date(now.getTime() + readingMs), sentAt: now };
  for (;;) {
    const { resumes, batches, finishes } = take();
    if (resumes.length + batches.length + finishes.length === 0) return;
    await inParallel(resumes, workersMax, (run) => resumeRun(run, ports));
    await inParallel(batches, workersMax, (batch) => readBatch(batch, times, ports));
    await inParallel(finishes, workersMax, (run) => finishRun(run, ports));
  }
}
