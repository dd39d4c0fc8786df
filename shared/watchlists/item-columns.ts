import { assert } from "../base/assert.ts";
import type { RouteStates } from "../pipelines/route-state.ts";
import type { FieldValue, ReadingKind, Snapshot } from "../scrapers/catalog.ts";
import { type Item, kindsByWeight, newItem, type OwedRetry } from "./item.ts";

/**
 * Items in columns, stored as JSON. Compared with an array of items, the JSON is half as long, a
 * sixth smaller when compressed, and encoded in a third of the time. A column is absent if all of
 * its values are the defaults of a new item, so that a later release can add fields.
 */
export interface ItemColumns {
  readonly fields: Partial<{ readonly [Name in keyof Item]: readonly Item[Name][] }>;
  readonly readings: readonly (readonly [ReadingKind, SnapshotColumns])[];
}

interface SnapshotColumns {
  /** One flag per item: true if the item has a reading of this kind. */
  readonly has: readonly boolean[];
  readonly fields: readonly (readonly [string, readonly (FieldValue | Absent)[]])[];
}

const fieldNames = [
  "id",
  "state",
  "addedAt",
  "firstReadAt",
  "lastReadStatus",
  "consecutiveFailures",
  "openChanges",
  "snapshotAt",
  "lastChange",
  "delistedAt",
  "buyboxOfferId",
  "owes",
  "revision",
] as const satisfies readonly (keyof Item)[];

/**
 * Marks a field that a snapshot does not contain. Null cannot mark it, because null is a field
 * value.
 */
type Absent = readonly never[];
const absent: Absent = [];

const blank = newItem("", "");

/** Converts items to columns. `fromColumns` converts them back. */
export const toColumns = (items: readonly Item[]): ItemColumns =>
  withItems({ fields: {}, readings: [] }, { items, positions: [...items.keys()] });

/** Some items, and the position of each one in columns. */
interface PlacedItems {
  readonly items: readonly Item[];
  /**
   * Positions of `items` in the columns, ascending. A position after the last item of the columns
   * adds an item.
   */
  readonly positions: readonly number[];
}

/**
 * Returns the columns after some of their items changed. Copies the values of the other items, and
 * builds no items.
 */
function withItems({ fields, readings }: ItemColumns, changed: PlacedItems): ItemColumns {
  const { items, positions } = changed;
  const after: Record<string, readonly unknown[]> = {};
  const count = Math.max(fields.id?.length ?? 0, (positions.at(-1) ?? -1) + 1);
  for (const name of fieldNames) {
    const column: unknown[] = fields[name]?.slice() ?? Array(count).fill(blank[name]);
    for (const [n, item] of items.entries()) {
      column[positions[n] ?? 0] = name === "openChanges" ? storedChanges(item) : item[name];
    }
    if (column.some((value) => !isSame(value, blank[name]))) after[name] = column;
  }
  const stored = new Map(readings);
  const kinds = kindsByWeight.flatMap((kind) => {
    const before = stored.get(kind);
    const snapshots = items.map((item) => item.readings[kind]);
    if (before === undefined && snapshots.every((one) => one === undefined)) return [];
    return [[kind, withSnapshots(before, { snapshots, positions, count })] as const];
  });
  return { fields: after, readings: kinds };
}

/**
 * Returns true if a value equals `other`, the value of a new item. An empty array or object always
 * equals it, because a new item has no other arrays and objects.
 */
const isSame = (value: unknown, other: unknown): boolean => value === other || isEmpty(value);

function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

interface PlacedSnapshots extends Pick<PlacedItems, "positions"> {
  /** The reading of each item; undefined for an item without a reading of this kind. */
  readonly snapshots: readonly (Snapshot | undefined)[];
  /** Number of items in the columns. */
  readonly count: number;
}

/** Returns the columns of one kind of readings after some of their items changed. */
function withSnapshots(
  { has, fields }: SnapshotColumns = { has: [], fields: [] },
  { snapshots, positions, count }: PlacedSnapshots,
): SnapshotColumns {
  const flags = has.length === 0 ? Array<boolean>(count).fill(false) : has.slice();
  const known = new Map(fields);
  const names = new Set(known.keys());
  for (const [n, snapshot] of snapshots.entries()) {
    flags[positions[n] ?? 0] = snapshot !== undefined;
    for (const name in snapshot) names.add(name);
  }
  const columns = [...names].map((name) => {
    const column = known.get(name)?.slice() ?? Array.from({ length: count }, () => absent);
    for (const [n, snapshot] of snapshots.entries()) {
      column[positions[n] ?? 0] =
        snapshot !== undefined && Object.hasOwn(snapshot, name) ? (snapshot[name] ?? null) : absent;
    }
    return [name, column] as const;
  });
  return { has: flags, fields: columns.filter(([, column]) => !column.every(isAbsent)) };
}

/** Converts columns to items. Fills absent columns with the defaults of a new item. */
export const fromColumns = (columns: ItemColumns): Item[] => itemsIn(columns, () => true);

/** Converts columns to items, but only the items for whose ID `isSelected` returns true. */
export function itemsIn(columns: ItemColumns, isSelected: (id: string) => boolean): Item[] {
  const items: Item[] = [];
  for (const [n, id] of (columns.fields.id ?? []).entries()) {
    if (isSelected(id)) items.push(itemAt(columns, { n, id }));
  }
  return items;
}

/** Builds the item at position `n`, whose ID is `id`. */
function itemAt(
  { fields, readings }: ItemColumns,
  { n, id }: { readonly n: number; readonly id: string },
): Item {
  const { openChanges, routeStates } = changesOf(valueAt(fields.openChanges, n, blank.openChanges));
  // An object literal with all members is built several times faster than an object to which they
  // are added one by one.
  const item = {
    id,
    state: valueAt(fields.state, n, blank.state),
    addedAt: valueAt(fields.addedAt, n, blank.addedAt),
    firstReadAt: valueAt(fields.firstReadAt, n, blank.firstReadAt),
    lastReadStatus: valueAt(fields.lastReadStatus, n, blank.lastReadStatus),
    consecutiveFailures: valueAt(fields.consecutiveFailures, n, blank.consecutiveFailures),
    readings: readingsAt(readings, n),
    openChanges,
    snapshotAt: valueAt(fields.snapshotAt, n, blank.snapshotAt),
    lastChange: valueAt(fields.lastChange, n, blank.lastChange),
    delistedAt: valueAt(fields.delistedAt, n, blank.delistedAt),
    buyboxOfferId: valueAt(fields.buyboxOfferId, n, blank.buyboxOfferId),
    owes: owedAt(fields, n),
    revision: valueAt(fields.revision, n, blank.revision),
  };
  return routeStates === undefined ? item : Object.assign(item, { routeStates });
}

/** The fields of an item that decide at which steps of a run it starts. */
export type ItemHead = Pick<Item, "id" | "state" | "owes">;

/** Returns the head of each item (the few values that a plan needs), without decoding the rest. */
export const headsIn = ({ fields }: ItemColumns): ItemHead[] =>
  (fields.id ?? []).map((id, n) => ({
    id,
    state: valueAt(fields.state, n, blank.state),
    owes: owedAt(fields, n),
  }));

/** The times at which an item changed or was delisted. */
export type ChangeTimes = Pick<Item, "lastChange" | "delistedAt">;

/** Returns, for each item in the columns, when it last changed and when it was delisted. */
export const changeTimesIn = ({ fields: { id = [], ...fields } }: ItemColumns): ChangeTimes[] =>
  id.map((_, n) => ({
    lastChange: valueAt(fields.lastChange, n, blank.lastChange),
    delistedAt: valueAt(fields.delistedAt, n, blank.delistedAt),
  }));

/**
 * Returns the columns after some of their items changed. Each item of `changed` replaces the item
 * that has the same ID. Builds no items.
 * @param changed items of the columns, sorted by ID
 * @throws Error if the columns lack one of these items
 */
export function withChanged(columns: ItemColumns, changed: readonly Item[]): ItemColumns {
  if (changed.length === 0) return columns;
  const wanted = new Set(changed.map(({ id }) => id));
  const positions = [...(columns.fields.id ?? []).keys()].filter((n) =>
    wanted.has(columns.fields.id?.[n] ?? ""),
  );
  assert(positions.length === changed.length, "every changed item must be in the columns");
  return withItems(columns, { items: changed, positions });
}

/** Returns a value of a column; `missing` if the column is absent. */
const valueAt = <Value>(column: readonly Value[] | undefined, n: number, missing: Value): Value => {
  const value = column?.[n];
  return value === undefined ? missing : value;
};

/**
 * Returns the owed retries of the item at position `n`. Earlier releases stored only the step ID of
 * a retry.
 */
function owedAt({ owes }: ItemColumns["fields"], n: number): Item["owes"] {
  const stored = owes?.[n] as readonly (OwedRetry | string)[] | undefined;
  if (stored === undefined || stored.length === 0) return blank.owes;
  return stored.map((owed) => (typeof owed === "string" ? { step: owed } : owed));
}

function readingsAt(readings: ItemColumns["readings"], n: number): Item["readings"] {
  const foundReadings: Partial<Record<ReadingKind, Snapshot>> = {};
  for (const [kind, { has, fields }] of readings) {
    if (has[n] === true) foundReadings[kind] = snapshotAt(fields, n);
  }
  return foundReadings;
}

/**
 * Key of an item's route states among its stored open changes. No field has this name. When the
 * previous release writes an item, it keeps open changes of unknown fields, so it also keeps the
 * route states (ADR 0028).
 */
const statesName = "";

/** Returns the stored form of an item's open changes and route states. */
const storedChanges = ({ openChanges, routeStates }: Item): unknown =>
  routeStates === undefined ? openChanges : { ...openChanges, [statesName]: routeStates };

/** Reverses `storedChanges`. */
function changesOf(stored: unknown): Pick<Item, "openChanges" | "routeStates"> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `storedChanges` made it
  const all = stored as Item["openChanges"] & { readonly [statesName]?: RouteStates };
  if (all[statesName] === undefined) return { openChanges: all };
  const { [statesName]: routeStates, ...openChanges } = all;
  return { openChanges, routeStates };
}

function snapshotAt(fields: SnapshotColumns["fields"], n: number): Snapshot {
  const snapshot: Record<string, FieldValue> = {};
  for (const [name, column] of fields) {
    const value = column[n];
    if (value === undefined || isAbsent(value)) continue;
    if (name === "__proto__") Object.defineProperty(snapshot, name, { ...plain, value });
    else snapshot[name] = value;
  }
  return snapshot;
}

const plain = { configurable: true, enumerable: true, writable: true };
const isAbsent = (value: FieldValue | Absent): value is Absent => Array.isArray(value);
