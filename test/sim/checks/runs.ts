import assert from "node:assert/strict";
import { creditsFor } from "../../../shared/credits/charge.ts";
import type { Run } from "../../../shared/runs/run.ts";
import type { WatchlistScene, RunsScene } from "../scenarios/runs-scene.ts";
import {
  collectRecords,
  outcomesOf,
  type Records,
  type StepRecords,
} from "../scenarios/runs-records.ts";
import { type LedgerState, readLedgerState, type Entry } from "./ledger-state.ts";
import { assertLedgerInvariants } from "./ledger-invariants.ts";
import { checkAnswers } from "./run-answers.ts";
import { checkBacktests } from "./run-backtests.ts";
import { checkItems } from "./run-items.ts";
import { checkLimits } from "./run-limits.ts";
import { checkRefreshes } from "./run-refreshes.ts";
import { assertReconciled } from "./reconciled.ts";
import { checkSnapshotFiles, checkSnapshotOfLastRun } from "./run-snapshots.ts";
import { checkShortfalls } from "./run-shortfalls.ts";
import { checkEvents, skewMs } from "./run-events.ts";

/**
 * Checks watchlists, runs, events and accounts. Call it when no work is left.
 * @throws Error if a check fails
 */
export async function checkRuns(scene: RunsScene): Promise<void> {
  const { world, users, lists, stores } = scene;
  const ofUser = new Map<string, { readonly list: WatchlistScene; readonly records: Records }[]>();
  for (const list of lists) {
    const records = list.kept ?? (await collectRecords(stores, list.id));
    checkEnds(records, list.isDeletionAsked);
    checkSteps(records);
    checkRefreshes(records, world.reached);
    checkLimits(records, world.reached);
    const expected = checkAnswers(list, records, { seen: scene.seen, reached: world.reached });
    const snapshots = await checkSnapshotFiles(scene, list, records);
    await checkItems(scene, { list, expected, snapshots }, records);
    await checkSnapshotOfLastRun(scene, list, { rows: snapshots, records });
    const { accountId } = list.user;
    ofUser.set(accountId, [...(ofUser.get(accountId) ?? []), { list, records }]);
    noteStates(scene, list, records);
  }
  for (const user of users) {
    const own = ofUser.get(user.accountId) ?? [];
    const rows = await readLedgerState(world, user.accountId);
    assertLedgerInvariants(rows);
    const records = own.flatMap((one) => one.records);
    checkCharges(rows, records);
    const history = scene.ledgers.get(user.accountId);
    assert(history !== undefined, `${user.name} has no recorded history`);
    checkShortfalls({ ...rows, history }, records, world);
    await checkEvents(scene, user, own);
    await checkBacktests(scene, own);
  }
  const names = new Set(world.scheduler.names());
  for (const list of lists) {
    if (list.deletedAt !== null)
      assert(!names.has(list.id), `${list.id} has a schedule after its deletion`);
  }
  await assertReconciled(world);
}

/**
 * Checks that the runs of a watchlist are numbered without gaps, and that all have ended (invariant
 * R7).
 */
function checkEnds(records: Records, isDeleted: boolean): void {
  assert.deepEqual(
    records.map(({ run }) => run.runNumber),
    records.map((_, n) => n + 1),
    "runs are numbered without gaps",
  );
  assert.equal(
    new Set(records.map(({ run }) => run.id)).size,
    records.length,
    "run IDs are unique",
  );
  for (const { run } of records) {
    const name = `run ${run.runNumber} of ${run.watchlistId}`;
    // If the watchlist is deleted while its last run is held, the run stays held.
    const isLeftHeld = isDeleted && run.phase === "held";
    assert.equal(run.phase, isLeftHeld ? "held" : "done", name);
    assert.notEqual(run.finishedAt, null, `${name} has no end time`);
    assert(
      ["completed", "insufficient_credits", "failed"].includes(run.status),
      `${name} has the status ${run.status}`,
    );
    if (run.status !== "failed") continue;
    const tookMs = Date.parse(run.finishedAt ?? "") - Date.parse(run.startedAt);
    assert(tookMs >= failsAfterMs - skewMs, `${name} failed too early, after ${tookMs} ms`);
  }
}

/** The milliseconds without progress after which a run fails. */
const failsAfterMs = 15 * 60_000;

/**
 * Checks the batches of each started step (invariant R9). All batches must be stored, and no item
 * may be in two batches.
 */
function checkSteps(records: Records): void {
  for (const { run, steps } of records) {
    for (const one of steps) {
      const { step, batches } = one;
      const ids = batches.flatMap((batch) => batch.ids);
      const where = `run ${run.runNumber}, step ${step.step}`;
      assert.equal(new Set(ids).size, ids.length, `${where}: no item twice`);
      assert.equal(ids.length, step.items, `${where}: items`);
      const found = outcomesOf(one).map(({ id }) => id);
      assert.equal(new Set(found).size, found.length, `${where}: one outcome per item`);
      const known = new Set(ids);
      for (const id of found) assert(known.has(id), `${where}: ${id} was not planned`);
      if (run.status === "insufficient_credits" || step.decision === null) {
        assert.deepEqual(found, [], where);
        continue;
      }
      assert.notEqual(step.stats, null, `${where}: no statistics`);
      // A credit limit deferred the whole step, so no batch was read or charged.
      if (step.shortfall?.limit !== undefined && step.done.size === 0) {
        assert.deepEqual(found, [], where);
        assert.equal(step.stats?.credits, 0, `${where}: a deferred step charges nothing`);
        continue;
      }
      assert.equal(step.done.size, step.batches, `${where}: batches done`);
      for (const { result } of batches) assert.notEqual(result, undefined, `${where}: no result`);
    }
  }
}

/**
 * Checks that each run is charged the credits that its steps recorded, and that each hold was
 * settled, so that the sweeper has none to release.
 */
function checkCharges({ held, entries, holdRows }: LedgerState, records: Records): void {
  assert.equal(held, 0, "no credits stay held");
  for (const { sk, state } of holdRows) assert.equal(state, "settled", `hold ${String(sk)}`);
  for (const { run, steps } of records) {
    const own = entries.filter(({ runId }) => runId === run.id);
    const name = `run ${run.runNumber} of ${run.watchlistId}`;
    const charges = steps.map((step) => checkCharge(name, step, own));
    assert.equal(
      run.credits,
      charges.reduce((total, one) => total + one, 0),
      name,
    );
  }
  const known = new Set<unknown>(records.map(({ run }) => run.id));
  for (const { runId } of entries) {
    if (runId !== undefined) assert(known.has(runId), "the ledger names an unknown run");
  }
}

/** Checks that a step was reserved at most once and settled once. Returns its recorded charge. */
function checkCharge(
  run: string,
  { step, batches }: StepRecords,
  entries: readonly Entry[],
): number {
  const where = `${run}, step ${step.step}`;
  const quarters = batches.reduce((sum, { result }) => sum + (result?.counts.quarters ?? 0), 0);
  const charged = step.decision === "read" ? creditsFor(quarters) : 0;
  const creditsOf = (type: string): number[] =>
    entries
      .filter((entry) => entry.step === step.step && entry.type === type)
      .map(({ credits }) => credits);
  const reserved = creditsOf("reserve");
  assert(reserved.length <= 1, `${where}: was reserved ${reserved.length} times`);
  if (step.decision === "read") assert.equal(reserved.length, 1, `${where}: reserved`);
  const refund = (reserved[0] ?? 0) - charged;
  const isNothing = reserved[0] === 0;
  assert.deepEqual(creditsOf("charge"), charged > 0 || isNothing ? [charged] : [], where);
  assert.deepEqual(creditsOf("refund"), refund > 0 ? [refund] : [], where);
  if (step.stats !== null) assert.equal(step.stats.credits, charged, where);
  return charged;
}

/** The rare states of a run, with a function that returns true for a run in this state. */
const rareRuns: readonly (readonly [name: string, is: (run: Run) => boolean])[] = [
  ["a stuck run timed out", ({ status }) => status === "failed"],
  ["a run was skipped for lack of credits", ({ status }) => status === "insufficient_credits"],
  ["a watchlist was deleted during its run", ({ watchlist }) => watchlist === null],
  [
    "a third skip in a row paused the watchlist",
    ({ watchlist }) => watchlist?.pausedReason === "insufficient_credits",
  ],
  ["items were deferred for lack of credits", ({ stats }) => stats.deferred > 0],
  ["an item was delisted", ({ stats }) => stats.delisted > 0],
  ["a run was a refresh", ({ kind }) => kind === "refresh"],
  ["a run was started manually", ({ trigger }) => trigger === "manual"],
  ["an item had an owed retry", ({ stats }) => stats.retryNextRun > 0],
];

function noteStates({ world }: RunsScene, list: WatchlistScene, records: Records): void {
  const { reached } = world;
  for (const { run, steps } of records) {
    for (const [name, is] of rareRuns) if (is(run)) reached(name);
    for (const step of steps) {
      if (step.batches.length > 1) reached("a step had several batches");
      if (outcomesOf(step).some(({ status }) => status === "skipped")) {
        reached("an item without a known offer was not checked");
      }
    }
  }
  if (list.deletedAt !== null) reached("a watchlist was deleted");
}
