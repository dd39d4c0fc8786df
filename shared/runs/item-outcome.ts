import type { ObservedChanges, PointStatus } from "../history/history.ts";
import type { FieldChanges } from "../pipelines/compare.ts";
import type { When } from "../pipelines/definition.ts";
import type { RouteStates } from "../pipelines/route-state.ts";
import type { ReadingKind, Snapshot } from "../scrapers/catalog.ts";
import type { Item } from "../watchlists/item.ts";
import type { KnownDetails } from "../watchlists/item-details.ts";

/** The effect of one step on one item. A read without an effect has no outcome. */
export interface ItemOutcome {
  readonly id: string;
  /**
   * `addedAt` of the item that was read. If the item was removed and added again, the stored item
   * has another value.
   */
  readonly addedAt: string;
  readonly status: PointStatus;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  /**
   * Readings after the read, by kind. Contains only readings that differ from those stored with the
   * item.
   */
  readonly readings?: Readonly<Partial<Record<ReadingKind, Snapshot>>>;
  /**
   * ID of the offer in the buy box; null if the buy box is empty; absent if it is unchanged or was
   * not read.
   */
  readonly buyboxOfferId?: string | null;
  /** Open changes after the read; absent if they equal the stored open changes. */
  readonly openChanges?: Item["openChanges"];
  /**
   * Fields whose value differs from the last known value or had no known value, whether or not a
   * route names them. Absent if there are none, or if the item was already delisted. This field is
   * stored only as a history point (`EffectiveResult.points`), so an outcome that was read from the
   * store lacks it.
   */
  readonly observed?: ObservedChanges;
  /** New changes, and earlier changes that this run reports. */
  readonly changes?: FieldChanges;
  /** True if no change in `changes` is new. An earlier run has then counted the item as changed. */
  readonly isCounted?: true;
  /** States of the pipeline's routes after the read; absent if they equal the stored states. */
  readonly routeStates?: RouteStates;
  /** The changes in the event, if they differ from `changes`. */
  readonly reportedChanges?: FieldChanges;
  /** Snapshot of the item after the change; present if an event reports the change. */
  readonly reported?: Snapshot;
  /**
   * Present if an event reports the item because of routes whose `when` is not `changed`.
   * `branches` has the `when` of these routes. `values` has the testable fields of the step after
   * an `ok` read, and otherwise the last snapshot of the item.
   */
  readonly matched?: { readonly branches: readonly When[]; readonly values: Snapshot };
  /** IDs of the steps to which the item is routed. */
  readonly next?: readonly string[];
  /** Present if this read delists the item: its last snapshot, or null if it has none. */
  readonly lastSnapshot?: Snapshot | null;
  /** Known details of the item; absent if it has none, or if no event reports the outcome. */
  readonly details?: KnownDetails;
}

/** Fields that every outcome has: the item that was read, the time and the status. */
type ReadField = "id" | "addedAt" | "status" | "at";

/**
 * The effect of a field of an outcome.
 * - `item`: changes the stored item.
 * - `history`: adds to the history of the item.
 * - `event`: makes an event report the item.
 * - `route`: routes the item to a step.
 * - `addition`: completes another field, and has no effect alone.
 */
type Effect = "item" | "history" | "event" | "route" | "addition";

/**
 * The effect of each field of an outcome. This is the only list of the fields, so a new field must
 * be added here.
 */
const effects: Readonly<Record<Exclude<keyof ItemOutcome, ReadField>, Effect>> = {
  readings: "item",
  buyboxOfferId: "item",
  openChanges: "item",
  routeStates: "item",
  changes: "item",
  observed: "history",
  reported: "event",
  matched: "event",
  lastSnapshot: "event",
  next: "route",
  isCounted: "addition",
  reportedChanges: "addition",
  details: "addition",
};

type EffectField = keyof typeof effects;

const fieldsWith = (...wanted: readonly Effect[]): readonly EffectField[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys lose their types
  (Object.keys(effects) as EffectField[]).filter((field) => wanted.includes(effects[field]));

const itemFields = fieldsWith("item");
const eventFields = fieldsWith("event");
const effectiveFields = fieldsWith("item", "history", "event", "route");

const hasAny = (outcome: ItemOutcome, fields: readonly EffectField[]): boolean =>
  fields.some((field) => outcome[field] !== undefined);

/** Returns true if an outcome has values to store in the item. */
export const changesItem = (outcome: ItemOutcome): boolean => hasAny(outcome, itemFields);

/** Returns true if an outcome causes an event to contain the item. */
export const isReported = (outcome: ItemOutcome): boolean => hasAny(outcome, eventFields);

/**
 * Returns true if an `ok` outcome has any effect: it changes the item or its history, reports the
 * item in an event, or routes the item to a step.
 */
export const hasEffects = (outcome: ItemOutcome): boolean => hasAny(outcome, effectiveFields);

/**
 * Returns an outcome with only the fields that are stored in the item. Leaves out other fields,
 * such as those for events.
 */
export function itemPartOf(outcome: ItemOutcome): ItemOutcome {
  const { id, addedAt, status, at } = outcome;
  const part: Record<string, unknown> = {};
  for (const field of itemFields) if (outcome[field] !== undefined) part[field] = outcome[field];
  return { id, addedAt, status, at, ...part };
}
