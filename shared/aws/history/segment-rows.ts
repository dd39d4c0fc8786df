import {
  type HistorySpan,
  isWithin,
  type RecordedSegment,
  type RunSegment,
} from "../../history/history.ts";
import { epochSeconds, historyKeys, type RowKey } from "../table/table.ts";
import type { Row } from "../table/dynamo.ts";
import { limits } from "../../base/limits.ts";
import { chunkRow, linePacker, linesOf } from "./line-chunks.ts";
import { pointLine, pointOf } from "../../history/point-lines.ts";

/** Days for which rows stay stored after the API no longer returns their points. */
const graceDays = 3;

/**
 * Returns the expiry time of history rows, in whole Unix seconds.
 * @param endedAt end of the newest run in these rows, ISO 8601
 */
export const expiryOf = (endedAt: string): number =>
  epochSeconds(new Date(endedAt)) + (limits.historyDays + graceDays) * 86_400;

/**
 * Returns the rows of a run's segment, in the order in which they must be written. The row of the
 * first chunk is last: a run is recorded once this row is stored. Only this row has the number of
 * chunks and the end of the run.
 */
export async function segmentRows(
  watchlistId: string,
  { runNumber, endedAt, points }: RecordedSegment,
): Promise<Row[]> {
  const packer = linePacker();
  if (Symbol.asyncIterator in points) for await (const lines of points) packer.add(lines);
  else packer.add(points.map(pointLine));
  const chunks = packer.end();
  const ttl = expiryOf(endedAt);
  const keyOf = (chunk: number): RowKey => historyKeys.run(watchlistId, runNumber, chunk);
  const rows = chunks.map((chunk, n) => chunkRow(keyOf(n), chunk, ttl));
  const [first, ...rest] = rows;
  const head = {
    ...(first ?? { ...keyOf(0), ttl }),
    chunks: Math.max(1, rows.length),
    ended_at: endedAt,
  };
  return [...rest, head];
}

/** A recorded run with its rows, in the order of their chunks. */
export interface StoredSegment {
  readonly runNumber: number;
  readonly endedAt: string;
  readonly rows: readonly Row[];
}

/**
 * Joins rows to run segments; each row has one chunk of a segment. The rows of a run must not have
 * rows of other runs between them, but can be in any order. Leaves out a run if its first chunk is
 * not stored yet, or if some of its chunks have expired.
 */
export async function* joinedSegments(rows: AsyncIterable<Row>): AsyncGenerator<StoredSegment> {
  let number = 0;
  let found: Row[] = [];
  for await (const row of rows) {
    const { runNumber } = numbersOf(row);
    if (runNumber !== number) {
      yield* complete(number, found);
      number = runNumber;
      found = [];
    }
    found.push(row);
  }
  yield* complete(number, found);
}

/** Returns the segment of a run; an empty array if one of its rows is missing. */
function complete(runNumber: number, rows: readonly Row[]): readonly StoredSegment[] {
  const inOrder = rows.toSorted((one, other) => numbersOf(one).chunk - numbersOf(other).chunk);
  const [head] = inOrder;
  if (head?.["chunks"] !== rows.length) return [];
  return [{ runNumber, endedAt: String(head["ended_at"]), rows: inOrder }];
}

/** Returns the run number and the chunk number in the key of a segment's row. */
export function numbersOf({ sk }: Row): { readonly runNumber: number; readonly chunk: number } {
  const [, runNumber, chunk] = String(sk).split("#");
  return { runNumber: Number(runNumber), chunk: Number(chunk) };
}

/** Converts the stored rows of a run to a run segment with only the points that are in a span. */
export const segmentOf = (
  { runNumber, endedAt, rows }: StoredSegment,
  span: HistorySpan,
): RunSegment => ({
  runNumber,
  endedAt,
  points: rows.flatMap((row) =>
    linesOf(row)
      .map(pointOf)
      .filter((point) => isWithin(span, point)),
  ),
});
