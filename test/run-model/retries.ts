import type { Pipeline, Step } from "../../shared/pipelines/definition.ts";

/**
 * An owed retry: the scraper and condition to read with, and the step that failed or was deferred.
 */
export interface ModelRetry {
  readonly step: string;
  readonly scraper: string;
  readonly condition: string;
}

interface Item {
  readonly state: "new" | "active" | "delisted";
  owes: readonly ModelRetry[];
}

const retryOf = ({ id, scraper, condition = "all" }: Step): ModelRetry => ({
  step: id,
  scraper,
  condition,
});

/**
 * Ranks how well a step fits a retry, from 1 (best) to 3; undefined if the step uses another
 * scraper.
 */
function rankOf(retry: ModelRetry, step: Step): number | undefined {
  const { step: id, scraper, condition } = retryOf(step);
  if (scraper !== retry.scraper) return undefined;
  if (condition !== retry.condition) return 3;
  return id === retry.step ? 1 : 2;
}

/**
 * Returns the ID of the step that repeats the owed read: the step that fits the retry best. For a
 * new item, or if no step fits, returns the ID of the step that reads items for the first time.
 */
function placeOf(pipeline: Pipeline, { state }: Item, retry: ModelRetry): string {
  const { steps, baseline, entry } = pipeline;
  const first = baseline ?? entry;
  if (state === "new") return first;
  for (const rank of [1, 2, 3]) {
    const fitting = steps.find((step) => rankOf(retry, step) === rank);
    if (fitting !== undefined)
      return fitting.id === first ? reportingStep(pipeline, first) : fitting.id;
  }
  return reportingStep(pipeline, first);
}

const isProductRead = (scraper: string): boolean =>
  ["retailer_a.lite", "retailer_a.full"].includes(scraper);

/**
 * Returns the ID of the first step. If that step has no routes, it cannot report changes. Then
 * returns the ID of a step that has routes and reads the same data, if there is one.
 */
function reportingStep({ steps }: Pipeline, first: string): string {
  const silent = steps.find(({ id, routes }) => id === first && routes.length === 0);
  if (silent === undefined) return first;
  const alike = steps.find(
    ({ scraper, condition, routes }) =>
      routes.length > 0 &&
      (scraper === silent.scraper || [scraper, silent.scraper].every(isProductRead)) &&
      condition === silent.condition,
  );
  return alike?.id ?? first;
}

/**
 * Returns the IDs of the steps that do the item's owed retries; empty if the item has no owed
 * retries.
 */
export const stepsToRetry = (pipeline: Pipeline, item: Item): Set<string> =>
  new Set(item.owes.map((retry) => placeOf(pipeline, item, retry)));

/**
 * Adds an owed retry of an item after a step failed or was deferred. Replaces a retry of the same
 * step with the same scraper and condition.
 */
export function addRetry(pipeline: Pipeline, item: Item, step: Step): void {
  const wanted = retryOf(step);
  const isRepeated = (retry: ModelRetry): boolean =>
    retry.scraper === wanted.scraper &&
    retry.condition === wanted.condition &&
    [retry.step, placeOf(pipeline, item, retry)].includes(step.id);
  item.owes = [...item.owes.filter((retry) => !isRepeated(retry)), wanted];
}

/**
 * Removes the owed retry of a step after the source answered the step, or if the step had nothing
 * to read.
 */
export function clearRetry(pipeline: Pipeline, item: Item, { id }: Step): void {
  item.owes = item.owes.filter((retry) => placeOf(pipeline, item, retry) !== id);
}

/** Formats owed retries as sorted text, for comparison. */
export const shownRetries = (
  owes: readonly {
    readonly step: string;
    readonly scraper?: string;
    readonly condition?: string;
  }[],
): readonly string[] =>
  owes.map(({ step, scraper, condition = "all" }) => `${step} ${scraper} ${condition}`).toSorted();
