import type { FieldChanges } from "../pipelines/compare.ts";
import type { FieldValue, ReadingKind, Snapshot, StepScraperId } from "../scrapers/catalogue.ts";
import type { ConditionFilter } from "../scrapers/offer.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";

export type ItemState = "new" | "active" | "delisted";

/**
 * What the last run that found a change on an item found there: the changes of all its steps, each
 * field from the first step's `before` to the last step's `after`.
 */
export interface LastChange {
  /** When the last of the changes was read. */
  readonly changedAt: string;
  readonly runId: string;
  readonly runNumber: number;
  /** The step that found the last of the changes. */
  readonly step: string;
  readonly scraper: StepScraperId;
  /** A field that changed and changed back within the run is kept, with `before` equal to `after`. */
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

/** The last change of a field that reads of several kinds show. */
export interface OpenChange {
  /** The value that the field changed to. */
  readonly value: FieldValue;
  /** True when a changed event has reported the change. */
  readonly notified: boolean;
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
  /**
   * By field, the last change that a kind of read which shows the field has not read yet. Kept only
   * where the readings alone do not tell it: see `readingsAfter`.
   */
  readonly openChanges: Readonly<Record<string, OpenChange>>;
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
  openChanges: {},
  snapshotAt: null,
  lastChange: null,
  delistedAt: null,
  buyboxOfferId: null,
  owes: [],
  revision: 0,
});

type Known = Pick<Item, "readings" | "openChanges">;

/** Kinds of readings from the least to the most telling: a later one wins where both have a field. */
export const kindsByWeight: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  // As a rule the pulse is read at least as often as the product.
  "pulse",
];

/** The last known value of every field of an item, or null before its first read. */
export function currentSnapshot({ readings, openChanges }: Known): Snapshot | null {
  const known = kindsByWeight.map((kind) => readings[kind]).filter((one) => one !== undefined);
  if (known.length === 0) return null;
  const open = Object.entries(openChanges).map(([field, { value }]) => [field, value] as const);
  return Object.assign({}, ...known, Object.fromEntries(open));
}

/**
 * The last known value of a field that reads of `kind` show, from whichever kind of read; undefined
 * when no read has shown it.
 */
export function knownValue(
  { readings, openChanges }: Known,
  field: string,
  kind: ReadingKind,
): FieldValue | undefined {
  const kinds = kindsSharing(field, kind);
  if (kinds.length === 1) return readings[kind]?.[field];
  const open = openChanges[field];
  if (open !== undefined) return open.value;
  const newest = kinds.findLast((one) => readings[one]?.[field] !== undefined);
  return newest && readings[newest]?.[field];
}
