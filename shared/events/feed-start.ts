import { timeOf } from "../base/ids.ts";
import { archivedRun, type EventBodies } from "./event-archive.ts";
import { lastEventId } from "./event.ts";
import type { EventFeed, FeedEntry } from "./event-feed.ts";

/** A position in the feed. */
export interface FeedStart {
  /** Number of the last run that is skipped completely; 0: none. */
  readonly sequence: number;
  /** Number of events to skip of the next run. */
  readonly skip: number;
  /** Runs that ended before this ISO time are omitted; null: none. */
  readonly since: string | null;
}

export interface FeedSources {
  readonly feed: EventFeed;
  readonly bodies: EventBodies;
}

const runsAtOnce = 25;

/**
 * The position at which a reader continues: after an event ID, or at an ISO time. An unknown event,
 * such as an expired one, counts as its time, so that no later event is omitted.
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

/** The position after an event. Searches the few runs that ended in the same millisecond. */
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

/** The ID of a run's last event, derived without reading its events. */
export const lastEventIdOf = ({ runId, createdAt }: FeedEntry): string =>
  lastEventId({ runId, endedAt: createdAt });
