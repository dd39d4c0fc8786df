import { assert } from "../base/assert.ts";
import { chunksOf } from "../base/chunks-of.ts";
import type { RandomSource } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import { runOrder } from "../pipelines/definition.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalog.ts";
import { compareIds } from "../watchlists/page.ts";
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
 * Plans the step at a position in the run order: stores the batches of items to read. A step reads
 * the items that start there and the items that earlier steps routed there. Returns undefined if
 * there are no such items. The batches depend only on stored data that no longer changes, so a
 * repeated call plans the same batches. If another process has stored a plan of this step first,
 * returns that plan. Returns `over`, without a plan, if the run is no longer in phase `reading`. A
 * paused process therefore cannot plan a step of an abandoned run, or reserve credits for it.
 */
export async function planStep(
  run: Run,
  position: number,
  dependencies: PlanDependencies,
): Promise<StepRecord | "over" | undefined> {
  const { steps, random } = dependencies;
  const step = runOrder(run.pipeline)[position];
  assert(step !== undefined, "every position in the run order must have a step");
  const planned = await steps.starts(run, step.id);
  const read = await stepRead(run, position, { planned, steps });
  const batches = batchesOf(read, step.scraper, dependencies.batchIdsMax);
  const items = batches.reduce((sum, { ids }) => sum + ids.length, 0);
  if (items === 0) return undefined;
  return steps.plan(run, {
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
  { planned, steps }: { readonly planned: Batches; readonly steps: StepStore },
): Promise<StepRead> {
  const starting = planned.flat();
  const delisted =
    starting.length === 0 ? new Set<string>() : await delistedBefore(run, position, steps);
  const keptIds = starting.filter((id) => !delisted.has(id));
  const { sent, unstored } = await outcomesBefore(run, position, steps);
  const ids = new Set([...keptIds, ...sent]);
  // This step also stores the outcomes that earlier steps left unstored for its items.
  const carried = outcomesOf(ids, unstored);
  const isAsPlanned = keptIds.length === starting.length && sent.size === 0 && carried.length === 0;
  return isAsPlanned
    ? { kind: "as_planned", batches: planned }
    : { kind: "mixed", ids: [...ids].toSorted(compareIds), carried };
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
async function delistedBefore(
  run: Run,
  position: number,
  steps: StepStore,
): Promise<ReadonlySet<string>> {
  const delisted = new Set<string>();
  for (const { id } of runOrder(run.pipeline).slice(0, position)) {
    const record = await steps.get(run.id, id);
    if (record === undefined) continue;
    for await (const ids of steps.delisted(record)) for (const one of ids) delisted.add(one);
  }
  return delisted;
}

interface EarlierOutcomes {
  /** IDs of the items that earlier steps routed to this step. */
  readonly sent: ReadonlySet<string>;
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
  steps: StepStore,
): Promise<EarlierOutcomes> {
  const order = runOrder(run.pipeline);
  const target = order[position]?.id ?? "";
  const earlier = new Set(order.slice(0, position).map(({ id }) => id));
  const sent = new Set<string>();
  const unstored: CarriedOutcomes[] = [];
  for (const step of earlier) {
    const record = await steps.get(run.id, step);
    if (record === undefined) continue;
    const outcomes: ItemOutcome[] = [];
    for await (const routed of steps.routed(record)) {
      for (const { id, next = [] } of routed) if (next.includes(target)) sent.add(id);
      const left = routed.filter(({ next = [] }) => !next.some((id) => earlier.has(id)));
      outcomes.push(...left.map(itemPartOf));
    }
    unstored.push({ step, outcomes });
  }
  return { sent, unstored };
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
