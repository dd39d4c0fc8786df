/** The last known values of items, restored from today's items and the history. */
import type { HistoryPoint } from "../history/history.ts";
import type { FieldValue, ReadingKind, Snapshot } from "../scrapers/catalog.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";
import { currentSnapshot, type Item, kindsByWeight, newItem } from "../watchlists/item.ts";
import type { PastLives } from "./past-lives.ts";
import { kindOf, type PastRun } from "./past-run.ts";

/** The last known values of one item: by kind of reading, then by field. */
type Known = Map<ReadingKind, Map<string, FieldValue>>;

/** The known values of the items before the run that is repeated. */
export interface PastState {
  readonly known: Map<string, Known>;
  readonly delisted: Set<string>;
}

/** Returns the known values of the items before the first run in `later`. */
export function stateBefore(
  present: readonly Item[],
  later: readonly PastRun[],
  { renewed }: PastLives,
): PastState {
  const keptItems = present.filter(({ id }) => !renewed.has(id));
  const known = new Map(keptItems.map((item) => [item.id, knownOf(item)]));
  const delisted = new Set(
    keptItems.filter(({ state }) => state === "delisted").map(({ id }) => id),
  );
  for (const { run, points } of later.toReversed()) {
    for (const point of [...points.values()].flatMap((some) => some.toReversed())) {
      const values = known.get(point.id);
      if (values === undefined) continue;
      if (point.status === "not_found") delisted.delete(point.id);
      writePoint(values, { point, kind: kindOf(run.pipeline, point.step), side: "before" });
    }
  }
  for (const id of renewed.keys()) known.set(id, new Map());
  return { known, delisted };
}

/** Updates the known values after a point. */
export function applyPoint(
  { run }: PastRun,
  point: HistoryPoint,
  { known, delisted }: PastState,
): void {
  const values = known.get(point.id);
  if (values === undefined) return;
  if (point.status === "not_found") delisted.add(point.id);
  writePoint(values, { point, kind: kindOf(run.pipeline, point.step), side: "after" });
}

/**
 * Returns the last known values of an item by kind of reading. A field that several kinds share has
 * its newest value.
 */
function knownOf(item: Item): Known {
  const newest = currentSnapshot(item) ?? {};
  return new Map(
    kindsByWeight.flatMap((kind) => {
      const reading = item.readings[kind];
      if (reading === undefined) return [];
      const values = Object.entries(reading).map(([field, value]) => {
        const isShared = kindsSharing(field, kind).length > 1;
        return [field, isShared ? (newest[field] ?? null) : value] as const;
      });
      return [[kind, new Map(values)] as const];
    }),
  );
}

interface Written {
  readonly point: HistoryPoint;
  readonly kind: ReadingKind | undefined;
  readonly side: "before" | "after";
}

/** Copies the values before or after a point's read (`side`) into the known values of its item. */
export function writePoint(known: Known, { point, kind, side }: Written): void {
  if (kind === undefined) return;
  for (const [field, change] of Object.entries(point.values)) {
    const value = change[side];
    for (const one of kindsSharing(field, kind)) {
      const values = known.get(one) ?? new Map<string, FieldValue>();
      if (value === undefined) values.delete(field);
      else values.set(field, value);
      if (values.size === 0) known.delete(one);
      else known.set(one, values);
    }
  }
}

/** Returns an item as it was when the known values applied. */
export function pastItem(item: Item, { known, delisted }: PastState): Item {
  const { id, addedAt, firstReadAt, buyboxOfferId } = item;
  const fresh = newItem(id, addedAt);
  if (delisted.has(id)) return { ...item, owes: [] };
  const values = known.get(id);
  if (values === undefined || values.size === 0) return fresh;
  const readings = Object.fromEntries([...values].map(([kind, one]) => [kind, snapshotOf(one)]));
  return {
    ...fresh,
    state: "active",
    firstReadAt,
    lastReadStatus: "ok",
    snapshotAt: firstReadAt,
    readings,
    buyboxOfferId,
  };
}

/** Returns known values, by field, as a snapshot. */
export const snapshotOf = (values: ReadonlyMap<string, FieldValue>): Snapshot =>
  Object.fromEntries(values);

/** Copies the known values of an item. Returns an empty map for undefined. */
export const copyOf = (known: Known | undefined): Known =>
  new Map([...(known ?? [])].map(([kind, values]) => [kind, new Map(values)]));
