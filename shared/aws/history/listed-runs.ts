import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../base/limits.ts";
import type { HistorySpan, RunSegment } from "../../history/history.ts";
import type { RunsQuery } from "../../history/history-store.ts";
import { queryRows } from "../table/query-rows.ts";
import { type RunRange, runRows, runRowsQuery } from "./run-rows.ts";
import { joinedSegments, numbersOf, segmentOf, type StoredSegment } from "./segment-rows.ts";

/**
 * Maximum time from the read of a history point to the end of its run, in milliseconds. A source
 * may return values that are a day old, and a run takes a few hours at most.
 */
const pointAgeMaxMs = 2 * 86_400_000;
/** Number of rows that one request reads in search of the first chunk of a run. */
const rowsAtOnce = 4;

/**
 * Yields the recorded runs that have points in the span of the query, each with only its points in
 * the span. `query.order` determines the order of the runs. Runs of a watchlist end in the order of
 * their numbers, so the listing stops after the last run of the span.
 */
export async function* listedRuns(
  client: DynamoDBDocumentClient,
  table: string,
  query: RunsQuery,
): AsyncGenerator<RunSegment> {
  const { watchlistId, order, since } = query;
  const latestEnd = new Date(new Date(query.until).getTime() + pointAgeMaxMs).toISOString();
  const segmentsOf = (range: Omit<RunRange, "watchlistId">): AsyncGenerator<StoredSegment> =>
    joinedSegments(runRows(client, table, { watchlistId, ...range }));
  if (order === "newest_first") {
    const segments = endedBy(latestEnd, query.from, {
      of: (last = limits.runNumberMax) => segmentsOf({ last, isNewestFirst: true }),
      lastEndedBy: () => firstEndedSince(client, table, { watchlistId, time: latestEnd }),
    });
    for await (const segment of segments) {
      // Every point of a run is older than the end of the run. This run and all older runs
      // therefore have only points before `since`.
      if (segment.endedAt < since) return;
      yield* withPointsIn(query, segment);
    }
    return;
  }
  const first = query.from ?? (await firstEndedSince(client, table, { watchlistId, time: since }));
  for await (const segment of segmentsOf({ first })) {
    yield* withPointsIn(query, segment);
    if (segment.endedAt > latestEnd) return;
  }
}

function withPointsIn(span: HistorySpan, segment: StoredSegment): readonly RunSegment[] {
  const run = segmentOf(segment, span);
  return run.points.length > 0 ? [run] : [];
}

interface NewestFirst {
  /**
   * Yields the segments of the run `last` and of all older runs, newest first. Without `last`,
   * begins with the newest run.
   */
  readonly of: (last: number | undefined) => AsyncGenerator<StoredSegment>;
  /** Finds the number of the newest run whose segment may have points in the span. */
  readonly lastEndedBy: () => Promise<number>;
}

/**
 * Yields the segments of the run `from` and of all older runs, newest first. Without `from`, begins
 * with the newest segment, because most spans end now. If the newest segment ended after
 * `latestEnd`, searches for the newest run that may have points in the span, and begins with that
 * run.
 */
async function* endedBy(
  latestEnd: string,
  from: number | undefined,
  segments: NewestFirst,
): AsyncGenerator<StoredSegment> {
  for await (const segment of segments.of(from)) {
    if (from === undefined && segment.endedAt > latestEnd) {
      yield* segments.of(await segments.lastEndedBy());
      return;
    }
    yield segment;
  }
}

/**
 * Returns the number of the first recorded run that ended at `time` or later; the highest possible
 * run number if there is none. This is a binary search, in which each request halves the range of
 * runs. One or two requests are enough if all runs or none of them ended at `time` or later.
 */
async function firstEndedSince(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, time }: { readonly watchlistId: string; readonly time: string },
): Promise<number> {
  const newest = await recordedEnd(client, table, { watchlistId, isNewestFirst: true });
  if (newest === undefined || newest.endedAt < time) return limits.runNumberMax;
  const oldest = await recordedEnd(client, table, { watchlistId });
  if (oldest === undefined || oldest.endedAt >= time) return 1;
  // The run to find is `found`, or a run after `before` and before `end`.
  let before = oldest.runNumber;
  let found = newest.runNumber;
  let end = found;
  while (end - before > 1) {
    const middle = Math.floor((before + end) / 2);
    const run = await recordedEnd(client, table, { watchlistId, first: middle, last: end - 1 });
    if (run === undefined || run.endedAt >= time) {
      found = run?.runNumber ?? found;
      end = middle;
    } else {
      before = run.runNumber;
    }
  }
  return found;
}

interface RecordedEnd {
  readonly runNumber: number;
  readonly endedAt: string;
}

/**
 * Returns the first recorded run in a range, or the last recorded run if `isNewestFirst`; undefined
 * if the range has no recorded run.
 */
async function recordedEnd(
  client: DynamoDBDocumentClient,
  table: string,
  range: RunRange,
): Promise<RecordedEnd | undefined> {
  const ends = queryRows(client, {
    ...runRowsQuery(table, range),
    // Only the first chunk of a run has the end of the run.
    FilterExpression: "attribute_exists(ended_at)",
    ProjectionExpression: "sk, ended_at",
    Limit: rowsAtOnce,
  });
  for await (const row of ends) {
    return { runNumber: numbersOf(row).runNumber, endedAt: String(row["ended_at"]) };
  }
  return undefined;
}
