import type { Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { Scraper } from "../scrapers/scraper.ts";
import type { ScraperId } from "../scrapers/catalogue.ts";
import type { Item } from "../watchlists/item.ts";
import type { StoredPage } from "../watchlists/page.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { completeStep, type CompleteDependencies } from "./complete-step.ts";
import { applyOutcome, batchResult } from "./outcome.ts";
import type { BatchRef, BatchResult, StepRecord } from "./run.ts";
import { progressMs } from "./start-run.ts";

export interface ReadBatchDependencies extends CompleteDependencies {
  readonly watchlists: WatchlistStore;
  readonly scraperFor: (scraper: ScraperId) => Scraper;
  readonly clock: Clock;
}

/**
 * Reads one batch of a step, records what was found, stores it in the items and, as the last batch,
 * completes the step. The recorded result is the truth: a repeat finds it and only stores it again.
 */
export async function readBatch(
  ref: BatchRef,
  deadline: Date,
  dependencies: ReadBatchDependencies,
): Promise<void> {
  const { runs, steps, clock } = dependencies;
  const step = await steps.get(ref.runId, ref.step);
  // Batches of a plan that lost are nobody's.
  if (step === undefined || step.plan !== ref.plan) return;
  const run = await runs.get(ref);
  // Whoever ended the step may have died before it could say so.
  if (run?.phase === "finishing") return dependencies.queue.sendFinish(run);
  if (run?.phase !== "reading") return;
  if (step.stats !== null) return completeStep(run, step, dependencies);
  const result = (await steps.result(ref)) ?? (await read(ref, { step, deadline }, dependencies));
  await store(ref, { step, result }, dependencies.watchlists);
  const after = await steps.markDone(ref);
  await runs.noteProgress(ref, new Date(clock.now().getTime() + progressMs));
  if (after.done.size === after.batches) await completeStep(run, after, dependencies);
}

async function read(
  ref: BatchRef,
  { step, deadline }: { step: StepRecord; deadline: Date },
  { steps, watchlists, scraperFor, clock }: ReadBatchDependencies,
): Promise<BatchResult> {
  const ids = await steps.batchIds(ref);
  const latest = clock.now().getTime() + limits.stepDeadlineSeconds * 1_000;
  const answers = await scraperFor(step.scraper).read({
    scraper: step.scraper,
    marketplace: step.marketplace,
    ids,
    deadline: new Date(Math.min(deadline.getTime(), latest)),
  });
  const wanted = new Set(ids);
  const items = new Map<string, Item>();
  for await (const page of watchlists.pages(ref.watchlistId, rangeOf(ids))) {
    for (const item of page.items) if (wanted.has(item.id)) items.set(item.id, item);
  }
  return steps.recordResult(ref, batchResult(step.scraper, items, answers));
}

const rangeOf = (ids: readonly string[]): { from: string; to: string } => ({
  from: ids[0] ?? "",
  to: ids.at(-1) ?? "",
});

/** Puts the outcomes into the items. Removed items stay removed, added ones are left alone. */
async function store(
  ref: BatchRef,
  { step, result }: { step: StepRecord; result: BatchResult },
  watchlists: WatchlistStore,
): Promise<void> {
  if (result.outcomes.length === 0) return;
  const outcomes = new Map(result.outcomes.map((outcome) => [outcome.id, outcome]));
  const reading = {
    runId: ref.runId,
    runNumber: ref.runNumber,
    step: ref.step,
    scraper: step.scraper,
  };
  const range = rangeOf(result.outcomes.map((outcome) => outcome.id));
  const apply = (page: StoredPage): StoredPage => ({
    ...page,
    items: page.items.map((item) => {
      const outcome = outcomes.get(item.id);
      return outcome === undefined ? item : applyOutcome(item, outcome, reading);
    }),
  });
  let lost = true;
  while (lost) {
    lost = false;
    for await (const page of watchlists.pages(ref.watchlistId, range)) {
      const applied = apply(page);
      const changed = applied.items.some((item, n) => item !== page.items[n]);
      if (changed && !(await watchlists.replacePage(ref.watchlistId, applied))) lost = true;
    }
  }
}
