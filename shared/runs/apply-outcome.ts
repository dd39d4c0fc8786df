import { assertNever } from "../base/assert.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import type { StepScraperId } from "../scrapers/catalogue.ts";
import type { Item, LastChange } from "../watchlists/item.ts";
import { owesAfterAnswer, owesAfterFailure, retrySteps } from "./owed-retries.ts";
import type { ItemOutcome } from "./run.ts";

/** Where an outcome was found. */
export interface Reading {
  readonly runId: string;
  readonly runNumber: number;
  /** The run's pipeline. */
  readonly pipeline: Pipeline;
  readonly step: string;
  /** The step's place in the run's order. */
  readonly position: number;
  readonly scraper: StepScraperId;
}

/** More places than a pipeline has steps. */
const placesMax = 16;

/**
 * The item after an outcome (specification, section "States and transitions"). An outcome older
 * than what the item already holds changes nothing, so results may be applied again and late; nor
 * does one that was found on an item since removed and added again.
 */
export function applyOutcome(item: Item, outcome: ItemOutcome, reading: Reading): Item {
  const revision = reading.runNumber * placesMax + reading.position;
  if (item.revision >= revision || item.addedAt !== outcome.addedAt) return item;
  if (item.state === "delisted") return item;
  const { pipeline, step } = reading;
  switch (outcome.status) {
    case "ok":
      return isNews(item, outcome, reading) ? { ...found(item, outcome, reading), revision } : item;
    case "not_found":
      return {
        ...item,
        revision,
        state: "delisted",
        delistedAt: outcome.at,
        lastReadStatus: "not_found",
        firstReadAt: item.firstReadAt ?? outcome.at,
        consecutiveFailures: 0,
        owes: [],
      };
    case "deferred":
      return { ...item, revision, owes: owesAfterFailure(pipeline, item, step) };
    case "skipped":
      return { ...item, revision, owes: owesAfterAnswer(pipeline, item, step) };
    case "partial":
    case "unavailable":
      return {
        ...item,
        revision,
        lastReadStatus: outcome.status,
        consecutiveFailures: item.consecutiveFailures + 1,
        owes: owesAfterFailure(pipeline, item, step),
      };
    default:
      return assertNever(outcome.status);
  }
}

/** False for an outcome that only routes or reports: it leaves the item as it is. */
function isNews(item: Item, outcome: ItemOutcome, { pipeline, step }: Reading): boolean {
  const { readings, openChanges, changes, buyboxOfferId } = outcome;
  return (
    readings !== undefined ||
    openChanges !== undefined ||
    changes !== undefined ||
    buyboxOfferId !== undefined ||
    item.state === "new" ||
    item.lastReadStatus !== "ok" ||
    retrySteps(pipeline, item).includes(step)
  );
}

function found(item: Item, outcome: ItemOutcome, reading: Reading): Item {
  const { pipeline, step } = reading;
  return {
    ...item,
    state: "active",
    lastReadStatus: "ok",
    firstReadAt: item.firstReadAt ?? outcome.at,
    consecutiveFailures: 0,
    readings: { ...item.readings, ...outcome.readings },
    openChanges: outcome.openChanges ?? item.openChanges,
    snapshotAt: outcome.readings === undefined ? item.snapshotAt : outcome.at,
    lastChange: lastChangeAfter(item.lastChange, outcome, reading),
    buyboxOfferId: outcome.buyboxOfferId === undefined ? item.buyboxOfferId : outcome.buyboxOfferId,
    owes: owesAfterAnswer(pipeline, item, step),
  };
}

/** Changes of an earlier step of the same run stay: from its `before`, to the later step's `after`. */
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
