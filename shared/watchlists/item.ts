import type { FieldChanges } from "../pipelines/compare.ts";
import type { ReadingKind, Snapshot, StepScraperId } from "../scrapers/catalogue.ts";
import type { ConditionFilter } from "../scrapers/offer.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";

export type ItemState = "new" | "active" | "delisted";

/** The last change found on an item, with where it was found. */
export interface LastChange {
  readonly changedAt: string;
  readonly runId: string;
  readonly runNumber: number;
  readonly step: string;
  readonly scraper: StepScraperId;
  readonly changes: FieldChanges;
}

/** A read that an item still needs, because a step failed on it or the credits did not cover it. */
export interface OwedRetry {
  /** Id of that step. */
  readonly step: string;
  /** What the step reads with; absent in items that were stored with the step's id alone. */
  readonly scraper?: StepScraperId;
  /** Of `retailer_a.offers` only; absent: all. */
  readonly condition?: ConditionFilter;
}

/** An item of a list as stored in its page. */
export interface Item {
  readonly id: string;
  readonly state: ItemState;
  readonly addedAt: string;
  readonly firstReadAt: string | null;
  readonly lastReadStatus: ReadStatus | null;
  readonly consecutiveFailures: number;
  /** The last `ok` reading of each kind: what the next one of that kind is compared with. */
  readonly readings: Readonly<Partial<Record<ReadingKind, Snapshot>>>;
  /** When a reading was last stored here. */
  readonly snapshotAt: string | null;
  readonly lastChange: LastChange | null;
  readonly delistedAt: string | null;
  /** The offer last seen in the buy box: what an offer check asks about. */
  readonly buyboxOfferId: string | null;
  /** Reads that later runs have to repeat; `shared/runs/owed-retries.ts` finds their steps. */
  readonly owes: readonly OwedRetry[];
  /**
   * Number of the run and place of the step whose result was written here last: an older result
   * arriving late is not applied.
   */
  readonly revision: number;
}

export const newItem = (id: string, addedAt: string): Item => ({
  id,
  state: "new",
  addedAt,
  firstReadAt: null,
  lastReadStatus: null,
  consecutiveFailures: 0,
  readings: {},
  snapshotAt: null,
  lastChange: null,
  delistedAt: null,
  buyboxOfferId: null,
  owes: [],
  revision: 0,
});

/** Kinds of readings from the least to the most telling: a later one wins where both have a field. */
export const kindsByWeight: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  // A product read refreshes the pulse reading too, so that the pulse is never the older of the two.
  "pulse",
];

/** Everything known of an item, or null before its first read. */
export function currentSnapshot({ readings }: Pick<Item, "readings">): Snapshot | null {
  const known = kindsByWeight.map((kind) => readings[kind]).filter((one) => one !== undefined);
  return known.length === 0 ? null : Object.assign({}, ...known);
}
