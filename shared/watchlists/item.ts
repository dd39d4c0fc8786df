import type { FieldChanges } from "../pipelines/compare.ts";
import type { RouteStates } from "../pipelines/route-state.ts";
import type { FieldValue, ReadingKind, Snapshot, StepScraperId } from "../scrapers/catalog.ts";
import type { ConditionFilter } from "../scrapers/offer.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";

/**
 * `new`: no run has read the item. `active`: runs read it. `delisted`: the platform no longer has
 * it.
 */
export type ItemState = "new" | "active" | "delisted";

/**
 * The changes of the last run that changed an item. The changes of all steps of the run are
 * combined: for each field, `before` is from the first step and `after` from the last.
 */
export interface LastChange {
  /** Time of the latest change in `changes` (ISO). */
  readonly changedAt: string;
  readonly runId: string;
  readonly runNumber: number;
  /** ID of the step that read the latest change in `changes`. */
  readonly step: string;
  readonly scraper: StepScraperId;
  /**
   * The changed fields. They include a field that changed and changed back within the run: its
   * `before` equals its `after`.
   */
  readonly changes: FieldChanges;
}

/**
 * A read of an item that a run must repeat, because a step failed to read the item or was deferred.
 */
export interface OwedRetry {
  /** ID of the step that failed or was deferred. */
  readonly step: string;
  /** Scraper of the step; absent in items that an earlier release stored. */
  readonly scraper?: StepScraperId;
  /** Condition filter of `retailer_a.offers`; absent for `all`. */
  readonly condition?: ConditionFilter;
}

/** The last change of a field that several kinds of readings share, such as `price`. */
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
  /** Time of the first `ok` or `not_found` read (ISO); null before it. */
  readonly firstReadAt: string | null;
  /** Status of the last read; null before the first read. */
  readonly lastReadStatus: ReadStatus | null;
  /** Number of reads in a row with the status `partial` or `unavailable`. */
  readonly consecutiveFailures: number;
  /** Last `ok` reading of each kind. The next reading of the same kind is compared with it. */
  readonly readings: Readonly<Partial<Record<ReadingKind, Snapshot>>>;
  /**
   * The open changes, by field. A change is open while the reading of another kind still has an
   * older value of the field. Most open changes are not stored, because the readings suffice to
   * find the newest value (see `readingsAfter`).
   */
  readonly openChanges: Readonly<Record<string, OpenChange>>;
  /** States of the pipeline's routes; absent if no route has one. */
  readonly routeStates?: RouteStates;
  /** Time of the last stored reading (ISO); null before the first reading. */
  readonly snapshotAt: string | null;
  readonly lastChange: LastChange | null;
  readonly delistedAt: string | null;
  /**
   * ID of the offer that was in the buy box at the last read; null if none is known. Offer checks
   * read this offer.
   */
  readonly buyboxOfferId: string | null;
  /** Owed retries. `shared/runs/owed-retries.ts` finds the steps that repeat them. */
  readonly owes: readonly OwedRetry[];
  /**
   * The run number and the step position of the last outcome that was applied, as one number. A
   * late, older outcome is ignored.
   */
  readonly revision: number;
}

/**
 * Returns an item that was never read.
 * @param addedAt time at which the item is added (ISO 8601)
 */
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

/**
 * Kinds of readings by increasing precedence. If the readings of several kinds have a field, the
 * value of the last of these kinds is used.
 */
export const kindsByWeight: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  // The pulse is last, because it is usually read at least as often as the product.
  "pulse",
];

/**
 * Returns the snapshot of an item: the last known value of every tracked field. Returns null before
 * the first `ok` read.
 */
export function currentSnapshot({ readings, openChanges }: Known): Snapshot | null {
  const known = kindsByWeight.map((kind) => readings[kind]).filter((one) => one !== undefined);
  if (known.length === 0) return null;
  const open = Object.entries(openChanges).map(([field, { value }]) => [field, value] as const);
  return Object.assign({}, ...known, Object.fromEntries(open));
}

/**
 * Returns true if an item is out of stock by its last known values. Returns false for a delisted
 * item, and for an item whose stock is not known.
 */
export const isOutOfStock = (item: Item): boolean =>
  item.state !== "delisted" && currentSnapshot(item)?.["inStock"] === false;

/**
 * Returns the last known value of a field that readings of `kind` contain. If several kinds of
 * readings share the field (see `kindsSharing`), the value may come from any of them. Returns
 * undefined if none of these readings has the field.
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
