import {
  type ArchivedEvent,
  type ArchivedRun,
  archivedRun,
  type EventBodies,
  readLines,
  unpackBody,
} from "./event-archive.ts";
import type { RunEventType } from "./event.ts";
import type { FeedEntry } from "./event-feed.ts";
import { type FeedSources, type FeedStart, feedStart, lastEventIdOf } from "./feed-start.ts";

export interface EventsWanted {
  readonly accountId: string;
  /** The id of an event, or an ISO time. */
  readonly after: string | undefined;
  readonly type: RunEventType | undefined;
  readonly watchlistId: string | undefined;
  readonly limit: number;
}

export interface EventPage {
  readonly object: "list";
  /** Envelopes as they were sent, oldest first. */
  readonly data: readonly unknown[];
  /** True when there may be more already. */
  readonly has_more: boolean;
  /**
   * Where the next page begins: behind the last event that was looked at, whether it was wanted or
   * not; what was asked for when there was none.
   */
  readonly next_after: string | null;
}

/**
 * A Lambda answers 6 MB at most, in which the answer stands as a JSON string: at worst twice as
 * long. An event that is larger makes a page alone.
 */
const pageBytesMax = 3_000_000;
/** Runs that one page looks at, whether it wants their events or not. */
const runsMax = 2_000;
const filteredRunsAtOnce = 250;
const readsAtOnce = 8;

interface Page {
  readonly chosen: { readonly run: FeedEntry; readonly events: ArchivedEvent[] }[];
  count: number;
  bytes: number;
  /** The last event looked at. */
  seen: string | null;
}

/** A page of the account's events, in the order of the feed. */
export async function listEvents(wanted: EventsWanted, sources: FeedSources): Promise<EventPage> {
  const start = await feedStart(wanted.accountId, wanted.after, sources);
  const page: Page = { chosen: [], count: 0, bytes: 0, seen: wanted.after ?? null };
  const hasMore = await fill(page, { ...wanted, start }, sources);
  return {
    object: "list",
    data: await envelopesOf(page, wanted.accountId, sources.bodies),
    has_more: hasMore,
    next_after: page.seen,
  };
}

interface Search extends EventsWanted {
  readonly start: FeedStart;
}

/** Chooses events until the page is full or the feed ends; true when there may be more. */
async function fill(page: Page, search: Search, sources: FeedSources): Promise<boolean> {
  const { accountId, limit, type, watchlistId, start } = search;
  const isFiltered = type !== undefined || watchlistId !== undefined;
  const runsAtOnce = isFiltered ? filteredRunsAtOnce : limit + 1;
  let { sequence } = start;
  for (let looked = 0; looked < runsMax; looked += runsAtOnce) {
    const runs = await sources.feed.after(accountId, sequence, runsAtOnce);
    for await (const { run, archived } of indexed(runs, search, sources)) {
      if (!passes(page, search, { run, archived })) return true;
      sequence = run.sequence;
    }
    if (runs.length < runsAtOnce) return false;
  }
  return true;
}

interface LookedAt {
  readonly run: FeedEntry;
  /** Null: nothing of it is wanted, or it is not kept any more. */
  readonly archived: ArchivedRun | null;
}

async function* indexed(
  runs: readonly FeedEntry[],
  search: Search,
  { bodies }: FeedSources,
): AsyncGenerator<LookedAt> {
  const atOnce = Math.min(readsAtOnce, search.limit + 1);
  for (let from = 0; from < runs.length; from += atOnce) {
    const some = runs.slice(from, from + atOnce);
    const reads = some.map(async (run) => {
      const isRead = mayHold(run, search);
      const reference = { accountId: search.accountId, runId: run.runId };
      return { run, archived: isRead ? await archivedRun(reference, bodies) : null };
    });
    yield* await Promise.all(reads);
  }
}

const mayHold = (run: FeedEntry, { type, watchlistId, start }: Search): boolean =>
  (type === undefined || run.types.includes(type)) &&
  (watchlistId === undefined || run.watchlistId === watchlistId) &&
  (start.since === null || run.createdAt >= start.since);

/** Takes a run's events into the page; false when it has no room for the next one. */
function passes(page: Page, search: Search, { run, archived }: LookedAt): boolean {
  const skip = run.sequence === search.start.sequence + 1 ? search.start.skip : 0;
  const events: ArchivedEvent[] = [];
  page.chosen.push({ run, events });
  for (const event of archived?.events.slice(skip) ?? []) {
    if (search.type === undefined || event.type === search.type) {
      const { bytes } = event.line;
      const isTooMuch = page.count > 0 && page.bytes + bytes > pageBytesMax;
      if (page.count === search.limit || isTooMuch) return false;
      events.push(event);
      page.count += 1;
      page.bytes += bytes;
    }
    page.seen = event.id;
  }
  if (archived === null) page.seen = lastEventIdOf(run);
  return true;
}

async function envelopesOf(
  { chosen }: Page,
  accountId: string,
  bodies: EventBodies,
): Promise<readonly unknown[]> {
  const wanted = chosen.filter(({ events }) => events.length > 0);
  const envelopes: unknown[] = [];
  for (let from = 0; from < wanted.length; from += readsAtOnce) {
    const reads = wanted.slice(from, from + readsAtOnce).map(async ({ run, events }) => {
      const read: unknown[] = [];
      for await (const { gzip } of readLines({ accountId, runId: run.runId }, events, bodies)) {
        if (gzip !== null) read.push(JSON.parse(Buffer.from(unpackBody(gzip)).toString()));
      }
      return read;
    });
    envelopes.push(...(await Promise.all(reads)).flat());
  }
  return envelopes;
}
