import { afterChange, type Changed } from "../base/after-change.ts";
import type { RandomSource, Clock } from "../base/clock.ts";
import { assert } from "../base/assert.ts";
import { runOrder } from "../pipelines/definition.ts";
import type { Item } from "../watchlists/item.ts";
import { compareIds } from "../watchlists/id-order.ts";
import type { StoredPage } from "../watchlists/page.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { endOfRange, rewriteEachItem } from "../watchlists/rewrite-items.ts";
import { changeByOutcome, type Reading } from "./apply-outcome.ts";
import type { CarriedOutcomes } from "./batch.ts";
import type { Run } from "./run.ts";

export interface StoreDependencies {
  readonly pages: PageStore;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Creates a function that applies outcomes to an item. The function uses the outcomes with the ID
 * of the item, and returns the changed item, or `unchanged` if no outcome has an effect.
 * @param carried the outcomes, in step order. In another order, outcomes of earlier steps would
 * have no effect.
 */
export function withOutcomes(
  run: Run,
  carried: readonly CarriedOutcomes[],
): (item: Item) => Changed<Item> {
  const steps = carried.map(({ step, outcomes }) => ({
    reading: readingOf(run, step),
    byId: new Map(outcomes.map((outcome) => [outcome.id, outcome])),
  }));
  return (item) =>
    steps.reduce<Changed<Item>>((change, { reading, byId }) => {
      const outcome = byId.get(item.id);
      if (outcome === undefined) return change;
      const next = changeByOutcome(afterChange(item, change), outcome, reading);
      return next === "unchanged" ? change : next;
    }, "unchanged");
}

/**
 * Returns the run and the step that produced outcomes, in the form that `changeByOutcome` needs.
 * @throws Error if the pipeline has no such step
 */
function readingOf({ id, runNumber, pipeline }: Run, step: string): Reading {
  const order = runOrder(pipeline);
  const position = order.findIndex((one) => one.id === step);
  const scraper = order[position]?.scraper;
  assert(scraper !== undefined, "an outcome must belong to a step of the run's pipeline");
  return { runId: id, runNumber, pipeline, step, position, scraper };
}

/**
 * Applies outcomes to the stored items. Ignores outcomes of items that were removed from the
 * watchlist, or removed and added again. Writes the pages in `pagesRead` without reading them
 * again, unless they have changed. Ends without an error if the watchlist was deleted.
 * @param carried the outcomes, in step order
 * @throws 503 UNAVAILABLE after too many conflicts on a page, or if the retry budget is exhausted
 */
export async function storeOutcomes(
  run: Run,
  {
    carried,
    pagesRead = [],
  }: { readonly carried: readonly CarriedOutcomes[]; readonly pagesRead?: readonly StoredPage[] },
  dependencies: StoreDependencies,
): Promise<void> {
  const apply = withOutcomes(run, carried);
  const all = new Set(carried.flatMap(({ outcomes }) => outcomes.map(({ id }) => id)));
  const ids = [...all].toSorted(compareIds);
  const left: string[] = [];
  let from = 0;
  for (const page of pagesRead) {
    const end = endOfRange(page, ids, from);
    const owned = ids.slice(from, end);
    from = end;
    if (owned.length === 0) continue;
    const ownedIds = new Set(owned);
    const changed = page
      .select((id) => ownedIds.has(id))
      .flatMap((item) => {
        const after = apply(item);
        return after === "unchanged" ? [] : [after];
      });
    if (changed.length === 0) continue;
    const outcome = await dependencies.pages.replaceItems(run, page, changed);
    if (outcome !== "replaced") left.push(...owned);
  }
  left.push(...ids.slice(from));
  await rewriteEachItem({ watchlist: run, ids: left, change: apply }, dependencies);
}
