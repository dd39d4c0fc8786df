import type { FieldChanges } from "../pipelines/compare.ts";
import type { FieldValue, ReadingKind, Snapshot, StepScraperId } from "../scrapers/catalogue.ts";
import type { ConditionFilter } from "../scrapers/offer.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";

export type ItemState = "new" | "active" | "delisted";

/**
 * The changes of the last run that changed an item: all its steps combined, each field from the first
 * step's `before` to the last step's `after`.
 */
export interface LastChange {
  /** Time of the last of these changes. */
  readonly changedAt: string;
  readonly runId: string;
  readonly runNumber: number;
  /** ID of the step that read the last of these changes. */
  readonly step: string;
  readonly scraper: StepScraperId;
  /** A field that changed back within the run is included, with `before` equal to `after`. */
  readonly changes: FieldChanges;
}

/** A read that an item still needs, because a step failed on it or was deferred. */
export interface OwedRetry {
  /** ID of that step. */
  readonly step: string;
  /** Scraper of that step; absent in items that an earlier release stored. */
  readonly scraper?: StepScraperId;
  /** Condition filter of `retailer_a.offers`; absent: `all`. */
  readonly condition?: ConditionFilter;
}

/** The last change of a field that several kinds of reads share. */
export interface OpenChange {
  /** Value after the change. */
  readonly value: FieldValue;
  /** True if a `watchlist.product.changed` event has reported the change. */
  readonly notified: boolean;
}

/** An item of a watchlist as stored in its page. */
export interface Item {
  readonly id: string;
  readonly state: ItemState;
  readonly addedAt: string;
  readonly firstReadAt: string | null;
  readonly lastReadStatus: ReadStatus | null;
  readonly consecutiveFailures: number;
  /** The last `ok` reading of each kind, with which the next one of that kind is compared. */
  readonly readings: Readonly<Partial<Record<ReadingKind, Snapshot>>>;
  /**
   * By field: the last change, if another kind of read that has the field has not read it yet. Stored
   * only if it cannot be derived from the readings; see `readingsAfter`.
   */
  readonly openChanges: Readonly<Record<string, OpenChange>>;
  /** Time of the last stored reading. */
  readonly snapshotAt: string | null;
  readonly lastChange: LastChange | null;
  readonly delistedAt: string | null;
  /** Offer last read in the buy box, which an offer check reads. */
  readonly buyboxOfferId: string | null;
  /** Owed retries; `shared/runs/owed-retries.ts` finds the steps that do them. */
  readonly owes: readonly OwedRetry[];
  /**
   * Encodes run number and step position of the last outcome applied, so that an older outcome that
   * arrives late is ignored.
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

/** Kinds of readings by increasing precedence: a later kind wins if both have a field. */
export const kindsByWeight: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  // Usually the pulse is read at least as often as the product.
  "pulse",
];

/** The last known value of every field of an item; null before its first read. */
export function currentSnapshot({ readings, openChanges }: Known): Snapshot | null {
  const known = kindsByWeight.map((kind) => readings[kind]).filter((one) => one !== undefined);
  if (known.length === 0) return null;
  const open = Object.entries(openChanges).map(([field, { value }]) => [field, value] as const);
  return Object.assign({}, ...known, Object.fromEntries(open));
}

/**
 * The last known value of a field of readings of `kind`, from a reading of any kind that shares the
 * field; undefined if none has it.
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
