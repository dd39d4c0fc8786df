import type { Pipeline, Step } from "../../shared/pipelines/definition.ts";

/** A read that an item still needs: what reads it, and which step failed or was deferred. */
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

/** How well a step fits a retry: the lowest wins, and the first of these; undefined: not at all. */
function rankOf(retry: ModelRetry, step: Step): number | undefined {
  const { step: id, scraper, condition } = retryOf(step);
  if (scraper !== retry.scraper) return undefined;
  if (condition !== retry.condition) return 3;
  return id === retry.step ? 1 : 2;
}

/** Where a pipeline does a retry: at the step that reads alike, else where first reads are done. */
function placeOf(pipeline: Pipeline, { state }: Item, retry: ModelRetry): string {
  const { steps, baseline, entry } = pipeline;
  const first = baseline ?? entry;
  if (state === "new") return first;
  for (const rank of [1, 2, 3]) {
    const fitting = steps.find((step) => rankOf(retry, step) === rank);
    if (fitting !== undefined) return fitting.id === first ? heardAt(pipeline, first) : fitting.id;
  }
  return heardAt(pipeline, first);
}

const isProductRead = (scraper: string): boolean =>
  ["retailer_a.lite", "retailer_a.full"].includes(scraper);

/** Changes that the first step finds are reported there, or at a step with routes that reads alike. */
function heardAt({ steps }: Pipeline, first: string): string {
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

/** Ids of the steps that have to read the item again. */
export const dueAgain = (pipeline: Pipeline, item: Item): ReadonlySet<string> =>
  new Set(item.owes.map((retry) => placeOf(pipeline, item, retry)));

/** Records a retry after a step failed on the item or was deferred. A step has at most one per kind of read. */
export function owe(pipeline: Pipeline, item: Item, step: Step): void {
  const wanted = retryOf(step);
  const isRepeated = (retry: ModelRetry): boolean =>
    retry.scraper === wanted.scraper &&
    retry.condition === wanted.condition &&
    [retry.step, placeOf(pipeline, item, retry)].includes(step.id);
  item.owes = [...item.owes.filter((retry) => !isRepeated(retry)), wanted];
}

/** The step answered, or there was nothing to ask about. */
export function settle(pipeline: Pipeline, item: Item, { id }: Step): void {
  item.owes = item.owes.filter((retry) => placeOf(pipeline, item, retry) !== id);
}

/** As text, in one order, to compare what two hold. */
export const shownRetries = (
  owes: readonly {
    readonly step: string;
    readonly scraper?: string;
    readonly condition?: string;
  }[],
): readonly string[] =>
  owes.map(({ step, scraper, condition = "all" }) => `${step} ${scraper} ${condition}`).toSorted();
