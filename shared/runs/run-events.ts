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
import type { EffectiveResult } from "./batch.ts";
import type { RunResults } from "./run-results.ts";

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

/** An event type that reports items, and the entries of an outcome in its events. */
interface ItemEventType {
  readonly type: RunEventType;
  /** Name of the list of entries in the event. */
  readonly key: string;
  readonly build: Build;
}

/**
 * Yields the events of a run in delivery order (specification, section "Events"): changed, matched,
 * delisted, run completed. A held or discarded run has only the event `watchlist.run.completed`.
 * Yields no events if the run has not ended or its watchlist was deleted. IDs, times and bytes
 * depend only on stored data, so a repeated call yields identical events. Reads the results once to
 * count the entries, because each event contains the number of parts. Then reads them once for each
 * event type with entries, so that at most one event is in memory.
 */
export async function* runEvents(
  run: Run,
  results: RunResults<Pick<EffectiveResult, "outcomes">>,
): AsyncGenerator<SerializedEvent> {
  const { watchlist, finishedAt, hold } = run;
  if (watchlist === null || finishedAt === null) return;
  const publication = publicationOf(run);
  const sent: Pick<SerializedEvent, "id" | "type">[] = [];
  if (hold === undefined || hold.status === "released") {
    const counts = await entryCounts(results);
    for (const [n, itemType] of itemTypes.entries()) {
      const of = { run, watchlist, publication, partCount: partsOf(counts[n] ?? 0) };
      if (of.partCount === 0) continue;
      for await (const event of itemEvents(itemType, results, of)) {
        sent.push({ id: event.id, type: event.type });
        yield event;
      }
    }
  }
  yield completedEvent(run, publication, sent);
}

const partsOf = (entries: number): number => Math.ceil(entries / limits.itemEventsMax);

/** Returns the number of entries of each event type that reports items. */
async function entryCounts(
  results: RunResults<Pick<EffectiveResult, "outcomes">>,
): Promise<readonly number[]> {
  const counts = itemTypes.map(() => 0);
  for (const step of results.steps) {
    for await (const { outcomes } of results.of(step)) {
      for (const [n, { build }] of itemTypes.entries()) {
        for (const outcome of outcomes)
          counts[n] = (counts[n] ?? 0) + build({}, outcome, step).length;
      }
    }
  }
  return counts;
}

/** What all events of one type have in common. */
interface EventContext {
  readonly run: Run;
  readonly watchlist: RunWatchlist;
  readonly publication: Publication;
  readonly partCount: number;
}

/** Yields the events of one type. Each has up to `limits.itemEventsMax` entries, in run order. */
async function* itemEvents(
  { type, key, build }: ItemEventType,
  results: RunResults<Pick<EffectiveResult, "outcomes">>,
  { run, watchlist, publication, partCount }: EventContext,
): AsyncGenerator<SerializedEvent> {
  const ended = { runId: publication.id, endedAt: publication.at };
  let part = 1;
  const eventOf = (entries: readonly Entry[]): SerializedEvent =>
    serializeEvent(
      {
        id: runEventId(ended, type, part),
        type,
        created_at: publication.at,
        data: { ...commonData(run, watchlist), part, parts: partCount, [key]: entries },
      },
      entries.length,
    );
  let waiting: Entry[] = [];
  for (const step of results.steps) {
    for await (const { outcomes } of results.of(step)) {
      for (const outcome of outcomes)
        waiting.push(...build(idsOf(outcome, watchlist), outcome, step));
      while (waiting.length >= limits.itemEventsMax) {
        yield eventOf(waiting.slice(0, limits.itemEventsMax));
        waiting = waiting.slice(limits.itemEventsMax);
        part += 1;
      }
    }
  }
  if (waiting.length > 0) yield eventOf(waiting);
}

/** Returns the members with which each entry begins: the IDs and the details of the item. */
function idsOf({ id, details = {} }: ItemOutcome, { platform }: RunWatchlist): Entry {
  const ids = platform === "retailer_a" ? { id, asin: id } : { id };
  return { ...ids, ...presentKnownDetails(details) };
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

/** The event types that report items, in delivery order. */
const itemTypes: readonly ItemEventType[] = [
  { type: "watchlist.product.changed", key: "changes", build: changedEntry },
  { type: "watchlist.product.matched", key: "products", build: matchedEntries },
  { type: "watchlist.product.delisted", key: "products", build: delistedEntry },
];

/**
 * Returns the last event of a run: the run object, the event counts, and a digest with which
 * receivers detect lost events.
 */
function completedEvent(
  run: Run,
  publication: Publication,
  itemEventsSent: readonly Pick<SerializedEvent, "id" | "type">[],
): SerializedEvent {
  const type: RunEventType = "watchlist.run.completed";
  const id = lastEventId({ runId: publication.id, endedAt: publication.at });
  const counts: Record<string, number> = {};
  for (const event of itemEventsSent) counts[event.type] = (counts[event.type] ?? 0) + 1;
  const ids = [...itemEventsSent.map((event) => event.id), id];
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
