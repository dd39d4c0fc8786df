import { runOrder } from "../pipelines/definition.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { batchRefs } from "./advance-run.ts";
import { settleStep } from "./complete-step.ts";
import { releaseStepCredits, reserveStepCredits } from "./reserve-step.ts";
import { outcomesToStore, itemsOf, recordBatch, unreadResult } from "./read-batch.ts";
import type { CarriedOutcomes } from "./batch.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import { progressIntervalMs, type Run } from "./run.ts";
import type { StepRecord } from "./step.ts";
import type { StartDependencies } from "./start-run.ts";
import { storeOutcomes } from "./store-outcomes.ts";

export interface AbandonDependencies extends StartDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: Pick<EndpointLookup, "list" | "deletions">;
}

/**
 * Milliseconds without stored progress after which a run is abandoned. A run may make progress for
 * `progressIntervalMs` without storing it, so this interval is added.
 */
const stuckMs = 15 * 60 * 1_000 + progressIntervalMs;

const message =
  "The run made no progress for 15 minutes. The next run reads the items that this run did not read.";

/**
 * Returns true if a run in phase `claimed` or `reading` has made no progress for more than 15
 * minutes, or if an earlier call has already begun to abandon the run. Returns false in all other
 * phases.
 */
export const isStalled = (run: Run, now: Date): boolean =>
  (run.phase === "claimed" || run.phase === "reading") &&
  (run.error !== null || now.getTime() - new Date(run.progressAt).getTime() >= stuckMs);

/**
 * Abandons a run: charges the answered items, refunds the rest, and stores an owed retry for each
 * item that was not read. Then gives the run the status `failed`, and sends it to the finisher.
 * Idempotent. Does nothing if the run made progress after the caller read it. The answers of a
 * batch that is still being read are ignored.
 */
export async function abandonRun(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { runs, steps, queue } = dependencies;
  const failed = await runs.abandon(run, message);
  // The run made progress after this process read its row, so the run is not abandoned.
  if (failed === undefined) return;
  for (const step of await steps.list(run.id)) {
    if (step.stats !== null) continue;
    if (step.decision === null) await releaseUndecided(failed, step, dependencies);
    else
      await settleStep(failed, await withoutOpenBatches(failed, step, dependencies), dependencies);
  }
  await storeLeftOver(failed, dependencies);
  await runs.startFinishing(run, "failed", ["claimed", "reading"]);
  await queue.sendFinish(run);
}

/**
 * Stores the outcomes of items that were routed to later steps. Normally the later step stores such
 * an outcome, but that step may never have run. The item then also gets an owed retry of that step.
 */
async function storeLeftOver(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { steps } = dependencies;
  const records = await steps.list(run.id);
  const ran = new Set(records.filter(({ stats }) => stats !== null).map(({ step }) => step));
  for (const step of records) {
    for await (const outcomes of steps.routed(step)) {
      const carried = [{ step: step.step, outcomes }, ...missedBy(run, outcomes, ran)];
      await storeOutcomes(run, { carried }, dependencies);
    }
  }
}

/**
 * Returns `deferred` outcomes for the items that were routed to steps that never ran, in step
 * order.
 */
function missedBy(
  { pipeline }: Run,
  outcomes: readonly ItemOutcome[],
  ran: ReadonlySet<string>,
): CarriedOutcomes[] {
  const missed = runOrder(pipeline).filter(({ id }) => !ran.has(id));
  return missed.map(({ id: step }) => ({
    step,
    outcomes: outcomes
      .filter(({ next = [] }) => next.includes(step))
      .map(({ id, addedAt, at }): ItemOutcome => ({ id, addedAt, status: "deferred", at })),
  }));
}

/**
 * Completes all open batches of a step: records a result for each batch that has none, and stores
 * the outcomes of each batch in the items. An item that was not read becomes `deferred` if the step
 * was deferred, otherwise `unavailable`. Returns the updated step. Stops early if the watchlist was
 * deleted.
 */
async function withoutOpenBatches(
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
    const { items, pagesRead: loaded } = await itemsOf(run, planned, pages);
    const unread = unreadResult(items.values(), status, clock.now());
    const { result, pagesRead } = await recordBatch(
      { ref, run, planned },
      { result: unread, pagesRead: loaded },
      steps,
    );
    await storeOutcomes(
      run,
      { carried: outcomesToStore(step, planned, result), pagesRead },
      dependencies,
    );
    after = (await steps.markDone(ref)) ?? after;
  }
  return after;
}

/**
 * Releases the credits of a step for which no decision (`read` or `defer`) is stored. The process
 * that planned the step may have reserved these credits, and then died before it stored the
 * decision. This function first reserves credits under the same hold ID, and then releases this
 * hold. The ledger opens a hold ID only once. A process that is still running therefore cannot
 * reserve these credits after the release.
 */
async function releaseUndecided(
  run: Run,
  step: StepRecord,
  dependencies: AbandonDependencies,
): Promise<void> {
  const shortfall = await reserveStepCredits(run, step, dependencies);
  if (shortfall === null) await releaseStepCredits(run, step, dependencies);
}
