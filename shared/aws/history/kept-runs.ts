import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type HistorySpan, isWithin, type RunSegment } from "../../history/history.ts";
import { runRows } from "./run-rows.ts";
import { joinedSegments, segmentOf } from "./segment-rows.ts";

/** The cached runs of a watchlist: its newest runs, newest first and without a gap. */
interface KeptRuns {
  /** The cache has all recorded runs that ended at this time (ISO 8601) or later. */
  readonly since: string;
  readonly runs: readonly RunSegment[];
}

/** Selects the runs of a watchlist that have points in a span. Times are ISO 8601. */
export interface KeptQuery extends HistorySpan {
  readonly watchlistId: string;
  /** Number of the newest run, recorded or not. */
  readonly newestRun: number;
}

/** Maximum number of cached points of all watchlists. A point takes about 400 bytes. */
const pointsMax = 100_000;

/**
 * Creates a function that yields the recorded runs of a watchlist that have points in a span,
 * newest first. A recorded run never changes, so the function caches the runs of the watchlists
 * that were read most recently. A later query of the watchlist reads only the newer runs, and makes
 * no request if there are none.
 */
export function keptRuns(
  client: DynamoDBDocumentClient,
  table: string,
): (query: KeptQuery) => AsyncGenerator<RunSegment> {
  const kept = new Map<string, KeptRuns>();
  const keep = (watchlistId: string, entry: KeptRuns): void => {
    kept.delete(watchlistId);
    kept.set(watchlistId, entry);
    let points = pointsOf([...kept.values()].flatMap(({ runs }) => runs));
    for (const [id, { runs }] of kept) {
      if (points <= pointsMax) return;
      kept.delete(id);
      points -= pointsOf(runs);
    }
  };
  return async function* runs(query) {
    const { watchlistId, since } = query;
    const before = kept.get(watchlistId);
    const known = before !== undefined && before.since <= since ? before : undefined;
    const all: RunSegment[] = [];
    for await (const run of newerRuns(client, table, { ...query, known })) {
      all.push(run);
      yield* withPointsIn(query, run);
    }
    for (const run of known?.runs ?? []) {
      all.push(run);
      if (run.endedAt >= since) yield* withPointsIn(query, run);
    }
    if (!hasGap(all)) keep(watchlistId, { since: known?.since ?? since, runs: all });
  };
}

/** Reads the runs of a span that are newer than the cached runs. */
async function* newerRuns(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, since, newestRun, known }: KeptQuery & { readonly known: KeptRuns | undefined },
): AsyncGenerator<RunSegment> {
  const first = (known?.runs[0]?.runNumber ?? 0) + 1;
  if (first > newestRun) return;
  const isWhole = known === undefined;
  const rows = runRows(client, table, { watchlistId, first, isNewestFirst: true, isWhole });
  for await (const stored of joinedSegments(rows)) {
    if (stored.endedAt < since) return;
    yield segmentOf(stored, always);
  }
}

/**
 * Returns true if the numbers of the runs have a gap. The missing run may be recorded later, so
 * such runs are not cached.
 */
const hasGap = (runs: readonly RunSegment[]): boolean =>
  runs.some(({ runNumber }, n) => runNumber !== (runs[0]?.runNumber ?? 0) - n);

/** A span that contains every time that the history stores. */
const always: HistorySpan = { since: "", until: "~" };

function withPointsIn(span: HistorySpan, run: RunSegment): readonly RunSegment[] {
  const points = run.points.filter((point) => isWithin(span, point));
  return points.length === 0 ? [] : [{ ...run, points }];
}

const pointsOf = (runs: readonly RunSegment[]): number =>
  runs.reduce((sum, { points }) => sum + points.length, 0);
