import { assert } from "../base/assert.ts";
import type { HistoryPoint, RunSegment } from "../history/history.ts";
import { compareIds } from "../watchlists/page.ts";
import type { ItemOutcome, Run } from "./run.ts";

/**
 * The history points of the outcomes of one step, in the order of the outcomes. An `ok` outcome
 * without an observed change has none.
 */
export const pointsOf = (step: string, outcomes: readonly ItemOutcome[]): HistoryPoint[] =>
  outcomes.flatMap(({ id, at, status, observed = {} }) =>
    status === "ok" && Object.keys(observed).length === 0
      ? []
      : [{ id, at, step, status, values: observed }],
  );

/**
 * The history of a run. Depends only on recorded results and the stored end of the run, so a
 * repeated call returns the same segment.
 * @param steps the points of each step, in step order
 */
export function runSegment(
  { runNumber, finishedAt }: Run,
  steps: readonly (readonly HistoryPoint[])[],
): RunSegment {
  assert(finishedAt !== null, "a run in phase 'emitting' has ended");
  // The sort is stable, so the points of one item stay in step order.
  const points = steps.flat().toSorted((one, other) => compareIds(one.id, other.id));
  return { runNumber, endedAt: finishedAt, points };
}
