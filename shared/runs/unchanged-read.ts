import { areEqual } from "../pipelines/compare.ts";
import { type Metadata, type Pipeline, readingKind, type Step } from "../pipelines/definition.ts";
import { statefulParts } from "../pipelines/route-state.ts";
import { buyboxAboveLowest, matchesNoRoute } from "../pipelines/rules.ts";
import { testedPrices } from "../pipelines/tested-prices.ts";
import type { ReadingKind, Snapshot } from "../scrapers/catalog.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";
import type { Item } from "../watchlists/item.ts";

/** An `ok` read of an item. */
export interface OkRead {
  readonly observed: Snapshot;
  /**
   * ID of the offer in the buy box; null if the buy box is empty; absent if the scraper does not
   * read it.
   */
  readonly buyboxOfferId?: string | null | undefined;
}

/**
 * Returns true if an `ok` read certainly has no outcome, which is true of most reads of a run.
 * Returns false if the read has an outcome or may have one.
 * @param metadata the item's metadata; empty if the step tests none
 */
export type UnchangedCheck = (item: Item, read: OkRead, metadata: Metadata) => boolean;

/**
 * Creates a fast check that returns true if a read of a step certainly changes nothing, so that the
 * item need not be compared route by route. The check always returns false if a route of the
 * pipeline has a state, or if the pipeline tests derived prices.
 */
export function unchangedCheck(pipeline: Pipeline, step: Step): UnchangedCheck {
  // The states of routes and of derived fields can change even if no field does.
  if (statefulParts(pipeline).length > 0 || testedPrices(pipeline).length > 0) return () => false;
  const kind = readingKind(step);
  return (item, { observed, buyboxOfferId = item.buyboxOfferId }, metadata) =>
    isSettled(item) &&
    buyboxOfferId === item.buyboxOfferId &&
    isAsKnown(item, observed, kind) &&
    matchesNoRoute(step, {
      status: "ok",
      firstRead: item.firstReadAt === null,
      before: item.readings[kind] ?? null,
      after: observed,
      derived: kind === "pulse" ? deriveFromPulse(item, observed) : {},
      metadata,
    });
}

/** Returns true if no earlier read, change or route has left pending work for the item. */
const isSettled = (item: Item): boolean =>
  item.state === "active" &&
  item.lastReadStatus === "ok" &&
  item.owes.length === 0 &&
  item.routeStates === undefined &&
  Object.keys(item.openChanges).length === 0;

/**
 * Returns true if each observed field has the same value in the readings of all kinds that share
 * the field. A reading of another kind may lack the field. Exception: a product read returns false
 * if the pulse reading lacks one of its fields, because the read then adds the field there.
 */
function isAsKnown({ readings }: Item, observed: Snapshot, kind: ReadingKind): boolean {
  if (readings[kind] === undefined) return false;
  for (const field in observed) {
    const is = observed[field];
    if (is === undefined) return false;
    for (const one of kindsSharing(field, kind)) {
      const was = readings[one]?.[field];
      const isRequired = one === kind || kind === "product";
      if (was === undefined ? isRequired : !areEqual(field, was, is)) return false;
    }
  }
  return true;
}

/**
 * Returns `buyboxAboveLowest`, which is calculated from a pulse and the last product reading of an
 * item. Returns an empty object if one of the two prices is unknown (see `buyboxAboveLowest`).
 */
export function deriveFromPulse({ readings }: Pick<Item, "readings">, pulse: Snapshot): Snapshot {
  const above = buyboxAboveLowest(readings.product ?? null, pulse);
  return above === undefined ? {} : { buyboxAboveLowest: above };
}
