import { stepOf } from "../pipelines/definition.ts";
import type { ItemHead } from "../watchlists/item-columns.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { advanceRun, type AdvanceDependencies } from "./advance-run.ts";
import { inBatches } from "./plan-step.ts";
import { retrySteps } from "./owed-retries.ts";
import type { Run } from "./run.ts";

export interface StartDependencies extends AdvanceDependencies {
  readonly pages: PageStore;
}

/**
 * Plans a claimed run: stores the steps at which each item starts, then starts the first step.
 * Leaves out delisted items. Idempotent: a repeated call uses the plan that was stored first.
 */
export async function startRun(run: Run, dependencies: StartDependencies): Promise<void> {
  const { pages, runs, steps, random, batchIdsMax } = dependencies;
  const starts = new Map<string, string[]>();
  let tracked = 0;
  let newItems = 0;
  let last = "";
  for await (const { heads } of pages.pages(run.watchlistId)) {
    for (const item of heads) {
      // If pages change during the read, an item can occur twice.
      if (item.id <= last) continue;
      last = item.id;
      if (item.state === "delisted") continue;
      for (const step of startsOf(item, run)) push(starts, step, item.id);
      tracked += 1;
      newItems += item.state === "new" ? 1 : 0;
    }
  }
  const plan = Buffer.from(random.bytes(6)).toString("hex");
  const batches = [...starts].map(([id, ids]) => {
    const { scraper } = stepOf(run.pipeline, id);
    return [id, inBatches(ids, scraper, batchIdsMax)] as const;
  });
  await steps.saveStarts(run.id, plan, new Map(batches));
  await runs.startReading(run, { plan, stats: { ...run.stats, tracked, newItems } });
  const planned = await runs.get(run);
  if (planned !== undefined) await advanceRun(planned, 0, dependencies);
}

/**
 * Returns the IDs of the steps at which an item starts. A new item starts at the baseline, and any
 * other item at the run's entry. Each item also starts at the steps of its owed retries.
 */
export function startsOf(
  item: ItemHead,
  { pipeline, stats }: Pick<Run, "pipeline" | "stats">,
): ReadonlySet<string> {
  const start = item.state === "new" ? (pipeline.baseline ?? pipeline.entry) : stats.entry;
  return new Set([start, ...retrySteps(pipeline, item)]);
}

function push(starts: Map<string, string[]>, step: string, id: string): void {
  const ids = starts.get(step);
  if (ids === undefined) starts.set(step, [id]);
  else ids.push(id);
}
