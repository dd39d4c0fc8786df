import { assert } from "../base/assert.ts";
import type { Chance } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import { runOrder } from "../pipelines/definition.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalogue.ts";
import { compareIds } from "../watchlists/page.ts";
import type { Carried, ItemOutcome, PlannedBatch, Run, StepRecord } from "./run.ts";
import type { StepStore } from "./step-store.ts";

export interface PlanDependencies {
  readonly steps: StepStore;
  readonly chance: Chance;
  /** Ids of one batch at most; smaller only where a test cuts finer. */
  readonly batchIdsMax?: number;
}

/**
 * Fixes which items a step reads: those that start there, and those that earlier steps sent.
 * Undefined when there are none. It depends only on what is fixed already, so a repeat plans the same.
 */
export async function planStep(
  run: Run,
  position: number,
  dependencies: PlanDependencies,
): Promise<StepRecord | undefined> {
  const { steps, chance } = dependencies;
  const step = runOrder(run.pipeline)[position];
  assert(step !== undefined, "a place in the order has a step");
  const planned = await steps.starts(run, step.id);
  const read = await stepRead(run, position, { planned, steps });
  const batches = batchesOf(read, step.scraper, dependencies.batchIdsMax);
  const items = batches.reduce((sum, { ids }) => sum + ids.length, 0);
  if (items === 0) return undefined;
  return steps.plan({
    step: {
      runId: run.id,
      step: step.id,
      position,
      scraper: step.scraper,
      plan: Buffer.from(chance.bytes(6)).toString("hex"),
      batches: batches.length,
      items,
      starts: read.kind === "as_planned" ? run.plan : null,
      decision: null,
      shortfall: null,
      done: new Set(),
      stats: null,
    },
    batches,
  });
}

type Batches = readonly (readonly string[])[];

/** What a step reads. */
type StepRead =
  /** The batches that the run planned when it started, unchanged: they are stored once. */
  | { readonly kind: "as_planned"; readonly batches: Batches }
  /** Other items, or some for which earlier steps have something to store. */
  | {
      readonly kind: "mixed";
      readonly ids: readonly string[];
      readonly carried: readonly Carried[];
    };

async function stepRead(
  run: Run,
  position: number,
  { planned, steps }: { readonly planned: Batches; readonly steps: StepStore },
): Promise<StepRead> {
  const starting = planned.flat();
  const delisted =
    starting.length === 0 ? new Set<string>() : await delistedBefore(run, position, steps);
  const kept = starting.filter((id) => !delisted.has(id));
  const { sent, unstored } = await outcomesBefore(run, position, steps);
  const ids = new Set([...kept, ...sent]);
  // An item may come here from any step: what another one found about it must come along.
  const carried = outcomesOf(ids, unstored);
  const isAsPlanned = kept.length === starting.length && sent.size === 0 && carried.length === 0;
  return isAsPlanned
    ? { kind: "as_planned", batches: planned }
    : { kind: "mixed", ids: [...ids].toSorted(compareIds), carried };
}

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

/** The items that earlier steps delisted: they are not read again, unless a route sends them. */
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
  /** Items that routes of earlier steps send to this one. */
  readonly sent: ReadonlySet<string>;
  /** What earlier steps found and no step has stored, in their order. */
  readonly unstored: readonly Carried[];
}

/**
 * What earlier steps found. An outcome of an item that goes on is stored by the next step that reads the
 * item, whether a route sent the item there or it starts there.
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
  const unstored: Carried[] = [];
  for (const step of earlier) {
    const record = await steps.get(run.id, step);
    if (record === undefined) continue;
    const outcomes: ItemOutcome[] = [];
    for await (const routed of steps.routed(record)) {
      for (const { id, next = [] } of routed) if (next.includes(target)) sent.add(id);
      const left = routed.filter(({ next = [] }) => !next.some((id) => earlier.has(id)));
      outcomes.push(...left.map(toStore));
    }
    unstored.push({ step, outcomes });
  }
  return { sent, unstored };
}

/** The part of an outcome that changes the item; the rest is for events and routes. */
const toStore = ({ matched: _m, next: _n, reported: _r, ...outcome }: ItemOutcome): ItemOutcome =>
  outcome;

/** Those of the outcomes that are about some items. */
const outcomesOf = (ids: ReadonlySet<string>, found: readonly Carried[]): readonly Carried[] =>
  found
    .map(({ step, outcomes }) => ({ step, outcomes: outcomes.filter(({ id }) => ids.has(id)) }))
    .filter(({ outcomes }) => outcomes.length > 0);

/** Cuts sorted ids into batches: one is read like one item call, and is no larger than one. */
export function inBatches(
  ids: readonly string[],
  scraper: StepScraperId,
  batchIdsMax: number = limits.batchIdsMax,
): (readonly string[])[] {
  const size = Math.min(batchIdsMax, stepScrapers[scraper].itemsPerCallMax);
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, n) =>
    ids.slice(n * size, (n + 1) * size),
  );
}
