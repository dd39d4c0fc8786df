import { assert } from "../base/assert.ts";
import { derivedId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { stepScrapers } from "../scrapers/catalog.ts";
import { eventsDigest } from "../events/event-digest.ts";
import {
  lastEventId,
  runEventId,
  type RunEventType,
  type SerializedEvent,
  serializeEvent,
} from "../events/event.ts";
import { presentKnownDetails } from "../watchlists/item-details.ts";
import { presentRun } from "./present-run.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Run, RunWatchlist } from "./run.ts";
import type { StepRecord } from "./step.ts";
import type { StepOutcomes } from "./run-outcomes.ts";

type Entry = Readonly<Record<string, unknown>>;
/**
 * Builds the entries of one event type from an outcome. Each entry begins with `ids`, the IDs and
 * details of the item.
 */
type Build = (ids: Entry, outcome: ItemOutcome, step: StepRecord) => readonly Entry[];

/** The ID under which the events of a run are published, and the time of these events. */
interface Publication {
  readonly id: string;
  /** Creation time of the events, ISO 8601. */
  readonly at: string;
}

/**
 * Returns the ID under which an ended run publishes its events now, and the time of these events. A
 * held run publishes twice: a notice of the hold when the run ends, and its events after the
 * decision.
 * @throws Error if the run has not ended
 */
export function publicationOf({ id, finishedAt, hold }: Run): Publication {
  assert(finishedAt !== null, "a run with a publication must have ended");
  if (hold === undefined) return { id, at: finishedAt };
  return hold.decidedAt === null
    ? { id: derivedId("run", id, "hold"), at: finishedAt }
    : { id, at: hold.decidedAt };
}

/**
 * Builds the events of a run in delivery order (specification, section "Events"): changed, matched,
 * delisted, run completed. A held or discarded run has only the event `watchlist.run.completed`.
 * Returns no events if the run has not ended or its watchlist was deleted. IDs, times and bytes
 * depend only on stored data, so a repeated call builds identical events.
 * @param stepOutcomes the outcomes of the run's steps, in run order
 */
export function runEvents(run: Run, stepOutcomes: readonly StepOutcomes[]): SerializedEvent[] {
  const { watchlist, finishedAt, hold } = run;
  if (watchlist === null || finishedAt === null) return [];
  const publication = publicationOf(run);
  if (hold !== undefined && hold.status !== "released") {
    return [completedEvent(run, publication, [])];
  }
  const ended = { runId: publication.id, endedAt: publication.at };
  const hasAsin = watchlist.platform === "retailer_a";
  const entriesOf = (build: Build): Entry[] =>
    stepOutcomes.flatMap(({ step, outcomes }) =>
      outcomes.flatMap((outcome) => {
        const { id, details = {} } = outcome;
        const ids = hasAsin ? { id, asin: id } : { id };
        return build({ ...ids, ...presentKnownDetails(details) }, outcome, step);
      }),
    );
  const itemEvents = [
    ...parts("watchlist.product.changed", "changes", entriesOf(changedEntry)),
    ...parts("watchlist.product.matched", "products", entriesOf(matchedEntries)),
    ...parts("watchlist.product.delisted", "products", entriesOf(delistedEntry)),
  ].map(({ type, key, entries, part, partCount }) =>
    serializeEvent(
      {
        id: runEventId(ended, type, part),
        type,
        created_at: publication.at,
        data: { ...commonData(run, watchlist), part, parts: partCount, [key]: entries },
      },
      entries.length,
    ),
  );
  return [...itemEvents, completedEvent(run, publication, itemEvents)];
}

interface Part {
  readonly type: RunEventType;
  readonly key: string;
  readonly entries: readonly Entry[];
  readonly part: number;
  readonly partCount: number;
}

function parts(type: RunEventType, key: string, entries: readonly Entry[]): Part[] {
  const partCount = Math.ceil(entries.length / limits.itemEventsMax);
  return Array.from({ length: partCount }, (_, n) => ({
    type,
    key,
    entries: entries.slice(n * limits.itemEventsMax, (n + 1) * limits.itemEventsMax),
    part: n + 1,
    partCount,
  }));
}

const commonData = (run: Run, watchlist: RunWatchlist): Entry => ({
  watchlist_id: watchlist.id,
  watchlist_name: watchlist.name,
  platform: watchlist.platform,
  marketplace: watchlist.marketplace,
  currency: watchlist.currency,
  run_id: run.id,
  run_number: run.runNumber,
});

function changedEntry(ids: Entry, outcome: ItemOutcome, step: StepRecord): readonly Entry[] {
  if (outcome.reported === undefined) return [];
  return [
    {
      ...ids,
      changed_at: outcome.at,
      tier: stepScrapers[step.scraper].tier,
      step: step.step,
      scraper: step.scraper,
      changes: outcome.reportedChanges ?? outcome.changes ?? {},
      snapshot: outcome.reported,
    },
  ];
}

function matchedEntries(ids: Entry, outcome: ItemOutcome, step: StepRecord): readonly Entry[] {
  const { branches = [], values = {} } = outcome.matched ?? {};
  const entry = { ...ids, matched_at: outcome.at, step: step.step, scraper: step.scraper };
  return branches.map((branch) =>
    Object.assign({}, entry, { branch, status: outcome.status, values }),
  );
}

function delistedEntry(ids: Entry, outcome: ItemOutcome, step: StepRecord): readonly Entry[] {
  if (outcome.lastSnapshot === undefined) return [];
  return [
    {
      ...ids,
      delisted_at: outcome.at,
      detected_by: stepScrapers[step.scraper].tier,
      step: step.step,
      scraper: step.scraper,
      last_snapshot: outcome.lastSnapshot,
    },
  ];
}

/**
 * Returns the last event of a run: the run object, the event counts, and a digest with which
 * receivers detect lost events.
 */
function completedEvent(
  run: Run,
  publication: Publication,
  itemEvents: readonly SerializedEvent[],
): SerializedEvent {
  const type: RunEventType = "watchlist.run.completed";
  const id = lastEventId({ runId: publication.id, endedAt: publication.at });
  const counts: Record<string, number> = {};
  for (const event of itemEvents) counts[event.type] = (counts[event.type] ?? 0) + 1;
  const ids = [...itemEvents.map((event) => event.id), id];
  return serializeEvent(
    {
      id,
      type,
      created_at: publication.at,
      data: {
        ...presentRun(run),
        events: { ...counts, [type]: 1 },
        events_digest: eventsDigest(ids),
      },
    },
    0,
  );
}
