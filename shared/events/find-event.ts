import { timeOf } from "../base/ids.ts";
import {
  type ArchivedEvent,
  readLine,
  readRunIndex,
  type EventBodies,
  type RunReference,
  unpackBody,
} from "./event-archive.ts";
import type { FeedEntry } from "./event-feed.ts";
import type { FeedSources } from "./feed-start.ts";

/** An archived event and the run that contains it. */
export interface FoundEvent {
  readonly run: FeedEntry;
  readonly event: ArchivedEvent;
}

const runsAtOnce = 25;

/**
 * Finds an event of an account by ID. Returns null if the ID is malformed or unknown, or if the
 * event has expired.
 * @throws 503 UNAVAILABLE if this release does not accept the version of a run's index
 */
export async function findEvent(
  accountId: string,
  eventId: string,
  { feed, bodies }: FeedSources,
): Promise<FoundEvent | null> {
  const happenedAt = timeOf("event", eventId)?.toISOString();
  if (happenedAt === undefined) return null;
  const span = { since: happenedAt, until: happenedAt, limit: runsAtOnce };
  let after: FeedEntry | null = null;
  for (;;) {
    const runs: readonly FeedEntry[] = await feed.between(accountId, { ...span, after });
    for (const run of runs) {
      const archived = await readRunIndex({ accountId, runId: run.runId }, bodies);
      const event = archived?.events.find(({ id }) => id === eventId);
      if (event !== undefined) return { run, event };
    }
    after = runs.at(-1) ?? null;
    if (after === null) return null;
  }
}

/**
 * Reads the JSON text of an event, byte for byte as in its deliveries. Returns null if the event
 * has expired.
 */
export async function envelopeOf(
  run: RunReference,
  event: ArchivedEvent,
  bodies: EventBodies,
): Promise<string | null> {
  const gzip = await readLine(run, event, bodies);
  return gzip === null ? null : Buffer.from(unpackBody(gzip)).toString();
}
