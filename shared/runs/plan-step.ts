import { assert } from "../base/assert.ts";
import { chunksOf } from "../base/chunks-of.ts";
import type { RandomSource } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import { runOrder } from "../pipelines/definition.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalog.ts";
import { compareIds } from "../watchlists/id-order.ts";
import type { CarriedOutcomes, PlannedBatch } from "./batch.ts";
import { itemPartOf, type ItemOutcome } from "./item-outcome.ts";
import type { Run } from "./run.ts";
import type { StepRecord } from "./step.ts";
import type { StepStore } from "./step-store.ts";

export interface PlanDependencies {
  readonly steps: StepStore;
  readonly random: RandomSource;
  /** Maximum number of item IDs in a batch. Only tests set a lower value. */
  readonly batchIdsMax?: number;
}

/**
 * The result of planning a step:
 * - `planned`: the step has a plan.
 * - `empty`: the step has no items to read, and is not planned.
 * - `over`: the run is no longer in phase `reading`, and the step is not planned.
 */
export type PlannedStep =
  | { readonly kind: "planned"; readonly step: StepRecord }
  | { readonly kind: "empty" }
  | { readonly kind: "over" };

/**
 * Plans the step at a position in the run order: stores the batches of items to read. A step reads
 * the items that start there and the items that earlier steps routed there. Returns `empty` if
 * there are no such items. The batches depend only on stored data that no longer changes, so a
 * repeated call plans the same batches. If another process has stored a plan of this step first,
 * returns that plan. Returns `over`, without a plan, if the run is no longer in phase `reading`. A
 * process that was frozen therefore cannot plan a step of an abandoned run, or reserve credits for
 * it.
 * @param position from 0; all steps before it must be settled
 * @throws Error if the run order has no such position
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function planStep(
  run: Run,
  position: number,
  dependencies: PlanDependencies,
): Promise<PlannedStep> {
  const { steps, random } = dependencies;
  const step = runOrder(run.pipeline)[position];
  assert(step !== undefined, "every position in the run order must have a step");
  const starts = await steps.starts(run, step.id);
  const read = await stepRead(run, position, { starts, steps });
  const batches = batchesOf(read, step.scraper, dependencies.batchIdsMax);
  const items = batches.reduce((sum, { ids }) => sum + ids.length, 0);
  if (items === 0) return { kind: "empty" };
  const stored = await steps.plan(run, {
    step: {
      runId: run.id,
      step: step.id,
      position,
      scraper: step.scraper,
      plan: Buffer.from(random.bytes(6)).toString("hex"),
      batches: batches.length,
      items,
      starts: read.kind === "as_planned" ? run.plan : null,
      decision: null,
      shortfall: null,
      isSent: false,
      done: new Set(),
      stats: null,
    },
    batches,
  });
  return stored === "over" ? { kind: "over" } : { kind: "planned", step: stored };
}

type Batches = readonly (readonly string[])[];

/** The items that a step reads. */
type StepRead =
  /**
   * The step reads exactly the batches that the run planned at its start. They are not stored
   * again.
   */
  | { readonly kind: "as_planned"; readonly batches: Batches }
  /**
   * All other cases: the step reads other items than the run planned at its start, or it also
   * stores outcomes that earlier steps left unstored.
   */
  | {
      readonly kind: "mixed";
      readonly ids: readonly string[];
      readonly carried: readonly CarriedOutcomes[];
    };

/** Determines the items that a step reads, and the earlier outcomes that it stores. */
async function stepRead(
  run: Run,
  position: number,
  { starts, steps }: { readonly starts: Batches; readonly steps: StepStore },
): Promise<StepRead> {
  const starting = starts.flat();
  const earlier = await stepsBefore(run, position, steps);
  const delisted = starting.length === 0 ? new Set<string>() : await delistedBy(earlier, steps);
  const keptIds = starting.filter((id) => !delisted.has(id));
  const { routedIds, unstored } = await outcomesBefore(run, position, { earlier, steps });
  const ids = new Set([...keptIds, ...routedIds]);
  // This step also stores the outcomes that earlier steps left unstored for its items.
  const carried = outcomesOf(ids, unstored);
  const isAsPlanned =
    keptIds.length === starting.length && routedIds.size === 0 && carried.length === 0;
  return isAsPlanned
    ? { kind: "as_planned", batches: starts }
    : { kind: "mixed", ids: [...ids].toSorted(compareIds), carried };
}

/** Reads the planned steps before `position`, in run order, with one request. */
async function stepsBefore(
  run: Run,
  position: number,
  steps: StepStore,
): Promise<readonly StepRecord[]> {
  if (position === 0) return [];
  return (await steps.list(run.id)).filter((step) => step.position < position);
}

/** Splits the items of a step into batches. */
const batchesOf = (
  read: StepRead,
  scraper: StepScraperId,
  batchIdsMax: number | undefined,
): readonly PlannedBatch[] =>
  read.kind === "as_planned"
    ? read.batches.map((ids) => ({ ids, carried: [] }))
    : inBatches(read.ids, scraper, batchIdsMax).map((ids) => ({
        ids,
        carried: outcomesOf(new Set(ids), read.carried),
      }));

/**
 * Returns the IDs of the items that earlier steps delisted. This step does not read them, unless
 * they are routed to it.
 */
async function delistedBy(
  earlier: readonly StepRecord[],
  steps: StepStore,
): Promise<ReadonlySet<string>> {
  const delisted = new Set<string>();
  for (const step of earlier) {
    for await (const ids of steps.delisted(step)) for (const id of ids) delisted.add(id);
  }
  return delisted;
}

interface EarlierOutcomes {
  /** IDs of the items that earlier steps routed to this step. */
  readonly routedIds: ReadonlySet<string>;
  /** Outcomes of earlier steps that are not stored in the items yet, in step order. */
  readonly unstored: readonly CarriedOutcomes[];
}

/**
 * Reads the outcomes of the steps before `position` in the run order. The outcome of an item that a
 * step routes to another step is stored later, by the next step that reads the item.
 */
async function outcomesBefore(
  run: Run,
  position: number,
  { earlier, steps }: { readonly earlier: readonly StepRecord[]; readonly steps: StepStore },
): Promise<EarlierOutcomes> {
  const order = runOrder(run.pipeline);
  const target = order[position]?.id ?? "";
  const earlierIds = new Set(order.slice(0, position).map(({ id }) => id));
  const routedIds = new Set<string>();
  const unstored: CarriedOutcomes[] = [];
  for (const record of earlier) {
    const outcomes: ItemOutcome[] = [];
    for await (const routed of steps.routed(record)) {
      for (const { id, next = [] } of routed) if (next.includes(target)) routedIds.add(id);
      const notStoredBefore = routed.filter(
        ({ next = [] }) => !next.some((id) => earlierIds.has(id)),
      );
      outcomes.push(...notStoredBefore.map(itemPartOf));
    }
    unstored.push({ step: record.step, outcomes });
  }
  return { routedIds, unstored };
}

/** Selects the outcomes of the items in `ids`, by step. Leaves out steps without such outcomes. */
const outcomesOf = (
  ids: ReadonlySet<string>,
  carried: readonly CarriedOutcomes[],
): readonly CarriedOutcomes[] =>
  carried
    .map(({ step, outcomes }) => ({ step, outcomes: outcomes.filter(({ id }) => ids.has(id)) }))
    .filter(({ outcomes }) => outcomes.length > 0);

/**
 * Splits sorted IDs into batches. A batch has at most `batchIdsMax` IDs, and at most as many as one
 * call of the scraper may read.
 */
export function inBatches(
  ids: readonly string[],
  scraper: StepScraperId,
  batchIdsMax: number = limits.batchIdsMax,
): (readonly string[])[] {
  const size = Math.min(batchIdsMax, stepScrapers[scraper].itemsPerCallMax);
  return chunksOf(ids, size);
}
