import type { Changed } from "../base/after-change.ts";
import type { Item } from "../watchlists/item.ts";
import { compareIds } from "../watchlists/id-order.ts";
import { rewriteEachItem, type RewriteDependencies } from "../watchlists/rewrite-items.ts";
import { revisionAfter } from "./apply-outcome.ts";
import type { Run } from "./run.ts";
import type { StepStore } from "./step-store.ts";

export interface RestoreDependencies extends RewriteDependencies {
  readonly steps: Pick<StepStore, "list" | "itemsBefore">;
}

/**
 * Restores the items of a discarded run to their state before the run. Idempotent. Leaves out items
 * that a client removed from the watchlist, or removed and added again, after the run had read
 * them. Ends without an error if the watchlist was deleted.
 * @throws 503 UNAVAILABLE after too many conflicts on a page, or if the retry budget is exhausted
 */
export async function restoreItems(run: Run, dependencies: RestoreDependencies): Promise<void> {
  const before = await itemsBefore(run, dependencies.steps);
  await rewriteEachItem(
    {
      watchlist: run,
      ids: [...before.keys()].toSorted(compareIds),
      change: (item) => restoreItem(item, before.get(item.id), run),
    },
    dependencies,
  );
}

/**
 * Returns the items that the run read, as they were before the run, by ID. If several steps
 * recorded an item, the first record counts.
 */
async function itemsBefore(
  run: Run,
  steps: RestoreDependencies["steps"],
): Promise<ReadonlyMap<string, Item>> {
  const before = new Map<string, Item>();
  for (const step of await steps.list(run.id)) {
    for await (const items of steps.itemsBefore(step)) {
      for (const item of items) if (!before.has(item.id)) before.set(item.id, item);
    }
  }
  return before;
}

/**
 * Returns the item with the values from before the run, in all members that outcomes change. The
 * new revision makes late outcomes of the run ineffective.
 */
function restoreItem(item: Item, before: Item | undefined, { runNumber }: Run): Changed<Item> {
  const revision = revisionAfter(runNumber);
  if (before === undefined || before.addedAt !== item.addedAt || item.revision >= revision) {
    return "unchanged";
  }
  const { routeStates: _, ...kept } = item;
  return { ...kept, ...membersOfRuns(before), revision };
}

/** The members of an item that outcomes change. During a hold, clients can change other members. */
const membersOfRuns = (item: Item): Omit<Item, "id" | "addedAt" | "revision"> => ({
  state: item.state,
  firstReadAt: item.firstReadAt,
  lastReadStatus: item.lastReadStatus,
  consecutiveFailures: item.consecutiveFailures,
  readings: item.readings,
  openChanges: item.openChanges,
  ...(item.routeStates !== undefined && { routeStates: item.routeStates }),
  snapshotAt: item.snapshotAt,
  lastChange: item.lastChange,
  delistedAt: item.delistedAt,
  buyboxOfferId: item.buyboxOfferId,
  owes: item.owes,
});
