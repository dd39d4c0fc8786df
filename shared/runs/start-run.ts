import type { Chance, Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import { creditsFor } from "../credits/charge.ts";
import type { Ledger } from "../credits/ledger.ts";
import { defaultPipeline } from "../pipelines/default.ts";
import { type Step, stepOf } from "../pipelines/definition.ts";
import { scrapers } from "../scrapers/catalogue.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import type { BatchRef, Run, StepRecord } from "./run.ts";
import type { RunQueue } from "./run-queue.ts";
import type { RunStore } from "./run-store.ts";
import type { StepStore } from "./step-store.ts";

/** How long a run may stand still before the sweeper looks at it. */
export const progressMs = 5 * 60 * 1_000;

/** How long sending out a step's batches may take. */
const sendingMs = 30_000;
/** Longer than any run takes; only a hold that its run has lost gets this old. */
const holdMs = 24 * 60 * 60 * 1_000;

export interface StartDependencies {
  readonly watchlists: WatchlistStore;
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly ledger: Ledger;
  readonly queue: RunQueue;
  readonly clock: Clock;
  readonly chance: Chance;
}

/**
 * Plans a claimed run, reserves its first step and sends out the batches. The plan is fixed before
 * the reservation, so that a repeat reserves for the same items.
 */
export async function startRun(run: Run, dependencies: StartDependencies): Promise<void> {
  const { watchlists, runs, ledger, queue, clock } = dependencies;
  const watchlist = await watchlists.get(run.accountId, run.watchlistId);
  if (watchlist === undefined) return finishEarly(run, { status: "completed" }, dependencies);
  const pipeline = defaultPipeline(watchlist.platform);
  const step = await planStep(
    { run, marketplace: watchlist.marketplace, step: stepOf(pipeline, pipeline.entry) },
    dependencies,
  );
  if (step.requested === 0) return finishEarly(run, { status: "completed", step }, dependencies);

  const now = clock.now();
  const hold = { accountId: run.accountId, holdId: holdIdOf(step) };
  const reserved = await ledger.reserve({
    ...hold,
    credits: creditsFor(step.requested * scrapers[step.scraper].costQuarters),
    slot: false,
    source: { runId: run.id, step: step.step },
    now,
    expiresAt: new Date(now.getTime() + holdMs),
  });
  if (reserved.outcome !== "reserved") {
    return finishEarly(run, { status: "insufficient_credits", step }, dependencies);
  }
  // Looked after soon, until the batches are on their way.
  const moved = await runs.startReading(run, new Date(now.getTime() + sendingMs));
  if (moved || (await runs.get(run))?.phase === "reading") {
    await queue.sendBatches(batchRefs(run, step));
    return runs.noteProgress(run, new Date(clock.now().getTime() + progressMs));
  }
  // Another attempt ended the run meanwhile, without this hold: it goes back untouched.
  await ledger.settle({ ...hold, credits: 0, succeeded: false, now });
}

export const holdIdOf = (step: { runId: string; step: string }): string =>
  `${step.runId}#${step.step}`;

/** The batches of a step that nobody has stored yet. */
export function batchRefs(run: Run, step: StepRecord): BatchRef[] {
  return Array.from({ length: step.batches }, (_, batch) => batch)
    .filter((batch) => !step.done.has(batch))
    .map((batch) => ({
      accountId: run.accountId,
      watchlistId: run.watchlistId,
      runNumber: run.runNumber,
      runId: run.id,
      step: step.step,
      plan: step.plan,
      batch,
    }));
}

async function planStep(
  planned: { readonly run: Run; readonly marketplace: string; readonly step: Step },
  { watchlists, steps, chance }: StartDependencies,
): Promise<StepRecord> {
  const { run, marketplace, step: definition } = planned;
  const earlier = await steps.get(run.id, definition.id);
  if (earlier !== undefined) return earlier;
  const ids: string[] = [];
  let newItems = 0;
  for await (const page of watchlists.pages(run.watchlistId)) {
    for (const item of page.items) {
      if (item.state !== "delisted") ids.push(item.id);
      if (item.state === "new") newItems += 1;
    }
  }
  const batches = Array.from({ length: Math.ceil(ids.length / limits.batchIdsMax) }, (_, n) =>
    ids.slice(n * limits.batchIdsMax, (n + 1) * limits.batchIdsMax),
  );
  const step: StepRecord = {
    runId: run.id,
    step: definition.id,
    scraper: definition.scraper,
    marketplace,
    plan: Buffer.from(chance.bytes(6)).toString("hex"),
    batches: batches.length,
    requested: ids.length,
    newItems,
    done: new Set(),
    stats: null,
  };
  return steps.plan({ run, step, batches });
}

/** Ends a run that reads nothing. Only a run that nobody has started reading can end so. */
async function finishEarly(
  run: Run,
  end: { readonly status: "completed" | "insufficient_credits"; readonly step?: StepRecord },
  { runs, queue }: StartDependencies,
): Promise<void> {
  const { status, step } = end;
  const planned = step === undefined ? {} : { tracked: step.requested, newItems: step.newItems };
  const ended = { status, credits: 0, stats: { ...run.stats, ...planned } };
  await runs.startFinishing(run, ended, ["claimed"]);
  await queue.sendFinish(run);
}
