import { chunksOf } from "../base/chunks-of.ts";
import {
  type ArchivedEvent,
  type ArchivedRun,
  readRunIndex,
  type EventBodies,
  readLines,
  unpackBody,
} from "./event-archive.ts";
import type { RunEventType } from "./event.ts";
import type { FeedEntry } from "./event-feed.ts";
import { type FeedSources, type FeedStart, feedStart, lastEventIdOf } from "./feed-start.ts";

export interface EventQuery {
  readonly accountId: string;
  /**
   * The page begins after the event with this ID, or at this ISO time; undefined for the oldest
   * event.
   */
  readonly after: string | undefined;
  readonly type: RunEventType | undefined;
  readonly watchlistId: string | undefined;
  readonly limit: number;
}

export interface EventPage {
  readonly object: "list";
  /** Event envelopes as they were sent, oldest first. */
  readonly data: readonly unknown[];
  /** True if the feed may have further events after this page. */
  readonly has_more: boolean;
  /**
   * Value of `after` for the next page: the ID of the last event that was read for this page,
   * whether or not it matched. If no event was read, this is the requested `after`, or null if the
   * request had none.
   */
  readonly next_after: string | null;
}

/**
 * Maximum size of a page, in bytes. A Lambda function returns at most 6 MB, and escaping the body
 * as a JSON string at most doubles its size. An event that exceeds the maximum is returned alone.
 */
const pageBytesMax = 3_000_000;
/** Maximum number of runs that one page reads, including runs without matching events. */
const runsMax = 2_000;
const filteredRunsAtOnce = 250;
const readsAtOnce = 8;

interface Page {
  readonly chosen: { readonly run: FeedEntry; readonly events: ArchivedEvent[] }[];
  count: number;
  bytes: number;
  /** ID of the last event that was read; before the first read, the requested `after`. */
  seen: string | null;
}

/**
 * Lists the events of an account that match a query, in the order of their publication. A page may
 * have fewer events than `limit`, even none, although `has_more` is true. `next_after` of the
 * result is the value of `after` for the next page.
 */
export async function listEvents(query: EventQuery, sources: FeedSources): Promise<EventPage> {
  const start = await feedStart(query.accountId, query.after, sources);
  const page: Page = { chosen: [], count: 0, bytes: 0, seen: query.after ?? null };
  const hasMore = await fill(page, { ...query, start }, sources);
  return {
    object: "list",
    data: await envelopesOf(page, query.accountId, sources.bodies),
    has_more: hasMore,
    next_after: page.seen,
  };
}

interface Search extends EventQuery {
  readonly start: FeedStart;
}

/**
 * Adds events until the page is full, the feed ends, or `runsMax` runs were read. Returns true if
 * there may be more events.
 */
async function fill(page: Page, search: Search, sources: FeedSources): Promise<boolean> {
  const { accountId, limit, type, watchlistId, start } = search;
  const isFiltered = type !== undefined || watchlistId !== undefined;
  const runsAtOnce = isFiltered ? filteredRunsAtOnce : limit + 1;
  let { sequence } = start;
  for (let read = 0; read < runsMax; read += runsAtOnce) {
    const runs = await sources.feed.after(accountId, sequence, runsAtOnce);
    for await (const { run, archived } of readIndexes(runs, search, sources)) {
      if (!addEvents(page, search, { run, archived })) return true;
      sequence = run.sequence;
    }
    if (runs.length < runsAtOnce) return false;
  }
  return true;
}

interface IndexedRun {
  readonly run: FeedEntry;
  /** The archived events of the run; null if none of them can match, or if they have expired. */
  readonly archived: ArchivedRun | null;
}

/** Yields the runs in order, each with its archived events. Reads several indexes in parallel. */
async function* readIndexes(
  runs: readonly FeedEntry[],
  search: Search,
  { bodies }: FeedSources,
): AsyncGenerator<IndexedRun> {
  const atOnce = Math.min(readsAtOnce, search.limit + 1);
  for (const some of chunksOf(runs, atOnce)) {
    const reads = some.map(async (run) => {
      const isRead = mayMatch(run, search);
      const reference = { accountId: search.accountId, runId: run.runId };
      return { run, archived: isRead ? await readRunIndex(reference, bodies) : null };
    });
    yield* await Promise.all(reads);
  }
}

/** Returns false if the feed entry of a run shows that none of its events matches the query. */
const mayMatch = (run: FeedEntry, { type, watchlistId, start }: Search): boolean =>
  (type === undefined || run.types.includes(type)) &&
  (watchlistId === undefined || run.watchlistId === watchlistId) &&
  (start.since === null || run.createdAt >= start.since);

/**
 * Adds the matching events of a run to the page. Returns false if an event does not fit on the
 * page.
 */
function addEvents(page: Page, search: Search, { run, archived }: IndexedRun): boolean {
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

/** Reads the envelopes of the chosen events, in their order. Omits events that have expired. */
async function envelopesOf(
  { chosen }: Page,
  accountId: string,
  bodies: EventBodies,
): Promise<readonly unknown[]> {
  const query = chosen.filter(({ events }) => events.length > 0);
  const envelopes: unknown[] = [];
  for (const some of chunksOf(query, readsAtOnce)) {
    const reads = some.map(async ({ run, events }) => {
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
