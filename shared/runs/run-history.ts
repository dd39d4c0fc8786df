import { assert } from "../base/assert.ts";
import type { PointLine, RecordedSegment } from "../history/history.ts";
import { itemIdOf, pointLine } from "../history/point-lines.ts";
import { compareIds } from "../watchlists/id-order.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { EffectiveResult } from "./batch.ts";
import type { Run } from "./run.ts";
import type { RunResults } from "./run-results.ts";

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
 * recorded results and the stored end of the run, so a repeated call returns an equal segment. Reads
 * the results of all steps at the same time, one batch of each step, so that the memory does not
 * grow with the number of items.
 * @throws Error if the run has not ended
 */
export function runSegment({ runNumber, finishedAt }: Run, results: RunResults): RecordedSegment {
  assert(finishedAt !== null, "a run in phase 'emitting' must have ended");
  return { runNumber, endedAt: finishedAt, points: sortedPoints(results) };
}

interface IdentifiedLine {
  readonly id: string;
  readonly line: PointLine;
}

/** The next lines of a step, and the reader of the batches that follow. */
interface StepLines {
  readonly batches: AsyncIterator<EffectiveResult>;
  lines: readonly IdentifiedLine[];
  /** The last item ID of the batches read so far; an empty string before the first one. */
  lastId: string;
}

/**
 * Yields the history points of all steps in groups, sorted by item ID, then in step order. Each
 * group ends at the smallest of the last item IDs that the steps have loaded. Later batches of a
 * step have only greater IDs, so no point up to this ID is missing.
 */
async function* sortedPoints(results: RunResults): AsyncGenerator<readonly PointLine[]> {
  const steps = results.steps.map((step): StepLines => ({
    batches: results.of(step)[Symbol.asyncIterator](),
    lines: [],
    lastId: "",
  }));
  for (;;) {
    await Promise.all(steps.map(nextLines));
    const [until] = steps.flatMap(({ lines }) => lines.at(-1)?.id ?? []).toSorted(compareIds);
    if (until === undefined) return;
    const taken: IdentifiedLine[] = [];
    for (const step of steps) {
      const count = step.lines.filter(({ id }) => compareIds(id, until) <= 0).length;
      taken.push(...step.lines.slice(0, count));
      step.lines = step.lines.slice(count);
    }
    // The sort is stable, so the points of an item stay in step order.
    yield sorted(taken).map(({ line }) => line);
  }
}

/** Reads batches of a step until it has lines or all of its batches were read. */
async function nextLines(step: StepLines): Promise<void> {
  while (step.lines.length === 0) {
    const next = await step.batches.next();
    if (next.done === true) return;
    step.lines = sorted(next.value.points.map((line) => ({ id: itemIdOf(line), line })));
    const [first, last] = [step.lines[0], step.lines.at(-1)];
    if (first === undefined || last === undefined) continue;
    assert(
      compareIds(step.lastId, first.id) < 0,
      "the batches of a step must be in the order of their item IDs",
    );
    step.lastId = last.id;
  }
}

const sorted = (lines: readonly IdentifiedLine[]): readonly IdentifiedLine[] =>
  lines.toSorted((one, other) => compareIds(one.id, other.id));
