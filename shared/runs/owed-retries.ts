import { type Pipeline, readingKind, type Step, stepOf } from "../pipelines/definition.ts";
import type { Item, OwedRetry } from "../watchlists/item.ts";

/**
 * Finds the step that repeats an owed retry of an item. An owed retry names a kind of read (scraper
 * and condition), not only a step, so the retry stays valid if the pipeline of the watchlist
 * changes. Returns the first of these steps that exists:
 * 1. the baseline step, for an item in state `new`: its first read replaces all owed retries;
 * 2. the step that failed, if it still reads the same kind;
 * 3. the first step that reads the same kind;
 * 4. the first step of the same scraper, with any condition;
 * 5. the baseline step.
 * Exception: if rules 2 to 5 select a baseline step without routes, this step would report nothing.
 * The first step with routes that reads the same kind then repeats the retry, if there is such a
 * step. On the default pipeline of retailer_a, `pulse` repeats the owed retries of a pulse, and
 * `lite` repeats all others (specification, section "Watchlists"). Each retry has exactly one step.
 * A run reads an item at most once at a step, even if the item also starts there or is routed
 * there.
 */
export function stepOfRetry(
  pipeline: Pipeline,
  { state }: Pick<Item, "state">,
  owed: OwedRetry,
): Step {
  const baseline = stepOf(pipeline, pipeline.baseline ?? pipeline.entry);
  if (state === "new") return baseline;
  const same = pipeline.steps.filter((step) => isSameRead(owed, step));
  const taken =
    same.find(({ id }) => id === owed.step) ??
    same[0] ??
    pipeline.steps.find(({ scraper }) => scraper === owed.scraper) ??
    baseline;
  return taken === baseline ? (reportingStep(pipeline, baseline) ?? baseline) : taken;
}

/**
 * Returns `step` if it has routes, otherwise the first step with routes that stores the same kind
 * of reading; undefined if there is none.
 */
const reportingStep = ({ steps }: Pipeline, step: Step): Step | undefined =>
  step.routes.length > 0
    ? step
    : steps.find((one) => one.routes.length > 0 && readingKind(one) === readingKind(step));

/**
 * Returns true if a step makes the read that an owed retry needs: with the same scraper, and for
 * offers with the same condition. A retry from an earlier release has no scraper, so its step ID
 * must be equal.
 */
const isSameRead = (owed: OwedRetry, { id, scraper, condition = "all" }: Step): boolean =>
  owed.scraper === undefined
    ? owed.step === id
    : owed.scraper === scraper && (owed.condition ?? "all") === condition;

type Owing = Pick<Item, "state" | "owes">;

/**
 * Returns the IDs of the steps that repeat an item's owed retries, one ID for each retry. An ID can
 * occur more than once.
 */
export const retrySteps = (pipeline: Pipeline, item: Owing): readonly string[] =>
  item.owes.map((owed) => stepOfRetry(pipeline, item, owed).id);

/**
 * Returns the owed retries of an item after a step was deferred or could not read the item. Adds an
 * owed retry of this step. Removes the retries of the same scraper and condition that this step had
 * to repeat.
 * @param stepId The ID of this step.
 */
export function retriesAfterFailure(pipeline: Pipeline, item: Owing, stepId: string): Item["owes"] {
  const step = stepOf(pipeline, stepId);
  const { scraper, condition } = step;
  const isReplaced = (owed: OwedRetry): boolean =>
    isSameRead(owed, step) &&
    (owed.step === stepId || stepOfRetry(pipeline, item, owed).id === stepId);
  return [
    ...item.owes.filter((owed) => !isReplaced(owed)),
    { step: stepId, scraper, ...(condition !== undefined && { condition }) },
  ];
}

/**
 * Returns the owed retries of an item after a step has read or skipped it: all except the retries
 * that this step had to repeat.
 * @param stepId The ID of this step.
 */
export const retriesAfterAnswer = (pipeline: Pipeline, item: Owing, stepId: string): Item["owes"] =>
  item.owes.filter((owed) => stepOfRetry(pipeline, item, owed).id !== stepId);
