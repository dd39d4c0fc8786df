import { isDeepStrictEqual } from "node:util";
import { areEqual } from "../pipelines/compare.ts";
import { type Pipeline, readingKind, type Step } from "../pipelines/definition.ts";
import { mergeReading, type RouteMatches } from "../pipelines/rules.ts";
import {
  type FieldValue,
  type ReadingKind,
  type Snapshot,
  stepScrapers,
} from "../scrapers/catalog.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";
import { type Item, knownValue, type OpenChange } from "../watchlists/item.ts";
import type { ItemOutcome } from "./item-outcome.ts";

interface GoodRead {
  readonly pipeline: Pipeline;
  readonly step: Step;
  readonly observed: Snapshot;
  readonly matches: Pick<RouteMatches, "changes" | "notifyChanged" | "reported">;
}

type Readings = Item["readings"];
/**
 * By field: the newest value, and whether an event has reported it. Contains only fields that
 * several kinds of readings share.
 */
type Changes = ReadonlyMap<string, OpenChange>;

/**
 * Returns the readings and open changes of an item after an `ok` read. Omits `readings` or
 * `openChanges` if they stay the same. A change is open while the stored reading of another kind
 * still has an older value of the field. Most open changes are not stored, because the readings
 * suffice to find the newest value. An open change is stored in two cases:
 * - the reading that takes precedence in a snapshot does not have the newest value;
 * - an event has reported the change.
 */
export function readingsAfter(
  item: Item,
  read: GoodRead,
): Pick<ItemOutcome, "readings" | "openChanges"> {
  const kind = readingKind(read.step);
  const changes = sharedChanges(item, kind, read);
  const readings = newReadings(item, read, changes);
  const openChanges = openAfter(item, {
    kind,
    changes,
    readings: { ...item.readings, ...readings },
  });
  return {
    ...(Object.keys(readings).length > 0 && { readings }),
    ...(!isDeepStrictEqual(openChanges, item.openChanges) && { openChanges }),
  };
}

/** Returns the newest values of those observed fields that several kinds of readings share. */
function sharedChanges(
  item: Item,
  kind: ReadingKind,
  { observed, matches: { changes, notifyChanged, reported = changes } }: GoodRead,
): Changes {
  const after = new Map<string, OpenChange>();
  for (const [field, is] of Object.entries(observed)) {
    if (kindsSharing(field, kind).length === 1) continue;
    const was = knownValue(item, field, kind);
    const isReported = notifyChanged && reported[field] !== undefined;
    const isNew = was === undefined || !areEqual(field, was, is);
    const wasReported = item.openChanges[field]?.notified === true;
    after.set(field, {
      value: isNew ? is : was,
      notified: isReported || (!isNew && wasReported),
    });
  }
  return after;
}

/** Returns the readings that differ from the stored ones. */
function newReadings(item: Item, read: GoodRead, changes: Changes): Readings {
  const { step, observed, pipeline } = read;
  const kind = readingKind(step);
  const readings: Partial<Record<ReadingKind, Snapshot>> = {};
  const refresh = (refreshed: ReadingKind, seen: Snapshot): void => {
    const before = item.readings[refreshed] ?? null;
    const merged = mergeReading(before, seen);
    if (merged !== before) readings[refreshed] = merged;
  };
  refresh(kind, observed);
  if (kind === "product") {
    const pulse: Record<string, FieldValue> = {};
    for (const field of stepScrapers["retailer_a.pulse"].trackedFields) {
      const value = observed[field];
      const isFirst = item.readings.pulse?.[field] === undefined;
      const isNotified = changes.get(field)?.notified === true;
      if (
        value !== undefined &&
        (isFirst || replacesPulseReading({ pipeline, step, field, isNotified }))
      ) {
        pulse[field] = value;
      }
    }
    // A product read without a pulse field must not store an empty pulse reading.
    if (Object.keys(pulse).length > 0) refresh("pulse", pulse);
  }
  return readings;
}

interface ProductField {
  readonly pipeline: Pipeline;
  readonly step: Step;
  readonly field: string;
  /** True if an event has reported the change of the field. */
  readonly isNotified: boolean;
}

/**
 * Returns true if a product read also updates this field in the pulse reading. Without the update,
 * the next pulse would detect the change again and route the item to another paid product read.
 * Returns false if a pulse route would route or notify differently from this read, because the next
 * pulse must then detect the change.
 */
const replacesPulseReading = ({ pipeline, step, field, isNotified }: ProductField): boolean =>
  pipeline.steps
    .filter((one) => readingKind(one) === "pulse")
    .flatMap(({ routes }) => routes)
    .filter((route) => route.when === "changed" && (route.field ?? field) === field)
    .every(({ run = step.id, notify }) => run === step.id && (notify !== true || isNotified));

interface After {
  readonly kind: ReadingKind;
  readonly changes: Changes;
  readonly readings: Readings;
}

/** Returns the open changes of an item after a read. */
function openAfter(item: Item, { kind, changes, readings }: After): Item["openChanges"] {
  const open = new Map(Object.entries(item.openChanges));
  for (const [field, change] of changes) {
    const isUnread = kindsSharing(field, kind).some((one) => {
      const value = readings[one]?.[field];
      return value !== undefined && !areEqual(field, value, change.value);
    });
    const reported = knownValue({ readings, openChanges: {} }, field, kind);
    const isReported = reported === change.value && !change.notified;
    if (isUnread && !isReported) open.set(field, change);
    else open.delete(field);
  }
  return Object.fromEntries(open);
}
