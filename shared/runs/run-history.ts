import { assert } from "../base/assert.ts";
import type { PointLine, RecordedSegment } from "../history/history.ts";
import { itemIdOf, pointLine } from "../history/point-lines.ts";
import { compareIds } from "../watchlists/page.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Run } from "./run.ts";

/**
 * Converts the outcomes of one step to lines with their history points, in the order of the
 * outcomes. An `ok` outcome without an observed change has no point.
 */
export const pointLinesOf = (step: string, outcomes: readonly ItemOutcome[]): PointLine[] =>
  outcomes.flatMap(({ id, at, status, observed = {} }) =>
    status === "ok" && Object.keys(observed).length === 0
      ? []
      : [pointLine({ id, at, step, status, values: observed })],
  );

/**
 * Builds the run segment (the stored history points) of an ended run. The segment depends only on
 * recorded results and the stored end of the run, so a repeated call returns an equal segment.
 * @param steps the lines of the history points of each step, in step order
 * @throws Error if the run has not ended
 */
export function runSegment(
  { runNumber, finishedAt }: Run,
  steps: readonly (readonly PointLine[])[],
): RecordedSegment {
  assert(finishedAt !== null, "a run in phase 'emitting' must have ended");
  const lines = steps.flat().map((line) => ({ id: itemIdOf(line), line }));
  // The sort is stable, so the points of an item stay in step order.
  const points = lines.toSorted((a, b) => compareIds(a.id, b.id)).map(({ line }) => line);
  return { runNumber, endedAt: finishedAt, points };
}
