import { derivedId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { scrapers } from "../scrapers/catalogue.ts";
import { eventsDigest } from "../webhooks/event-digest.ts";
import { type EventType, type SerializedEvent, serializeEvent } from "../webhooks/event.ts";
import { presentRun } from "./present-run.ts";
import type { BatchResult, ItemOutcome, Run, RunWatchlist, StepRecord } from "./run.ts";

type Entry = Readonly<Record<string, unknown>>;

/**
 * Everything a run has to say, in the order it is said: changed, delisted, run completed. Ids,
 * times and bytes follow from the run's rows alone, so a repeat makes the same events.
 */
export function runEvents(
  run: Run,
  found: { readonly step: StepRecord; readonly results: readonly BatchResult[] } | undefined,
): SerializedEvent[] {
  const { watchlist, finishedAt } = run;
  if (watchlist === null || finishedAt === null) return [];
  const outcomes = found?.results.flatMap((result) => result.outcomes) ?? [];
  const entriesOf = (
    build: (outcome: ItemOutcome, step: StepRecord) => Entry | undefined,
  ): Entry[] =>
    found === undefined
      ? []
      : outcomes
          .map((outcome) => build(outcome, found.step))
          .filter((entry) => entry !== undefined);
  const itemEvents = [
    ...parts("watchlist.product.changed", "changes", entriesOf(changedEntry)),
    ...parts("watchlist.product.delisted", "products", entriesOf(delistedEntry)),
  ].map(({ type, key, entries, part, partCount }) =>
    serializeEvent(
      {
        id: derivedId("event", run.id, type, part),
        type,
        created_at: finishedAt,
        data: { ...commonData(run, watchlist), part, parts: partCount, [key]: entries },
      },
      entries.length,
    ),
  );
  return [...itemEvents, completedEvent(run, finishedAt, itemEvents)];
}

interface Part {
  readonly type: EventType;
  readonly key: string;
  readonly entries: readonly Entry[];
  readonly part: number;
  readonly partCount: number;
}

function parts(type: EventType, key: string, entries: readonly Entry[]): Part[] {
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

function changedEntry(outcome: ItemOutcome, step: StepRecord): Entry | undefined {
  if (outcome.changes === undefined) return undefined;
  return {
    id: outcome.id,
    changed_at: outcome.at,
    tier: scrapers[step.scraper].tier,
    step: step.step,
    scraper: step.scraper,
    changes: outcome.changes,
    snapshot: outcome.snapshot,
  };
}

function delistedEntry(outcome: ItemOutcome, step: StepRecord): Entry | undefined {
  if (outcome.lastSnapshot === undefined) return undefined;
  return {
    id: outcome.id,
    delisted_at: outcome.at,
    detected_by: scrapers[step.scraper].tier,
    step: step.step,
    scraper: step.scraper,
    last_snapshot: outcome.lastSnapshot,
  };
}

/** The run object, with what a receiver needs to prove that it missed nothing. */
function completedEvent(
  run: Run,
  finishedAt: string,
  itemEvents: readonly SerializedEvent[],
): SerializedEvent {
  const type: EventType = "watchlist.run.completed";
  const id = derivedId("event", run.id, type, 1);
  const counts: Record<string, number> = {};
  for (const event of itemEvents) counts[event.type] = (counts[event.type] ?? 0) + 1;
  const ids = [...itemEvents.map((event) => event.id), id];
  return serializeEvent(
    {
      id,
      type,
      created_at: finishedAt,
      data: {
        ...presentRun(run),
        events: { ...counts, [type]: 1 },
        events_digest: eventsDigest(ids),
      },
    },
    0,
  );
}
