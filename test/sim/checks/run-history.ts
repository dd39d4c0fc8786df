import assert from "node:assert/strict";
import { areEqual } from "../../../shared/pipelines/compare.ts";
import { readingKind, type Step, stepOf } from "../../../shared/pipelines/definition.ts";
import { limits } from "../../../shared/base/limits.ts";
import type {
  HistoryPoint,
  ObservedChange,
  ObservedChanges,
} from "../../../shared/history/history.ts";
import { applyOutcome } from "../../support/apply-outcome.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { type FieldValue, stepScrapers } from "../../../shared/scrapers/catalog.ts";
import {
  currentSnapshot,
  type Item,
  knownValue,
  newItem,
} from "../../../shared/watchlists/item.ts";
import { compareIds } from "../../../shared/watchlists/id-order.ts";
import {
  outcomesOf,
  type Records,
  type RunRecords,
  type StepRecords,
} from "../scenarios/runs-records.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import type { RunsScene, WatchlistScene } from "../scenarios/runs-scene.ts";

const always = { since: "0000", until: "9999" };

/**
 * Checks the history of an existing watchlist against the recorded results of its runs, and against
 * its items (invariants H1 to H4).
 * @throws Error if a check fails
 */
export async function checkHistory(
  { stores: { history }, world }: RunsScene,
  { list, items }: { readonly list: WatchlistScene; readonly items: readonly Item[] },
  records: Records,
): Promise<void> {
  const watchlistId = list.id;
  const expected = records.map((record) => ({
    runNumber: record.run.runNumber,
    // The history has no points of a discarded run.
    points: isDiscarded(record.run) ? [] : expectedPoints(record),
  }));
  const runs = await Array.fromAsync(
    history.runs({ watchlistId, order: "oldest_first", ...always }),
  );
  const found = runs.map(({ runNumber, points }) => ({ runNumber, points }));
  const withPoints = expected.filter(({ points }) => points.length > 0);
  assert.deepEqual(found, withPoints, `${watchlistId}: recorded runs`);
  const newestFirst = await Array.fromAsync(
    history.runs({ watchlistId, order: "newest_first", ...always }),
  );
  assert.deepEqual(newestFirst.toReversed(), runs, `${watchlistId}: recorded runs, newest first`);
  checkShownChanges(list, found);
  for (const { runNumber } of expected) {
    assert(await history.isRecorded(watchlistId, runNumber), `run ${runNumber} is not recorded`);
  }
  const merged = await history.mergedWindows(watchlistId);
  const complete = Math.floor(records.length / limits.historyWindowRuns);
  assert.equal(merged, complete, `${watchlistId}: merged windows`);
  if (merged > 0) world.reached("a window of the history was merged");
  const ids = new Set(expected.flatMap(({ points }) => points.map(({ id }) => id)));
  for (const itemId of ids) {
    const ofItem = expected.flatMap(({ runNumber, points }) =>
      points
        .filter(({ id }) => id === itemId)
        .map(({ at, step, status, values }) => ({ runNumber, at, step, status, values })),
    );
    const read = await history.item({ watchlistId, itemId, ...always });
    assert.deepEqual(read, ofItem, `${watchlistId}: history of ${itemId}`);
  }
  const kept = records.filter(({ run }) => !isDiscarded(run));
  checkObserved(kept);
  for (const item of items) checkValues(item, kept);
}

/**
 * Checks that each change that a response of the API showed is in the history (invariant H1). Skips
 * the change to delisted, whose value is not stored.
 */
function checkShownChanges(
  { id, shownChanges }: WatchlistScene,
  runs: readonly { readonly runNumber: number; readonly points: readonly HistoryPoint[] }[],
): void {
  for (const { run_number: runNumber, item_id: itemId, field } of shownChanges) {
    if (field === "delisted") continue;
    const points = runs.find((run) => run.runNumber === runNumber)?.points ?? [];
    const isRecorded = points.some((point) => point.id === itemId && field in (point.values ?? {}));
    assert(isRecorded, `${id}: run ${runNumber} did not record the ${field} of ${itemId}`);
  }
}

/** Returns the points of a run, derived from its recorded results. */
function expectedPoints({ steps }: RunRecords): HistoryPoint[] {
  const points: HistoryPoint[] = [];
  for (const one of steps) {
    const { step } = one.step;
    for (const outcome of outcomesOf(one)) {
      const { id, at, status } = outcome;
      const values = observedBy(one, outcome);
      if (status === "ok" && Object.keys(values).length === 0) continue;
      points.push({ id, at, step, status, values });
    }
  }
  return points.toSorted((a, b) => compareIds(a.id, b.id));
}

/** Returns the changes that an outcome observed, from the recorded points of its step. */
function observedBy({ step, points }: StepRecords, { id, at }: ItemOutcome): ObservedChanges {
  const own = points.filter((point) => point.id === id);
  assert(own.length <= 1, `${id}: one point in step ${step.step}`);
  const [point] = own;
  if (point !== undefined) assert.equal(point.at, at, `${id}: time of the point`);
  return point?.values ?? {};
}

/** Checks that each outcome observed exactly the known values that it changed (invariant H2). */
function checkObserved(records: Records): void {
  const items = new Map<string, Item>();
  for (const { run, steps } of records) {
    for (const one of steps) {
      const { step, position, scraper } = one.step;
      const definition = stepOf(run.pipeline, step);
      for (const outcome of outcomesOf(one)) {
        const { id, addedAt } = outcome;
        const before = items.get(`${id}/${addedAt}`) ?? newItem(id, addedAt);
        const { id: runId, runNumber, pipeline } = run;
        const reading = { runId, runNumber, pipeline, step, position, scraper };
        const after = applyOutcome(before, outcome, reading);
        items.set(`${id}/${addedAt}`, after);
        const where = `${id} in run ${runNumber}, step ${step}`;
        const observed = observedBy(one, outcome);
        checkOutcome({ observed, before, after, step: definition }, where);
      }
    }
  }
}

interface Applied {
  readonly observed: ObservedChanges;
  readonly before: Item;
  readonly after: Item;
  readonly step: Step;
}

function checkOutcome({ observed, before, after, step }: Applied, where: string): void {
  const kind = readingKind(step);
  for (const field of Object.keys(stepScrapers[step.scraper].fieldTypes)) {
    const was = knownValue(before, field, kind);
    const is = knownValue(after, field, kind);
    const isSame = was === undefined ? is === undefined : areEqual(field, was, is ?? null);
    const change = observed[field];
    assert.equal(change === undefined, isSame, `${where}: ${field} was observed`);
    if (change === undefined) continue;
    assert.equal(change.before, was, `${where}: ${field} before`);
    assert.equal(change.after, is, `${where}: ${field} after`);
  }
}

/**
 * Checks the history of an item for each field (invariants H2 and H3). Each change must begin with
 * the value with which the previous change ended. The snapshot must have the last value.
 */
function checkValues(item: Item, records: Records): void {
  const values = new Map<string, FieldValue>();
  for (const { run, steps } of records) {
    for (const one of steps) {
      const outcome = outcomesOf(one).find(({ id }) => id === item.id);
      if (outcome?.addedAt !== item.addedAt) continue;
      for (const [field, change] of Object.entries(observedBy(one, outcome))) {
        checkLink(values.get(field), { field, change }, `${item.id} in run ${run.runNumber}`);
        values.set(field, change.after);
      }
    }
  }
  const snapshot = currentSnapshot(item) ?? {};
  const fields = Object.keys(snapshot).toSorted();
  assert.deepEqual([...values.keys()].toSorted(), fields, `${item.id}: fields with a history`);
  for (const [field, value] of Object.entries(snapshot)) {
    const last = values.get(field) ?? null;
    assert(areEqual(field, last, value), `${item.id}: ${field} is ${value}, not ${last}`);
  }
}

/** Checks that a change begins with `last`, the value with which the previous change ended. */
function checkLink(
  last: FieldValue | undefined,
  { field, change: { before } }: { readonly field: string; readonly change: ObservedChange },
  where: string,
): void {
  const isLinked =
    before === undefined || last === undefined ? before === last : areEqual(field, last, before);
  assert(isLinked, `${where}: ${field} changed from ${before}, but was ${last}`);
}
