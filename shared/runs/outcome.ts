import { changedFields } from "../pipelines/compare.ts";
import { scrapers, type ScraperId, type Snapshot } from "../scrapers/catalogue.ts";
import type { Answer } from "../scrapers/scraper.ts";
import { snapshotOf } from "../scrapers/snapshot.ts";
import type { Item } from "../watchlists/item.ts";
import type { BatchResult, ItemOutcome } from "./run.ts";

/**
 * What the answers of a batch mean for its items (specification, section "States and transitions").
 * Pure: the same items and answers give the same result.
 */
export function batchResult(
  scraper: ScraperId,
  items: ReadonlyMap<string, Item>,
  answers: readonly Answer[],
): BatchResult {
  const counts = { ok: 0, partial: 0, notFound: 0, unavailable: 0 };
  const outcomes: ItemOutcome[] = [];
  for (const answer of answers) {
    counts[answer.status === "not_found" ? "notFound" : answer.status] += 1;
    const item = items.get(answer.id);
    const outcome = item === undefined ? undefined : outcomeOf(scraper, item, answer);
    if (outcome !== undefined) outcomes.push(outcome);
  }
  return { requested: answers.length, ...counts, outcomes };
}

/** Undefined when the read leaves the item as it is and there is nothing to report. */
function outcomeOf(scraper: ScraperId, item: Item, answer: Answer): ItemOutcome | undefined {
  const base = { id: item.id, status: answer.status, at: answer.fetchedAt };
  switch (answer.status) {
    case "ok":
      return okOutcome(scraper, item, { ...base, observed: snapshotOf(scraper, answer.fields) });
    case "not_found":
      return item.state === "delisted" ? undefined : { ...base, lastSnapshot: item.snapshot };
    case "partial":
    case "unavailable":
      return base;
    default:
      return undefined;
  }
}

function okOutcome(
  scraper: ScraperId,
  item: Item,
  { observed, ...base }: ItemOutcome & { readonly observed: Snapshot },
): ItemOutcome | undefined {
  if (item.snapshot === null) return { ...base, snapshot: observed };
  const changes = changedFields(item.snapshot, observed, scrapers[scraper].trackedFields);
  const moved = Object.keys(changes).length > 0;
  const snapshot = mergedSnapshot(item.snapshot, observed, new Set(Object.keys(changes)));
  if (moved) return { ...base, snapshot, changes };
  const learned = Object.keys(snapshot).length > Object.keys(item.snapshot).length;
  if (learned) return { ...base, snapshot };
  return item.lastReadStatus === "ok" ? undefined : base;
}

/**
 * The last read plus what moved and what was seen for the first time. A price that drifts by less
 * than half a cent keeps its stored value, so that a slow drift is reported once it adds up.
 */
function mergedSnapshot(
  before: Snapshot,
  observed: Snapshot,
  moved: ReadonlySet<string>,
): Snapshot {
  const merged = { ...before };
  for (const [field, value] of Object.entries(observed)) {
    if (moved.has(field) || before[field] === undefined) merged[field] = value;
  }
  return merged;
}

/** Where a recorded outcome was found. */
export interface Reading {
  readonly runId: string;
  readonly runNumber: number;
  readonly step: string;
  readonly scraper: ScraperId;
}

/**
 * The item after an outcome. An outcome older than what the item already holds changes nothing, so
 * results may be applied again and late.
 */
export function applyOutcome(item: Item, outcome: ItemOutcome, reading: Reading): Item {
  if (item.revision >= reading.runNumber) return item;
  const read: Item = {
    ...item,
    revision: reading.runNumber,
    lastReadStatus: outcome.status,
    firstReadAt: item.firstReadAt ?? outcome.at,
  };
  if (outcome.status === "partial" || outcome.status === "unavailable") {
    return {
      ...read,
      firstReadAt: item.firstReadAt,
      consecutiveFailures: item.consecutiveFailures + 1,
    };
  }
  if (outcome.status === "not_found") {
    return { ...read, state: "delisted", delistedAt: outcome.at, consecutiveFailures: 0 };
  }
  return {
    ...read,
    state: "active",
    consecutiveFailures: 0,
    snapshot: outcome.snapshot ?? item.snapshot,
    snapshotAt: outcome.snapshot === undefined ? item.snapshotAt : outcome.at,
    lastChange:
      outcome.changes === undefined
        ? item.lastChange
        : { changedAt: outcome.at, changes: outcome.changes, ...reading },
  };
}
