import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { readingKind, runOrder, stepOf } from "../../../shared/pipelines/definition.ts";
import type { ReadingKind } from "../../../shared/scrapers/catalog.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { revisionAfter } from "../../../shared/runs/apply-outcome.ts";
import { applyOutcome } from "../../support/apply-outcome.ts";
import { type Item, knownValue, newItem } from "../../../shared/watchlists/item.ts";
import { limits } from "../../../shared/base/limits.ts";
import { addCounts, noItems } from "../../../shared/watchlists/item-counts.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import type { WatchlistScene, RunsScene } from "../scenarios/runs-scene.ts";
import { checkHistory } from "./run-history.ts";
import { checkSnapshotRow, type SnapshotRows } from "./run-snapshots.ts";
import { checkExpected, type ExpectedItem } from "./run-answers.ts";
import { outcomesOf, type Records, type RunRecords } from "../scenarios/runs-records.ts";

/**
 * Checks the items of a watchlist against the changes of its users and against its runs.
 * @throws Error if a check fails
 */
export async function checkItems(
  scene: RunsScene,
  {
    list,
    expected,
    snapshots,
  }: {
    readonly list: WatchlistScene;
    readonly expected: ReadonlyMap<string, ExpectedItem>;
    readonly snapshots: SnapshotRows;
  },
  records: Records,
): Promise<void> {
  const { stores, world } = scene;
  const row = await stores.watchlists.get(list.user.accountId, list.id);
  if (row === undefined) return checkNothingLeft(scene, list);
  assert.equal(list.deletedAt, null, `${list.id} exists after its deletion`);
  assert.equal(row.runningRun, null, list.id);
  assert.equal(row.runCount, records.length, `${list.id}: runs`);
  assert.equal(row.lastRunStatus, records.at(-1)?.run.status ?? null, list.id);
  // The row may contain a smaller number of skips, because a change of the watchlist's status
  // resets this number to 0.
  const skips = skipsOf(records);
  assert(
    row.consecutiveSkips <= skips,
    `${list.id}: ${row.consecutiveSkips} skips are stored, but only ${skips} runs were skipped`,
  );
  assert(row.consecutiveSkips <= limits.consecutiveSkipsMax, `${list.id}: too many skips in a row`);
  if (skips >= limits.consecutiveSkipsMax) world.reached("runs were skipped three times in a row");
  const pages = await Array.fromAsync(stores.pages.pages(list.id));
  if (pages.length > 1) world.reached("a watchlist had several pages");
  if (row.overlaps > 0) world.reached("a due time came during a run");
  const counts = pages.reduce((sum, page) => addCounts(sum, page.counts), noItems);
  assert.deepEqual(row.itemCounts, counts, `${list.id}: counts`);
  const items = pages.flatMap((page) => page.items);
  const ids = new Set(items.map(({ id }) => id));
  assert.equal(ids.size, items.length, `${list.id}: no item twice`);
  checkItemIds(list, ids);
  for (const item of items) {
    checkItem(item, { records, snapshots }, list.touched.has(item.id));
    const one = expected.get(item.id);
    if (one !== undefined) checkExpected(item, one);
  }
  await checkHistory(scene, { list, items }, records);
}

/** Checks that the watchlist contains exactly the expected items after the users' calls. */
function checkItemIds(
  { request, touched, isThere }: WatchlistScene,
  ids: ReadonlySet<string>,
): void {
  for (const id of request.ids)
    if (!touched.has(id))
      assert(ids.has(id), `item ${id}, which no user removed, is not on the watchlist`);
  for (const [id, there] of isThere) {
    if (there !== undefined) assert.equal(ids.has(id), there, `${id} is on the watchlist`);
  }
}

/**
 * Returns how many of the last runs in sequence were skipped for lack of credits. Ignores skipped
 * manual runs.
 */
function skipsOf(records: Records): number {
  const runs = records
    .map(({ run }) => run)
    .filter(({ status, trigger }) => status !== "insufficient_credits" || trigger !== "manual");
  return runs.length - 1 - runs.findLastIndex(({ status }) => status !== "insufficient_credits");
}

/**
 * Checks the changes of an outcome. Each change must begin with a stored value, which may be from
 * another kind of read, and end with the new stored value. A change is counted if its new value
 * differs from the last known value, and each change is reported once.
 */
function checkChanges(
  {
    expected,
    outcome,
    kind,
  }: { readonly expected: Item; readonly outcome: ItemOutcome; readonly kind: ReadingKind },
  where: string,
): void {
  const after = {
    readings: { ...expected.readings, ...outcome.readings },
    openChanges: outcome.openChanges ?? expected.openChanges,
  };
  const { changes = {}, isCounted = false, reported } = outcome;
  const isNew = (field: string): boolean =>
    !isDeepStrictEqual(changes[field]?.after, knownValue(expected, field, kind));
  for (const [field, change] of Object.entries(changes)) {
    const before = [expected.readings[kind]?.[field], knownValue(expected, field, kind)];
    assert(before.includes(change.before), `${where}: the old value of ${field} was never stored`);
    assert.deepEqual(change.after, knownValue(after, field, kind), `${where}: ${field} after`);
    if (reported === undefined || isNew(field)) continue;
    assert(
      expected.openChanges[field]?.notified !== true,
      `${where}: ${field} was reported before`,
    );
  }
  if (outcome.changes === undefined) return;
  assert.equal(isCounted, !Object.keys(changes).some(isNew), `${where}: is counted`);
}

/**
 * Checks that the recorded outcomes, applied in order, result in the stored item (invariants R5 and
 * R6).
 */
function checkItem(
  item: Item,
  { records, snapshots }: { readonly records: Records; readonly snapshots: SnapshotRows },
  isTouched: boolean,
): void {
  let expected = newItem(item.id, item.addedAt);
  let delistings = 0;
  for (const { run, steps } of records) {
    const before = { item: expected, delistings };
    const sentTo = new Set<string>();
    for (const one of steps) {
      const { step } = one;
      if (expected.state === "delisted" && !isTouched && !sentTo.has(step.step)) {
        const isRead = one.batches.some(({ ids }) => ids.includes(item.id));
        assert(
          !isRead,
          `${item.id} is delisted, but run ${run.runNumber} read it at step ${step.step}`,
        );
      }
      const outcome = outcomesOf(one).find(
        ({ id, addedAt }) => id === item.id && addedAt === item.addedAt,
      );
      if (outcome === undefined) continue;
      for (const next of outcome.next ?? []) sentTo.add(next);
      const where = `${item.id} in run ${run.runNumber}, step ${step.step}`;
      checkChanges(
        { expected, outcome, kind: readingKind(stepOf(run.pipeline, step.step)) },
        where,
      );
      if (outcome.lastSnapshot !== undefined) delistings += 1;
      const { runNumber, id: runId } = run;
      const { position, scraper } = step;
      const reading = { runId, runNumber, pipeline: run.pipeline, step: step.step };
      expected = applyOutcome(expected, outcome, { ...reading, position, scraper });
    }
    expected = withMissedSteps(expected, { run, steps });
    checkSnapshotRow(snapshots, run, { item: expected, isTouched });
    ({ item: expected, delistings } = afterHold(
      before,
      { item: expected, delistings },
      { run, steps },
    ));
  }
  assert.equal(delistings, expected.state === "delisted" ? 1 : 0, `${item.id}: delisted once`);
  // A delisted item that is added again starts with its earlier revision, not with 0. The revision
  // of items that users changed is therefore not compared.
  assert.deepEqual(isTouched ? { ...item, revision: expected.revision } : item, expected, item.id);
}

interface Counted {
  readonly item: Item;
  readonly delistings: number;
}

/** Returns the state after the hold of a run has ended. A discard restores the earlier state. */
const afterHold = (before: Counted, after: Counted, record: RunRecords): Counted =>
  isDiscarded(record.run) ? { ...before, item: withRestored(before.item, record) } : after;

/**
 * Returns the item after a discarded run. If the run had an outcome of the item, the item has a new
 * revision, so that late outcomes of the run have no effect.
 */
const withRestored = (item: Item, { run, steps }: RunRecords): Item =>
  steps.flatMap(outcomesOf).some(({ id, addedAt }) => id === item.id && addedAt === item.addedAt)
    ? { ...item, revision: revisionAfter(run.runNumber) }
    : item;

/** Adds the owed retries for the steps that a failed run did not reach. */
function withMissedSteps(item: Item, { run, steps }: RunRecords): Item {
  if (run.status !== "failed") return item;
  const sent = steps.flatMap(outcomesOf).filter(({ id }) => id === item.id);
  const reachedSteps = new Set(
    steps.flatMap(({ step }) => (step.stats === null ? [] : [step.step])),
  );
  let expected = item;
  for (const [position, { id: step, scraper }] of runOrder(run.pipeline).entries()) {
    const by = sent.find(
      ({ addedAt, next = [] }) => addedAt === item.addedAt && next.includes(step),
    );
    if (by === undefined || reachedSteps.has(step)) continue;
    const { id: runId, runNumber, pipeline } = run;
    const missed = { id: item.id, addedAt: item.addedAt, status: "deferred", at: by.at } as const;
    expected = applyOutcome(expected, missed, {
      runId,
      runNumber,
      pipeline,
      step,
      position,
      scraper,
    });
  }
  return expected;
}

/** Checks that no row of a deleted watchlist is left. */
async function checkNothingLeft({ world }: RunsScene, list: WatchlistScene): Promise<void> {
  assert(list.isDeletionAsked, `${list.id} is missing without a deletion`);
  const { Items = [] } = await world.client.send(
    new ScanCommand({
      TableName: world.table,
      FilterExpression: "pk IN (:list, :history)",
      ExpressionAttributeValues: {
        ":list": `watchlist#${list.id}`,
        ":history": `history#${list.id}`,
      },
    }),
  );
  assert.deepEqual(
    Items.map(({ sk }) => String(sk)),
    [],
    `${list.id}: rows left`,
  );
}
