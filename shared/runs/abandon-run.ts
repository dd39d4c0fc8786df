import { runOrder } from "../pipelines/definition.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { batchRefs } from "./advance-run.ts";
import { settleStep } from "./complete-step.ts";
import { releaseStepCredits, reserveStepCredits } from "./reserve-step.ts";
import { outcomesToStore, itemsOf, record, unreadResult } from "./read-batch.ts";
import {
  type CarriedOutcomes,
  type ItemOutcome,
  progressIntervalMs,
  type Run,
  type StepRecord,
} from "./run.ts";
import type { StartDependencies } from "./start-run.ts";
import { storeOutcomes } from "./store-outcomes.ts";

export interface AbandonDependencies extends StartDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: Pick<EndpointLookup, "list" | "deletions">;
}

/** Time without progress after which a run is abandoned, in milliseconds. */
const stuckMs = 15 * 60 * 1_000 + progressIntervalMs;

const message =
  "The run made no progress for 15 minutes. The next run reads the items that this run did not read.";

/**
 * Returns true if a run in phase `claimed` or `reading` made no progress for `stuckMs`. Also true
 * if its error is stored: an earlier call began to abandon the run.
 */
export const isStalled = (run: Run, now: Date): boolean =>
  (run.phase === "claimed" || run.phase === "reading") &&
  (run.error !== null || now.getTime() - new Date(run.progressAt).getTime() >= stuckMs);

/**
 * Abandons a run: charges the answered items, refunds the rest, and stores an owed retry for each
 * item that was not read. Then sends the failed run to the finisher. Idempotent. A batch that is
 * still being read at this time has no effect.
 */
export async function abandonRun(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { runs, steps, queue } = dependencies;
  const failed = await runs.abandon(run, message);
  // Undefined: the run made progress after this process read it, so it is not abandoned.
  if (failed === undefined) return;
  for (const step of await steps.list(run.id)) {
    if (step.stats !== null) continue;
    if (step.decision === null) await releaseUndecided(failed, step, dependencies);
    else await settleStep(failed, await withoutUnread(failed, step, dependencies), dependencies);
  }
  await storeLeftOver(failed, dependencies);
  await runs.startFinishing(run, "failed", ["claimed", "reading"]);
  await queue.sendFinish(run);
}

/**
 * Stores the outcomes that steps passed on to later steps, which never ran. The items routed to
 * those steps get an owed retry there.
 */
async function storeLeftOver(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { steps } = dependencies;
  const records = await steps.list(run.id);
  const come = new Set(records.filter(({ stats }) => stats !== null).map(({ step }) => step));
  for (const step of records) {
    for await (const outcomes of steps.routed(step)) {
      const found = [{ step: step.step, outcomes }, ...missedBy(run, outcomes, come)];
      await storeOutcomes(run, { found }, dependencies);
    }
  }
}

/** `deferred` outcomes for the items that were routed to steps that never ran, in step order. */
function missedBy(
  { pipeline }: Run,
  outcomes: readonly ItemOutcome[],
  come: ReadonlySet<string>,
): CarriedOutcomes[] {
  const missed = runOrder(pipeline).filter(({ id }) => !come.has(id));
  return missed.map(({ id: step }) => ({
    step,
    outcomes: outcomes
      .filter(({ next = [] }) => next.includes(step))
      .map(({ id, addedAt, at }): ItemOutcome => ({ id, addedAt, status: "deferred", at })),
  }));
}

/**
 * Records and stores the result of every batch of the step. Items of a batch that was not read
 * become `deferred` if the step was deferred, else `unavailable`. Returns the updated step.
 */
async function withoutUnread(
  run: Run,
  step: StepRecord,
  dependencies: AbandonDependencies,
): Promise<StepRecord> {
  const { steps, pages, clock } = dependencies;
  let after = step;
  for (const ref of batchRefs(run, step)) {
    const status = step.decision === "defer" ? "deferred" : "unavailable";
    const planned = await steps.planned(ref);
    if (planned === undefined) return after;
    const { items, read } = await itemsOf(run, planned, pages);
    const unread = unreadResult(items.values(), status, clock.now());
    const { result, read: from } = await record(ref, { result: unread, read }, steps);
    await storeOutcomes(
      run,
      { found: outcomesToStore(step, planned, result), read: from },
      dependencies,
    );
    after = (await steps.markDone(ref)) ?? after;
  }
  return after;
}

/**
 * Releases the hold of a step without a decision: the process that planned the step may have died
 * after it reserved credits. Reserves the same hold ID again first, because a hold that is reserved
 * only after the release would stay open.
 */
async function releaseUndecided(
  run: Run,
  step: StepRecord,
  dependencies: AbandonDependencies,
): Promise<void> {
  const shortfall = await reserveStepCredits(run, step, dependencies);
  if (shortfall === null) await releaseStepCredits(run, step, dependencies);
}
