import {
  type Pipeline,
  readingKind,
  type Route,
  type Step,
} from "../../shared/pipelines/definition.ts";
import { type ReadingKind, type Snapshot, stepScrapers } from "../../shared/scrapers/catalogue.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";
import type { ModelAnswer } from "./answers.ts";
import {
  everythingKnown,
  isSame,
  type Known,
  newest,
  type Newer,
  refreshed,
  sharers,
} from "./fields.ts";

type Value = Snapshot[string];
export type Changes = Readonly<Record<string, { readonly before: Value; readonly after: Value }>>;

/** A read of an item at a step, with the values that were known before the read. */
export interface Reading {
  readonly status: ReadStatus;
  readonly isFirst: boolean;
  /** The last reading of the same kind; undefined if there is none. */
  readonly last: Snapshot | undefined;
  readonly seen: Snapshot;
  readonly before: Known;
  readonly offer: string | null | undefined;
}

/** Returns the read of an item at a step, from the answer of its source. */
export function read(
  { step, known, isNew }: { readonly step: Step; readonly known: Known; readonly isNew: boolean },
  { status, seen, offer }: ModelAnswer,
): Reading {
  const last = known.readings[readingKind(step)];
  return { status, isFirst: status === "ok" && isNew, last, seen, before: known, offer };
}

/** The effects of a read at a step. */
export interface Verdict {
  /** The routes of the step that the item takes. */
  readonly routes: readonly Route[];
  /**
   * The changes that the run records: those of tracked fields, and those of fields that a matching
   * route names.
   */
  readonly changes: Changes;
  /** True if at least one of the changes has a value that no earlier read has shown. */
  readonly isNewValue: boolean;
  /** True if a changed event contains the changes. */
  readonly isReported: boolean;
  readonly after: Known;
  /** All known values of the item after the read. */
  readonly view: Snapshot;
  /** The values that a matched event contains. */
  readonly values: Snapshot;
}

/** Returns the effects of a read at a step. */
export function evaluate(pipeline: Pipeline, step: Step, reading: Reading): Verdict {
  const { testableFields } = stepScrapers[step.scraper];
  const sinceLast = changedSinceLast(reading);
  const routes = step.routes.filter((route) => isTaken(route, { step, reading, sinceLast }));
  const found = changesOf(step, { reading, sinceLast, routes });
  const after = knownAfter(pipeline, step, { reading, found });
  const view = everythingKnown(after) ?? {};
  const shown = { ...view, ...derivedFields(step, reading) };
  return {
    routes,
    ...found,
    after,
    view,
    values: reading.status === "ok" ? only(shown, [...testableFields, "buyboxAboveLowest"]) : view,
  };
}

type Found = Pick<Verdict, "changes" | "isNewValue" | "isReported">;

/**
 * Returns the changes that a read reports and records. A change is new if no read has shown the
 * value before. A step with a notifying `changed` route reports new changes and changes that no
 * event has reported yet.
 */
function changesOf(
  step: Step,
  {
    reading,
    sinceLast,
    routes,
  }: Pick<Case, "reading" | "sinceLast"> & { readonly routes: readonly Route[] },
): Found {
  const { trackedFields } = stepScrapers[step.scraper];
  const changed = routes.filter(({ when }) => when === "changed");
  const named = changed.flatMap(({ field }) => (field === undefined ? [] : [field]));
  const newValues = newValuesIn(step, reading);
  const isUnreported = (field: string): boolean =>
    field in newValues || (field in sinceLast && reading.before.newer[field]?.reported !== true);
  const isReported = changed
    .filter(({ notify }) => notify === true)
    .some(({ field }) =>
      field === undefined
        ? trackedFields.some((one) => one in sinceLast && isUnreported(one))
        : isUnreported(field),
    );
  const changes: Record<string, Changes[string]> = {};
  for (const field of new Set([...trackedFields, ...named])) {
    // `before` of a change is the value in the last reading of this kind, if the new value differs
    // from that. Otherwise, it is the newest known value.
    const change = sinceLast[field] ?? newValues[field];
    if (change !== undefined && (isReported ? isUnreported(field) : field in newValues))
      changes[field] = change;
  }
  const isNewValue = Object.keys(changes).some((field) => field in newValues);
  return { changes, isNewValue, isReported };
}

/** Returns the fields whose value differs from the newest known value, with both values. */
function newValuesIn(step: Step, { status, seen, before }: Reading): Changes {
  const newValues: Record<string, Changes[string]> = {};
  if (status !== "ok") return newValues;
  for (const [field, after] of Object.entries(seen)) {
    const was = newest(before, field, readingKind(step));
    if (was !== undefined && !isSame(field, was, after)) newValues[field] = { before: was, after };
  }
  return newValues;
}

interface Judged {
  readonly reading: Reading;
  readonly found: Found;
}

function knownAfter(pipeline: Pipeline, step: Step, { reading, found }: Judged): Known {
  const { status, seen, before } = reading;
  if (status !== "ok") return before;
  const kind = readingKind(step);
  const readings: Partial<Record<ReadingKind, Snapshot>> = { ...before.readings };
  readings[kind] = refreshed(before.readings[kind], seen);
  const newer = { ...before.newer, ...newerIn(step, { reading, found }) };
  for (const [field, value] of Object.entries(seen)) {
    if (kind !== "product" || !sharers(field).includes("pulse")) continue;
    const isFirst = before.readings.pulse?.[field] === undefined;
    if (isFirst || isDone(pipeline, step, { field, isReported: newer[field]?.reported === true })) {
      readings.pulse = refreshed(readings.pulse, { [field]: value });
    }
  }
  // A newer value is stored only while another kind of reading still has an older value.
  const left = Object.entries(newer).filter(([field, { value }]) =>
    sharers(field).some((one) => {
      const known = readings[one]?.[field];
      return known !== undefined && !isSame(field, known, value);
    }),
  );
  return { readings, newer: Object.fromEntries(left) };
}

function newerIn(step: Step, { reading: { seen, before }, reading, found }: Judged): Newer {
  const kind = readingKind(step);
  const newValues = newValuesIn(step, reading);
  const newer: Record<string, Newer[string]> = {};
  for (const [field, value] of Object.entries(seen)) {
    if (!sharers(field).includes(kind)) continue;
    const isNewValue = field in newValues;
    const known = newest(before, field, kind) ?? value;
    const isReportedNow = found.isReported && field in found.changes;
    const wasReported = !isNewValue && before.newer[field]?.reported === true;
    newer[field] = { value: isNewValue ? value : known, reported: isReportedNow || wasReported };
  }
  return newer;
}

/**
 * Returns true if a pulse would have no further effect for a change that this product read found.
 */
function isDone(
  pipeline: Pipeline,
  step: Step,
  { field, isReported }: { readonly field: string; readonly isReported: boolean },
): boolean {
  for (const { scraper, routes } of pipeline.steps) {
    if (scraper !== "retailer_a.pulse") continue;
    for (const route of routes) {
      if (route.when !== "changed" || (route.field ?? field) !== field) continue;
      if (route.run !== undefined && route.run !== step.id) return false;
      if (route.notify === true && !isReported) return false;
    }
  }
  return true;
}

interface Case {
  readonly step: Step;
  readonly reading: Reading;
  readonly sinceLast: Changes;
}

function isTaken(route: Route, { step, reading, sinceLast }: Case): boolean {
  const { status, last } = reading;
  const isTrackedChanged = stepScrapers[step.scraper].trackedFields.some(
    (field) => field in sinceLast,
  );
  switch (route.when) {
    case "new":
      return reading.isFirst;
    case "changed":
      return route.field === undefined
        ? isTrackedChanged
        : isChangeMet(route, sinceLast[route.field]);
    case "unchanged":
      return status === "ok" && last !== undefined && !isTrackedChanged;
    case "ok":
      return status === "ok" && isValueMet(route, { step, reading });
    case "failed":
      return !isAnswered(status);
    case "not_found":
      return status === "not_found";
    case "always":
      return isAnswered(status);
    default:
      throw new Error("The route's 'when' is unknown");
  }
}

const isAnswered = (status: ReadStatus): boolean => status === "ok" || status === "not_found";

/** Returns the fields that differ from the last reading of this kind, with both values. */
function changedSinceLast({ status, last, seen }: Reading): Changes {
  if (status !== "ok" || last === undefined) return {};
  const sinceLast: Record<string, Changes[string]> = {};
  for (const [field, after] of Object.entries(seen)) {
    const before = last[field];
    if (before !== undefined && !isSame(field, before, after)) sinceLast[field] = { before, after };
  }
  return sinceLast;
}

function isChangeMet(route: Route, change: Changes[string] | undefined): boolean {
  if (change === undefined) return false;
  const { before, after } = change;
  if (route.op !== "increased" && route.op !== "decreased") return isMet(route, after);
  if (typeof before !== "number" || typeof after !== "number") return false;
  return route.op === "increased" ? after > before : after < before;
}

function isValueMet(route: Route, { step, reading }: Pick<Case, "step" | "reading">): boolean {
  if (route.field === undefined) return true;
  const shown = { ...reading.seen, ...derivedFields(step, reading) };
  return isMet(route, shown[route.field]);
}

/**
 * Returns true if a value meets a route's condition, or if the route has no condition. For an
 * unseen value, returns false in both cases. Null is neither above nor below any value.
 */
function isMet({ field = "", op, value = "" }: Route, seen: Value | undefined): boolean {
  if (seen === undefined) return false;
  if (op === "is") return isSame(field, seen, value);
  if (op === "is_not") return !isSame(field, seen, value);
  if (op === undefined) return true;
  if (typeof seen !== "number" || typeof value !== "number") return false;
  return op === "below" ? seen < value : seen > value;
}

/**
 * Returns the derived fields of a pulse: whether the last buy-box price is above the newest lowest
 * price for new items. Returns an empty object if either price is unknown, and for any other
 * scraper.
 */
function derivedFields({ scraper }: Step, { before, seen }: Reading): Snapshot {
  const price = before.readings.product?.["price"];
  const lowest = seen["newMinPrice"];
  if (scraper !== "retailer_a.pulse") return {};
  if (typeof price !== "number" || typeof lowest !== "number") return {};
  return { buyboxAboveLowest: price > lowest && !isSame("price", price, lowest) };
}

function only<Kept>(
  all: Readonly<Record<string, Kept>>,
  fields: readonly string[],
): Record<string, Kept> {
  return Object.fromEntries(Object.entries(all).filter(([field]) => fields.includes(field)));
}
