import type { HistoryPoint } from "../history/history.ts";
import { type Pipeline, readingKind } from "../pipelines/definition.ts";
import type { Run } from "../runs/run.ts";
import type { ReadingKind } from "../scrapers/catalog.ts";

/** A past run with the points that it recorded. */
export interface PastRun {
  readonly run: Run;
  /** The points of each item in step order, by item ID. */
  readonly points: ReadonlyMap<string, readonly HistoryPoint[]>;
}

/**
 * Returns the kind of reading that a step stores; undefined if the pipeline has no step with this
 * ID.
 */
export function kindOf(pipeline: Pipeline, id: string): ReadingKind | undefined {
  const step = pipeline.steps.find((one) => one.id === id);
  return step && readingKind(step);
}
