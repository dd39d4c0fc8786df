import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { firstRunOf, lastRunOf, runsOf } from "../../history/window.ts";
import { bucketOf, buckets } from "./item-buckets.ts";
import { linesOf } from "./line-chunks.ts";
import { itemIdOf, mergedLine } from "../../history/point-lines.ts";
import { runRows } from "./run-rows.ts";
import { joinedSegments } from "./segment-rows.ts";

/** The merged lines of a window in a range of buckets (hash groups of item IDs). */
export interface WindowLines {
  /**
   * Sorted lines of the buckets from `firstBucket` up to, but not including, `endBucket`; by bucket
   * number.
   */
  readonly lines: ReadonlyMap<number, readonly string[]>;
  /**
   * First bucket whose lines are missing; the number of buckets (`buckets`) if no bucket is
   * missing.
   */
  readonly endBucket: number;
  /** End of the last recorded run of the window, ISO 8601; null if no run is recorded. */
  readonly endedAt: string | null;
  /** Numbers of the runs of the window that are not recorded. */
  readonly missing: readonly number[];
}

interface WindowRead {
  readonly watchlistId: string;
  readonly window: number;
  readonly firstBucket: number;
  /** Maximum number of characters of all lines that are in memory. */
  readonly charactersMax: number;
}

/**
 * Reads the run segments of a window, and returns the lines of their history points by bucket (hash
 * group of item IDs). Begins with `firstBucket`. Leaves out higher buckets if all lines together
 * would exceed `charactersMax`, but returns at least one bucket.
 */
export async function windowLines(
  client: DynamoDBDocumentClient,
  table: string,
  { watchlistId, window, firstBucket, charactersMax }: WindowRead,
): Promise<WindowLines> {
  const range = { first: firstRunOf(window), last: lastRunOf(window) };
  const recorded = new Set<number>();
  const collected = collectedLines(firstBucket, charactersMax);
  let endedAt: string | null = null;
  for await (const segment of joinedSegments(runRows(client, table, { watchlistId, ...range }))) {
    recorded.add(segment.runNumber);
    endedAt = segment.endedAt;
    for (const row of segment.rows) {
      for (const line of linesOf(row)) collected.add(line, segment.runNumber);
    }
  }
  const missing = runsOf(window).filter((run) => !recorded.has(run));
  return { ...collected.result(), endedAt, missing };
}

/** Lines by item ID, in the order in which they were added. */
type LinesById = Map<string, string[]>;

/** Creates a collector of merged lines that keeps at most `charactersMax` characters. */
function collectedLines(firstBucket: number, charactersMax: number) {
  const byBucket = new Map<number, LinesById>();
  let endBucket = buckets;
  let characters = 0;
  /** Drops the upper half of the buckets, repeatedly, until the lines are small enough. */
  const shrink = (): void => {
    while (characters > charactersMax && endBucket - firstBucket > 1) {
      endBucket = firstBucket + Math.ceil((endBucket - firstBucket) / 2);
      for (const [bucket, lines] of byBucket) {
        if (bucket < endBucket) continue;
        characters -= charactersIn(lines);
        byBucket.delete(bucket);
      }
    }
  };
  return {
    add(line: string, runNumber: number): void {
      const id = itemIdOf(line);
      const bucket = bucketOf(id);
      if (bucket < firstBucket || bucket >= endBucket) return;
      const merged = mergedLine(line, runNumber);
      const lines = entryOf(byBucket, bucket, () => new Map<string, string[]>());
      entryOf(lines, id, () => []).push(merged);
      characters += merged.length;
      if (characters > charactersMax) shrink();
    },
    result: () => ({
      lines: new Map(Array.from(byBucket, ([bucket, lines]) => [bucket, sorted(lines)])),
      endBucket,
    }),
  };
}

const charactersIn = (lines: LinesById): number =>
  [...lines.values()].flat().reduce((sum, line) => sum + line.length, 0);

const sorted = (lines: LinesById): string[] =>
  [...lines.keys()].toSorted().flatMap((id) => lines.get(id) ?? []);

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
