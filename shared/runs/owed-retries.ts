import { type Pipeline, readingKind, type Step, stepOf } from "../pipelines/definition.ts";
import type { Item, OwedRetry } from "../watchlists/item.ts";

/**
 * Finds the step that does an owed retry of an item. A retry is a read of one kind (scraper and
 * condition), so it survives a change of the list's pipeline. The first of these steps takes it:
 *
 * 1. of an item that is still `new`, the baseline step: its first read makes up for every other;
 * 2. the step that owed it, as long as it reads the same kind;
 * 3. the first step that reads the same kind;
 * 4. the first step of the same scraper, whatever offers it counts;
 * 5. the baseline step.
 *
 * Where 2 to 5 lead to a baseline step without routes, which reports nothing, the first step with
 * routes takes it that reads the same kind as the baseline step, if there is one: on retailer_a's
 * default pipeline any owed retry is read at lite (specification, section "Watchlists").
 *
 * Each retry has exactly one step, and a run reads an item at a step once, also when the item starts
 * there anyway or is routed there.
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

/** The step itself if it has routes, else the first step with routes that reads the same kind. */
const reportingStep = ({ steps }: Pipeline, step: Step): Step | undefined =>
  step.routes.length > 0
    ? step
    : steps.find((one) => one.routes.length > 0 && readingKind(one) === readingKind(step));

/** A retry without a scraper was stored by a release that knew the step's id alone. */
const isSameRead = (owed: OwedRetry, { id, scraper, condition = "all" }: Step): boolean =>
  owed.scraper === undefined
    ? owed.step === id
    : owed.scraper === scraper && (owed.condition ?? "all") === condition;

type Owing = Pick<Item, "state" | "owes">;

/** Ids of the steps that do an item's owed retries. */
export const retrySteps = (pipeline: Pipeline, item: Owing): readonly string[] =>
  item.owes.map((owed) => stepOfRetry(pipeline, item, owed).id);

/** What an item still owes once a step has failed on it or was deferred. */
export function owesAfterFailure(pipeline: Pipeline, item: Owing, stepId: string): Item["owes"] {
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

/** What an item still owes once a step has answered it, or had nothing to ask about. */
export const owesAfterAnswer = (pipeline: Pipeline, item: Owing, stepId: string): Item["owes"] =>
  item.owes.filter((owed) => stepOfRetry(pipeline, item, owed).id !== stepId);
