import { timeOf } from "../base/ids.ts";
import { archivedRun, type EventBodies } from "./event-archive.ts";
import { lastEventId } from "./event.ts";
import type { EventFeed, FeedEntry } from "./event-feed.ts";

/** A place in the feed. */
export interface FeedStart {
  /** The run that was seen whole, with all before it; 0: none. */
  readonly sequence: number;
  /** Events of the run after it that were seen. */
  readonly skip: number;
  /** Runs that ended before this ISO time are left out; null: none are. */
  readonly since: string | null;
}

export interface FeedSources {
  readonly feed: EventFeed;
  readonly bodies: EventBodies;
}

const runsAtOnce = 25;

/**
 * Where a reader goes on: behind an event, or with what happened at an ISO time or later. An event
 * that is not found, as after 30 days, counts for its time: from there on nothing is left out.
 */
export async function feedStart(
  accountId: string,
  after: string | undefined,
  sources: FeedSources,
): Promise<FeedStart> {
  if (after === undefined) return { sequence: 0, skip: 0, since: null };
  const happenedAt = timeOf("event", after)?.toISOString();
  if (happenedAt === undefined) {
    const since = new Date(after).toISOString();
    return { sequence: await sources.feed.before(accountId, since), skip: 0, since };
  }
  const found = await placeOf(accountId, { id: after, happenedAt }, sources);
  if (found !== null) return found;
  return { sequence: await sources.feed.before(accountId, happenedAt), skip: 0, since: null };
}

interface WantedEvent {
  readonly id: string;
  readonly happenedAt: string;
}

/** The place behind an event, which is one of the few runs that ended in the same millisecond. */
async function placeOf(
  accountId: string,
  event: WantedEvent,
  { feed, bodies }: FeedSources,
): Promise<FeedStart | null> {
  const span = { since: event.happenedAt, until: event.happenedAt, limit: runsAtOnce };
  let after: FeedEntry | null = null;
  for (;;) {
    const runs: readonly FeedEntry[] = await feed.between(accountId, { ...span, after });
    const ended = runs.find((run) => lastEventIdOf(run) === event.id);
    if (ended !== undefined) return { sequence: ended.sequence, skip: 0, since: null };
    const places = await Promise.all(runs.map((run) => placeIn(run, event, { accountId, bodies })));
    const place = places.find((found) => found !== null);
    if (place !== undefined) return place;
    after = runs.at(-1) ?? null;
    if (after === null) return null;
  }
}

async function placeIn(
  run: FeedEntry,
  event: WantedEvent,
  { accountId, bodies }: { readonly accountId: string; readonly bodies: EventBodies },
): Promise<FeedStart | null> {
  const archived = await archivedRun({ accountId, runId: run.runId }, bodies);
  const index = archived?.events.findIndex(({ id }) => id === event.id) ?? -1;
  return index < 0 ? null : { sequence: run.sequence - 1, skip: index + 1, since: null };
}

/** The id of a run's last event, which needs no look at its events. */
export const lastEventIdOf = ({ runId, createdAt }: FeedEntry): string =>
  lastEventId({ runId, endedAt: createdAt });
