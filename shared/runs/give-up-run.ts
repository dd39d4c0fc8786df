import { runOrder } from "../pipelines/definition.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { batchRefs } from "./advance-run.ts";
import { settleStep } from "./complete-step.ts";
import { releaseStep, reserveStep } from "./reserve-step.ts";
import { outcomesToStore, itemsOf, record, unreadResult } from "./read-batch.ts";
import {
  type Carried,
  type ItemOutcome,
  progressGrainMs,
  type Run,
  type StepRecord,
} from "./run.ts";
import type { StartDependencies } from "./start-run.ts";
import { storeOutcomes } from "./store-outcomes.ts";

export interface GiveUpDependencies extends StartDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: Pick<EndpointLookup, "list" | "deletions">;
}

/** How long a run may stand still before it is given up; progress is noted every few seconds. */
const stuckMs = 15 * 60 * 1_000 + progressGrainMs;

const message =
  "The run made no progress for 15 minutes. What it did not read is read in the next.";

/** True for a run that has stood still for too long, and for one that was given up already. */
export const isStuck = (run: Run, now: Date): boolean =>
  (run.phase === "claimed" || run.phase === "reading") &&
  (run.error !== null || now.getTime() - new Date(run.progressAt).getTime() >= stuckMs);

/**
 * Ends a run as failed: what was answered is charged, what was not is refunded and owed to the
 * items. Safe to repeat from any point; a batch that still reads meanwhile changes nothing.
 */
export async function giveUpRun(run: Run, dependencies: GiveUpDependencies): Promise<void> {
  const { runs, steps, queue } = dependencies;
  const failed = await runs.giveUp(run, message);
  // Somebody has taken it on since it was looked at.
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
 * Puts into the items what was left to steps that the run has not come to; the items that were to
 * go there owe those steps a read.
 */
async function storeLeftOver(run: Run, dependencies: GiveUpDependencies): Promise<void> {
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

/** By step that the run has not come to, in its order: the items that were sent there. */
function missedBy(
  { pipeline }: Run,
  outcomes: readonly ItemOutcome[],
  come: ReadonlySet<string>,
): Carried[] {
  const missed = runOrder(pipeline).filter(({ id }) => !come.has(id));
  return missed.map(({ id: step }) => ({
    step,
    outcomes: outcomes
      .filter(({ next = [] }) => next.includes(step))
      .map(({ id, addedAt, at }): ItemOutcome => ({ id, addedAt, status: "deferred", at })),
  }));
}

/** The step with every batch recorded and stored: those that nobody read as unavailable. */
async function withoutUnread(
  run: Run,
  step: StepRecord,
  dependencies: GiveUpDependencies,
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
 * Whoever planned this step may have died between its reservation and its decision. The same
 * reservation, asked for again, is there afterwards if it can be, and goes back untouched.
 */
async function releaseUndecided(
  run: Run,
  step: StepRecord,
  dependencies: GiveUpDependencies,
): Promise<void> {
  const shortfall = await reserveStep(run, step, dependencies);
  if (shortfall === null) await releaseStep(run, step, dependencies);
}
