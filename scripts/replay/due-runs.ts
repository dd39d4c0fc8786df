import { assert } from "../../shared/base/assert.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import type { SerializedEvent } from "../../shared/events/event.ts";
import type { AbandonDependencies } from "../../shared/runs/abandon-run.ts";
import { claimDueRun } from "../../shared/runs/claim-due-run.ts";
import { type FinishDependencies, finishRun } from "../../shared/runs/finish-run.ts";
import { type ReadBatchDependencies, readBatch } from "../../shared/runs/read-batch.ts";
import { resumeRun } from "../../shared/runs/resume-run.ts";
import type { Run } from "../../shared/runs/run.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { WaitingMessages } from "./waiting-messages.ts";

/** A watchlist that the replay created. */
export interface OpenList {
  readonly accountId: string;
  readonly watchlistId: string;
}

/** A run that the replay has played. */
export interface PlayedRun {
  readonly run: Run;
  /** The events of the run, as the finisher handed them to the publisher. */
  readonly events: readonly SerializedEvent[];
}

interface Engine {
  readonly ports: AbandonDependencies &
    FinishDependencies &
    ReadBatchDependencies & { readonly schedules: Schedules };
  readonly take: WaitingMessages["take"];
  /** Published events by run ID. */
  readonly published: Map<string, readonly SerializedEvent[]>;
}

/** Maximum number of messages that are handled at the same time. */
const workersMax = 4;
/** Time that a step worker has left to read a batch, in milliseconds. */
const readingMs = 60_000;

/**
 * Plays one due run of each watchlist, until all queues are empty. Returns the runs in the order of
 * the watchlists.
 * @throws Error if a watchlist is not due
 */
export async function playDueRuns(
  lists: readonly OpenList[],
  engine: Engine,
): Promise<readonly PlayedRun[]> {
  const claimed = await inParallel(lists, workersMax, (list) => claim(list, engine));
  await drain(engine);
  return inParallel(claimed, workersMax, async (ref) => {
    const run = await engine.ports.runs.get(ref);
    assert(run !== undefined, "the run is stored");
    const events = engine.published.get(run.id) ?? [];
    engine.published.delete(run.id);
    return { run, events };
  });
}

async function claim(list: OpenList, { ports }: Engine): Promise<Run> {
  const now = ports.clock.now();
  const run = await claimDueRun({ ...list, scheduledTime: now, now }, ports);
  assert(run !== undefined, "a run of the watchlist is due");
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
