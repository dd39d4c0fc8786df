import { afterChange, type Changed } from "../base/after-change.ts";
import { type Step, testsMetadata } from "../pipelines/definition.ts";
import type { Item } from "../watchlists/item.ts";
import {
  type ItemDetails,
  knownDetails,
  type KnownDetails,
  withFacts,
} from "../watchlists/item-details.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import type { StepAnswer } from "./read-step.ts";
import type { Run } from "./run.ts";

interface BatchRead {
  readonly run: Run;
  readonly step: Step;
  /** Items by ID, in ID order. */
  readonly items: ReadonlyMap<string, Item>;
  readonly answers: readonly StepAnswer[];
}

/** Returns the known details of the item with this ID; an empty object if there are none. */
export type DetailsOf = (id: string) => KnownDetails;

/**
 * Stores the product facts (title, address, image, sellers) that a batch read. Returns a function
 * that returns the details of one item of the batch: its newest known facts, and the label and
 * metadata that clients had set by the end of the read. If the batch has no facts, and no event or
 * route can use details, reads and stores nothing. The returned function then returns an empty
 * object for each item.
 */
export async function batchDetails(
  { run, step, items, answers }: BatchRead,
  pages: Pick<PageStore, "details" | "changeDetails">,
): Promise<DetailsOf> {
  const facts = new Map<string, Shown>();
  for (const { id, fetchedAt, facts: shown } of answers) {
    const addedAt = items.get(id)?.addedAt;
    if (shown !== undefined && addedAt !== undefined) {
      facts.set(id, { id, addedAt, readAt: fetchedAt, facts: shown });
    }
  }
  if (facts.size === 0 && !mayUseDetails(step, answers)) return () => ({});
  const ids = [...items.keys()];
  const after = new Map<string, ItemDetails | undefined>();
  const change = (known: ItemDetails | undefined, id: string): Changed<ItemDetails> => {
    const shown = facts.get(id);
    const changed = shown === undefined ? "unchanged" : withFacts(known, shown);
    after.set(id, afterChange(known, changed));
    return changed;
  };
  // The facts are stored before the result of the batch is recorded. If the process dies between
  // the two writes, the batch is read again.
  const outcome = await pages.changeDetails(run, { ids, change });
  if (outcome !== "done") {
    // The write failed after many conflicts. A later run stores the facts. An error here would
    // repeat the whole batch, so the service would pay the source for the same reads again.
    const range = { from: ids[0] ?? "", to: ids.at(-1) ?? "" };
    const known = await pages.details(run.watchlistId, range);
    for (const id of ids) change(known.get(id), id);
  }
  return (id) => knownDetails(after.get(id));
}

/** The product facts that one read found for one item. */
type Shown = Parameters<typeof withFacts>[1];

/**
 * Returns true if the step may need the details of items: an outcome may cause an event, or a route
 * tests metadata.
 */
const mayUseDetails = (step: Step, answers: readonly StepAnswer[]): boolean =>
  testsMetadata(step) ||
  step.routes.some(({ notify }) => notify === true) ||
  answers.some(({ status }) => status === "not_found");
