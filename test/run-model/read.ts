import {
  type Metadata,
  type Pipeline,
  readingKind,
  type Route,
  type Step,
} from "../../shared/pipelines/definition.ts";
import { type ReadingKind, type Snapshot, stepScrapers } from "../../shared/scrapers/catalog.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";
import {
  decideChanged,
  decideLevel,
  isGated,
  type ModelRouteStates,
  routeStatesOf,
  routeStateOf,
  noteReading,
  passesAll,
  type ModelRouteState,
  type RoutePart,
  statefulParts,
  wantedValue,
} from "./route.ts";
import type { ModelAnswer } from "./answers.ts";
import { derivedPriceNames, derivedPrices } from "./derived-prices.ts";
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
  /** The metadata that a client has stored with the item. */
  readonly metadata: Metadata;
  readonly offer: string | null | undefined;
  /** The states of the pipeline's routes before the read. */
  readonly routeStates: ModelRouteStates;
  /** Time of the read in milliseconds since 1970. */
  readonly at: number;
}

/** An item before a read. */
export interface ReadItem {
  readonly known: Known;
  readonly routeStates: ModelRouteStates;
}

/** Returns the read of an item at a step, from the answer of its source. */
export function read(
  {
    step,
    item: { known, routeStates },
    metadata,
    isNew,
    at,
  }: Pick<Reading, "metadata"> & {
    readonly step: Step;
    readonly item: ReadItem;
    readonly isNew: boolean;
    readonly at: number;
  },
  { status, seen, offer }: ModelAnswer,
): Reading {
  const last = known.readings[readingKind(step)];
  const isFirst = status === "ok" && isNew;
  return { status, isFirst, last, seen, before: known, metadata, offer, routeStates, at };
}

/** The effects of a read at a step. */
export interface Verdict {
  /**
   * The routes of the step that the item takes. A route that has only one of its two effects at
   * this read lacks the key of the other effect, `run` or `notify`.
   */
  readonly routes: readonly Route[];
  /**
   * The changes that the run records: the changes of tracked fields, and of fields that a matching
   * route names.
   */
  readonly changes: Changes;
  /** True if the value of at least one change differs from the newest known value of its field. */
  readonly isNewValue: boolean;
  /** True if a changed event contains the item. */
  readonly isReported: boolean;
  /** The changes that the changed event reports. */
  readonly reportedChanges: Changes;
  readonly after: Known;
  /** What the pipeline's routes store about the item after the read. */
  readonly routeStates: ModelRouteStates;
  /** All known values of the item after the read. */
  readonly view: Snapshot;
  /** The values that a matched event contains. */
  readonly values: Snapshot;
}

/** Returns the effects of a read at a step. */
export function evaluate(pipeline: Pipeline, step: Step, reading: Reading): Verdict {
  const { testableFields } = stepScrapers[step.scraper];
  const sinceLast = changedSinceLast(reading);
  const routeStates = routeStatesOf(pipeline, reading);
  const taken = takenRoutes({ step, reading, sinceLast }, routeStates);
  const routes = taken.map(({ route }) => route);
  const found = changesOf(step, { reading, sinceLast, taken });
  const after = knownAfter(pipeline, step, { reading, found });
  for (const { step: of, route, key } of statefulParts(pipeline)) {
    const kind = readingKind(of);
    noteReading(route, routeStateOf(routeStates, key), {
      before: reading.before.readings[kind] ?? {},
      after: after.readings[kind] ?? {},
      fields: stepScrapers[of.scraper].trackedFields,
    });
  }
  const view = everythingKnown(after) ?? {};
  const shown = { ...view, ...derivedFields(step, reading) };
  return {
    routes,
    ...found,
    after,
    routeStates,
    view,
    values:
      reading.status === "ok"
        ? only(shown, [...testableFields, "buyboxAboveLowest", ...namedIn(pipeline)])
        : view,
  };
}

/** Returns the names of those fields derived from prices that occur in a pipeline. */
const namedIn = (pipeline: Pipeline): readonly string[] =>
  derivedPriceNames.filter((name) => JSON.stringify(pipeline).includes(`"${name}"`));

type Found = Pick<Verdict, "changes" | "isNewValue" | "isReported" | "reportedChanges">;

/** A route that the item takes. */
interface Taken {
  readonly route: Route;
  /** The changes from the reference values; undefined for a route without reference values. */
  readonly changes?: Changes;
}

/** Returns the routes that the item takes. Changes the states of the step's routes. */
function takenRoutes(judged: Case, routeStates: ModelRouteStates): readonly Taken[] {
  const { step } = judged;
  const decided = new Map<string, Taken | null>();
  const stateful = statefulParts({ steps: [step] });
  return step.routes.flatMap((route): readonly Taken[] => {
    const parts = stateful.filter(({ whole }) => whole === route);
    if (parts.length === 0) return isTaken(route, judged) ? [{ route }] : [];
    return parts.flatMap((part) => {
      const known = decided.get(part.key);
      const taken = known === undefined ? takenPart(part, judged, routeStates) : known;
      decided.set(part.key, taken);
      return taken === null ? [] : [{ ...taken, route: part.route }];
    });
  });
}

function takenPart(
  { route, key }: RoutePart,
  judged: Case,
  routeStates: ModelRouteStates,
): Taken | null {
  const { step, reading } = judged;
  const routeState = routeStateOf(routeStates, key);
  if (route.when !== "changed") return isLevelTaken(route, routeState, judged) ? { route } : null;
  if (reading.status !== "ok" || reading.last === undefined) return null;
  const changes = decideChanged(route, routeState, {
    ...reading,
    last: reading.last,
    derived: derivedFields(step, reading),
    trackedFields: stepScrapers[step.scraper].trackedFields,
  });
  return Object.keys(changes).length === 0 ? null : { route, changes };
}

function isLevelTaken(route: Route, routeState: ModelRouteState, judged: Case): boolean {
  const { status, at } = judged.reading;
  const isHidden = !isAnswered(status) && route.when !== "failed";
  return decideLevel(route, routeState, { isMet: isHidden ? null : meets(route, judged), at });
}

/**
 * Returns true if a read meets the condition of a route; null if the read lacks a field that the
 * route tests.
 */
function meets(route: Route, judged: Case): boolean | null {
  const { step, reading } = judged;
  const { op: _op, value: _value, where: _where, ...untested } = route;
  if (!isTaken(untested, judged)) return false;
  return passesAll(route, { ...reading, derived: derivedFields(step, reading) });
}

/**
 * Returns the changes that a read reports and records. A change is new if its value differs from
 * the newest known value of the field, even if an older read has shown the value. A step with a
 * notifying `changed` route reports new changes and changes that no event has reported yet.
 */
function changesOf(
  step: Step,
  {
    reading,
    sinceLast,
    taken,
  }: Pick<Case, "reading" | "sinceLast"> & { readonly taken: readonly Taken[] },
): Found {
  const { trackedFields } = stepScrapers[step.scraper];
  const changed = taken.filter(({ route }) => route.when === "changed");
  const named = changed.flatMap(({ route: { field } }) => (field === undefined ? [] : [field]));
  const newValues = newValuesIn(step, reading);
  const isUnreported = (field: string): boolean =>
    field in newValues || (field in sinceLast && reading.before.newer[field]?.reported !== true);
  const notifying = changed.filter(({ route }) => route.notify === true);
  const [limited, plain] = [true, false].map((wanted) =>
    notifying.filter(({ route }) => isGated(route) === wanted),
  ) as [Taken[], Taken[]];
  const isPlainReported = plain.some(({ route: { field } }) =>
    field === undefined
      ? trackedFields.some((one) => one in sinceLast && isUnreported(one))
      : isUnreported(field),
  );
  const changes: Record<string, Changes[string]> = {};
  for (const field of new Set([...trackedFields, ...named])) {
    // A change begins with the value in the last reading of this kind if the new value differs from
    // that value. Otherwise the change begins with the newest known value.
    const change = sinceLast[field] ?? newValues[field];
    if (change !== undefined && (isPlainReported ? isUnreported(field) : field in newValues))
      changes[field] = change;
  }
  const isNewValue = Object.keys(changes).some((field) => field in newValues);
  const reportedChanges: Record<string, Changes[string]> = isPlainReported ? { ...changes } : {};
  showLastNumbers(reportedChanges, plain);
  const differences: Record<string, Changes[string]> = {};
  for (const { changes: some = {} } of limited) {
    for (const [field, change] of Object.entries(some)) differences[field] ??= change;
  }
  return {
    changes,
    isNewValue,
    isReported: isPlainReported || limited.length > 0,
    reportedChanges: Object.assign(reportedChanges, differences),
  };
}

/**
 * Replaces a null at the start of a reported change by the last known number. A route with a
 * direction compares with that number.
 */
function showLastNumbers(reported: Record<string, Changes[string]>, taken: readonly Taken[]): void {
  for (const { changes = {} } of taken) {
    for (const [field, change] of Object.entries(changes)) {
      if (reported[field]?.before === null) reported[field] = change;
    }
  }
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
  return { readings, newer: Object.fromEntries(left), prices: pricesAfter(reading) };
}

function pricesAfter({ seen, last, before: { prices = [] }, at }: Reading) {
  const { price } = refreshed(last, seen);
  return "price" in seen && price !== undefined ? [...prices, { at, price }] : prices;
}

function newerIn(step: Step, { reading: { seen, before }, reading, found }: Judged): Newer {
  const kind = readingKind(step);
  const newValues = newValuesIn(step, reading);
  const newer: Record<string, Newer[string]> = {};
  for (const [field, value] of Object.entries(seen)) {
    if (!sharers(field).includes(kind)) continue;
    const isNewValue = field in newValues;
    const known = newest(before, field, kind) ?? value;
    const isReportedNow = field in found.reportedChanges;
    const wasReported = !isNewValue && before.newer[field]?.reported === true;
    newer[field] = { value: isNewValue ? value : known, reported: isReportedNow || wasReported };
  }
  return newer;
}

/**
 * Returns true if the next pulse read need not find a change that this product read found: no route
 * of a pulse step would report the change, and none would run a step other than `step`.
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

function isTaken(route: Route, judged: Case): boolean {
  const { step, reading } = judged;
  const { where = [] } = route;
  const shown = { ...reading, derived: derivedFields(step, reading) };
  return isSelected(route, judged) && passesAll({ when: "ok", where }, shown) === true;
}

function isSelected(route: Route, { step, reading, sinceLast }: Case): boolean {
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
        : isChangeMet(route, sinceLast[route.field], { step, reading });
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
      throw new Error(
        `The model does not know the value of 'when' of the route (got ${JSON.stringify(route)}).`,
      );
  }
}

const isAnswered = (status: ReadStatus): boolean => status === "ok" || status === "not_found";

/**
 * Returns the fields whose values differ from the last reading of the same kind, with both values.
 * Returns an empty object for a first reading, and for every status except `ok`.
 */
function changedSinceLast({ status, last, seen }: Reading): Changes {
  if (status !== "ok" || last === undefined) return {};
  const sinceLast: Record<string, Changes[string]> = {};
  for (const [field, after] of Object.entries(seen)) {
    const before = last[field];
    if (before !== undefined && !isSame(field, before, after)) sinceLast[field] = { before, after };
  }
  return sinceLast;
}

function isChangeMet(
  route: Route,
  change: Changes[string] | undefined,
  { step, reading }: Pick<Case, "step" | "reading">,
): boolean {
  if (change === undefined) return false;
  const shown = { ...reading.seen, ...derivedFields(step, reading) };
  return isMet(route, change.after, { shown, metadata: reading.metadata });
}

function isValueMet(route: Route, { step, reading }: Pick<Case, "step" | "reading">): boolean {
  if (route.field === undefined || route.op === undefined) return true;
  const shown = { ...reading.seen, ...derivedFields(step, reading) };
  return isMet(route, shown[route.field], { shown, metadata: reading.metadata });
}

/**
 * Returns true if a value of a field meets a route's condition. A route without a condition accepts
 * every value. Returns false if the value, or the value to compare it with, was not read. Null is
 * neither above nor below any value.
 */
function isMet(
  route: Route,
  seen: Value | undefined,
  { shown, metadata }: { readonly shown: Snapshot; readonly metadata: Metadata },
): boolean {
  const { field = "", op } = route;
  const value = wantedValue({ field, value: route.value ?? "" }, { shown, metadata });
  if (seen === undefined || value === undefined) return false;
  if (op === "is") return isSame(field, seen, value);
  if (op === "is_not") return !isSame(field, seen, value);
  if (op === undefined) return true;
  if (typeof seen !== "number" || typeof value !== "number") return false;
  return op === "below" ? seen < value : seen > value;
}

/**
 * Returns the derived fields at a read. A read with a price has the fields that are derived from
 * earlier prices. A pulse has `buyboxAboveLowest`: whether the last buy-box price is above the
 * lowest price for new items in this read, if both are known. Any other read has none.
 */
function derivedFields({ scraper }: Step, { before, seen, last, at }: Reading): Snapshot {
  const { price: now } = refreshed(last, seen);
  if ("price" in seen && now !== undefined) {
    return derivedPrices(before.prices ?? [], { at, price: now });
  }
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
