import type { Changed } from "../base/after-change.ts";
import { assertNever } from "../base/assert.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import type { StepScraperId } from "../scrapers/catalog.ts";
import type { Item, LastChange } from "../watchlists/item.ts";
import { retriesAfterAnswer, retriesAfterFailure, retrySteps } from "./owed-retries.ts";
import { changesItem, type ItemOutcome } from "./item-outcome.ts";

/** The run and step that produced an outcome. */
export interface Reading {
  readonly runId: string;
  readonly runNumber: number;
  /** The run's pipeline. */
  readonly pipeline: Pipeline;
  readonly step: string;
  /** Position of the step in the run order, from 0. */
  readonly position: number;
  readonly scraper: StepScraperId;
}

/**
 * Number of revisions for the steps of one run: a step's revision is `runNumber * positionsMax +
 * position`.
 */
const positionsMax = 16;

/**
 * Returns the revision that an item gets at the end of a run. This revision is higher than the
 * revisions of all steps of the run, so outcomes of the run that arrive later have no effect.
 */
export const revisionAfter = (runNumber: number): number =>
  runNumber * positionsMax + positionsMax - 1;

/**
 * Applies the outcome of a read to an item, and returns the changed item (specification, section
 * "States and transitions"). Outcomes may arrive late or twice. Returns `unchanged` if the outcome
 * has no effect on the item, for example in these cases:
 *
 * - the item has the revision of this step or of a later one;
 * - the item was removed and added again after the outcome;
 * - the item is delisted.
 */
export function changeByOutcome(item: Item, outcome: ItemOutcome, reading: Reading): Changed<Item> {
  const revision = reading.runNumber * positionsMax + reading.position;
  if (item.revision >= revision || item.addedAt !== outcome.addedAt) return "unchanged";
  if (item.state === "delisted") return "unchanged";
  const { pipeline, step } = reading;
  switch (outcome.status) {
    case "ok":
      return isNews(item, outcome, reading)
        ? { ...applyReading(item, outcome, reading), revision }
        : "unchanged";
    case "not_found":
      return {
        ...withStates(item, {}),
        revision,
        state: "delisted",
        delistedAt: outcome.at,
        lastReadStatus: "not_found",
        firstReadAt: item.firstReadAt ?? outcome.at,
        consecutiveFailures: 0,
        owes: [],
      };
    case "deferred":
      return { ...item, revision, owes: retriesAfterFailure(pipeline, item, step) };
    case "skipped":
      return { ...item, revision, owes: retriesAfterAnswer(pipeline, item, step) };
    case "partial":
    case "unavailable":
      return {
        ...withStates(item, outcome.routeStates),
        revision,
        lastReadStatus: outcome.status,
        consecutiveFailures: item.consecutiveFailures + 1,
        owes: retriesAfterFailure(pipeline, item, step),
      };
    default:
      return assertNever(outcome.status);
  }
}

/**
 * Returns true for an `ok` outcome that changes the item; false for one that affects only events or
 * routes.
 */
function isNews(item: Item, outcome: ItemOutcome, { pipeline, step }: Reading): boolean {
  return (
    changesItem(outcome) ||
    item.state === "new" ||
    item.lastReadStatus !== "ok" ||
    retrySteps(pipeline, item).includes(step)
  );
}

/** Returns the item after an `ok` outcome, without the new revision. */
function applyReading(item: Item, outcome: ItemOutcome, reading: Reading): Item {
  const { pipeline, step } = reading;
  return {
    ...withStates(item, outcome.routeStates),
    state: "active",
    lastReadStatus: "ok",
    firstReadAt: item.firstReadAt ?? outcome.at,
    consecutiveFailures: 0,
    readings: { ...item.readings, ...outcome.readings },
    openChanges: outcome.openChanges ?? item.openChanges,
    snapshotAt: outcome.readings === undefined ? item.snapshotAt : outcome.at,
    lastChange: lastChangeAfter(item.lastChange, outcome, reading),
    buyboxOfferId: outcome.buyboxOfferId === undefined ? item.buyboxOfferId : outcome.buyboxOfferId,
    owes: retriesAfterAnswer(pipeline, item, step),
  };
}

/**
 * Returns the item with the route states after an outcome. If `after` is undefined, the item keeps
 * its states. If `after` is empty, the item has no states.
 */
function withStates(item: Item, after: ItemOutcome["routeStates"]): Item {
  if (after === undefined) return item;
  const { routeStates: _, ...others } = item;
  return Object.keys(after).length === 0 ? others : { ...others, routeStates: after };
}

/**
 * Returns the last change of an item after an outcome. Merges the changes of several steps of one
 * run: for each field, `before` is from the first step and `after` from the last.
 */
function lastChangeAfter(
  before: LastChange | null,
  { at, changes }: ItemOutcome,
  { runId, runNumber, step, scraper }: Reading,
): LastChange | null {
  if (changes === undefined) return before;
  const earlier = before?.runId === runId ? before.changes : {};
  const later = Object.entries(changes).map(([field, change]) => [
    field,
    { before: (earlier[field] ?? change).before, after: change.after },
  ]);
  const merged = { ...earlier, ...Object.fromEntries(later) };
  return { changedAt: at, runId, runNumber, step, scraper, changes: merged };
}
