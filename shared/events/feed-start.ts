import { timeOf } from "../base/ids.ts";
import { readRunIndex, type EventBodies } from "./event-archive.ts";
import { lastEventId } from "./event.ts";
import type { EventFeed, FeedEntry } from "./event-feed.ts";

/** A position in the feed from which a reader continues. */
export interface FeedStart {
  /** Sequence number, in the feed, of the last run to skip completely; 0 to skip no run. */
  readonly sequence: number;
  /** Number of events to skip at the start of the next run. */
  readonly skip: number;
  /**
   * Runs that ended before this time (ISO 8601) are skipped; null if the end of a run does not
   * matter.
   */
  readonly since: string | null;
}

export interface FeedSources {
  readonly feed: EventFeed;
  readonly bodies: EventBodies;
}

const runsAtOnce = 25;

/**
 * Finds the position in an account's feed from which to list events.
 * @param after the ID of the last event to skip, an ISO time at which the list begins, or undefined
 * for the start of the feed. The feed may lack the event with the ID, for example because the event
 * has expired. The list then begins at the time that the ID contains, so it omits no later event.
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
  const foundPlace = await placeOf(accountId, { id: after, happenedAt }, sources);
  if (foundPlace !== null) return foundPlace;
  return { sequence: await sources.feed.before(accountId, happenedAt), skip: 0, since: null };
}

interface WantedEvent {
  readonly id: string;
  readonly happenedAt: string;
}

/**
 * Returns the position after an event; null if the event is not found. Searches only runs that
 * ended at the time in the ID, because events are created at the end of their run.
 */
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
    const place = places.find((foundPlace) => foundPlace !== null);
    if (place !== undefined) return place;
    after = runs.at(-1) ?? null;
    if (after === null) return null;
  }
}

/** Returns the position after an event of a run; null if the run does not contain the event. */
async function placeIn(
  run: FeedEntry,
  event: WantedEvent,
  { accountId, bodies }: { readonly accountId: string; readonly bodies: EventBodies },
): Promise<FeedStart | null> {
  const archived = await readRunIndex({ accountId, runId: run.runId }, bodies);
  const index = archived?.events.findIndex(({ id }) => id === event.id) ?? -1;
  return index < 0 ? null : { sequence: run.sequence - 1, skip: index + 1, since: null };
}

/**
 * Derives the ID of the last event of a run from the run's feed entry, without reading the events.
 */
export const lastEventIdOf = ({ runId, createdAt }: FeedEntry): string =>
  lastEventId({ runId, endedAt: createdAt });
