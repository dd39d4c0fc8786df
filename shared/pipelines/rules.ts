import { type FieldValue, type Snapshot, stepScrapers } from "../scrapers/catalogue.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { areEqual, changedFields, type FieldChanges } from "./compare.ts";
import { nextOf, type Op, type Route, type Step, type When } from "./definition.ts";

/** The facts about an item that routes of a step test. */
export interface ReadingFacts {
  readonly status: ReadStatus;
  /** True for the first read of the item. */
  readonly firstRead: boolean;
  /** The last reading of the same kind; null if there is none. */
  readonly before: Snapshot | null;
  /** This reading; null unless the status is ok. */
  readonly after: Snapshot | null;
  /** The last known values of its fields, from readings of any kind. */
  readonly known: Snapshot;
  /** Fields of which a changed event has reported the last change. */
  readonly notified: ReadonlySet<string>;
  /** Derived fields, such as buyboxAboveLowest, if they can be derived. */
  readonly derived: Snapshot;
}

/** The routes of a step that an item matches. */
export interface RouteMatches {
  /**
   * New changes, and those that are reported now, of tracked fields and of fields named by `changed`
   * routes that matched.
   */
  readonly changes: FieldChanges;
  /** True if one of the changes is new: no earlier read has it. */
  readonly hasNews: boolean;
  readonly trackedMoved: boolean;
  /** True if a change that was not reported yet matched a `changed` route with `notify`. */
  readonly notifyChanged: boolean;
  /** The branches of the other routes with `notify` that matched, unique, in route order. */
  readonly matched: readonly When[];
  /** IDs of the steps to which the item is routed, unique, in route order. */
  readonly next: readonly string[];
}

/** The facts with the changed fields, calculated once for all routes of a step. */
interface Outcome extends ReadingFacts {
  /** Changed tracked and testable fields. */
  readonly moved: FieldChanges;
  readonly trackedMoved: boolean;
}

/**
 * Matches the routes of a step (specification, section "Pipeline"). An item without a reading of this
 * kind is neither `changed` nor `unchanged`.
 */
export function matchRoutes(step: Step, facts: ReadingFacts): RouteMatches {
  const { trackedFields, fieldTypes } = stepScrapers[step.scraper];
  const { before, after } = facts;
  const moved =
    before === null || after === null ? {} : changedFields(before, after, Object.keys(fieldTypes));
  const trackedMoved = trackedFields.some((field) => moved[field] !== undefined);
  const outcome = { ...facts, moved, trackedMoved };
  const routes = step.routes.filter((route) => takes[route.when](outcome, route));
  const reporting = routes.filter(({ notify }) => notify === true);
  const reported = reporting.map(({ when }) => when);
  return {
    ...changesIn({ step, facts, moved, routes, reporting }),
    trackedMoved,
    matched: [...new Set(reported.filter((when) => when !== "changed"))],
    next: [...new Set(nextOf({ routes }))],
  };
}

interface Matched {
  readonly step: Step;
  readonly facts: ReadingFacts;
  /** Fields that changed since the last read of the same kind. */
  readonly moved: FieldChanges;
  /** The matching routes. */
  readonly routes: readonly Route[];
  /** The matching routes with `notify`. */
  readonly reporting: readonly Route[];
}

/**
 * The changes that a read records and reports. Two comparisons have two purposes:
 *
 * - Routes: a read is compared with the last read of the same kind (specification,
 *   section "Pipeline"), so that a step sees every change since it last read the item, also one that
 *   another scraper saw first: a pulse that sends an item to lite leaves the change to lite's routes.
 * - New changes: a read is compared with the last known values from reads of any kind. A change
 *   that two scrapers see, in one run or in two, is new once. Only new changes are counted.
 *
 * A step reports the changes that its routes take unless an event has reported them before: a new
 * change always, one that another scraper saw first when no step has reported it yet. So each change
 * is counted once, reported at most once, and never lost to a step that asks for it.
 */
function changesIn({ step, facts, moved, routes, reporting }: Matched) {
  const { trackedFields, fieldTypes } = stepScrapers[step.scraper];
  const { known, after, notified } = facts;
  const news = after === null ? {} : changedFields(known, after, Object.keys(fieldTypes));
  const isNew = (field: string): boolean => news[field] !== undefined;
  const isUnreported = (field: string): boolean => isNew(field) || !notified.has(field);
  const movedTracked = trackedFields.filter((field) => moved[field] !== undefined);
  const notifyChanged = reporting.some(
    ({ when, field }) =>
      when === "changed" && (field === undefined ? movedTracked : [field]).some(isUnreported),
  );
  const counted = only({ ...news, ...moved }, [...trackedFields, ...fieldsNamedBy(routes)]);
  const fields = Object.keys(counted).filter(notifyChanged ? isUnreported : isNew);
  return { changes: only(counted, fields), hasNews: fields.some(isNew), notifyChanged };
}

const only = (moved: FieldChanges, fields: readonly string[]): FieldChanges =>
  Object.fromEntries(Object.entries(moved).filter(([field]) => fields.includes(field)));

const fieldsNamedBy = (routes: readonly Route[]): readonly string[] =>
  routes.flatMap(({ when, field }) => (when === "changed" && field !== undefined ? [field] : []));

/** True if an outcome matches a route's `when`. */
const takes: Readonly<Record<When, (outcome: Outcome, route: Route) => boolean>> = {
  new: ({ status, firstRead }) => status === "ok" && firstRead,
  changed: isChanged,
  unchanged: ({ status, before, trackedMoved }) =>
    status === "ok" && before !== null && !trackedMoved,
  ok: (outcome, route) =>
    outcome.status === "ok" && (route.op === undefined || passesTest(outcome, route)),
  failed: ({ status }) => status === "unavailable" || status === "partial",
  not_found: ({ status }) => status === "not_found",
  always: ({ status }) => status === "ok" || status === "not_found",
};

function isChanged(outcome: Outcome, route: Route): boolean {
  if (route.field === undefined) return outcome.trackedMoved;
  if (outcome.moved[route.field] === undefined) return false;
  return route.op === undefined || passesTest(outcome, route);
}

/** True if a field passes a route's test. An absent field passes none; null is a value, but no number. */
function passesTest({ after, derived, moved }: Outcome, { field, op, value }: Route): boolean {
  if (field === undefined || op === undefined) return false;
  const is = after?.[field] === undefined ? derived[field] : after[field];
  return is !== undefined && passes[op]({ field, was: moved[field]?.before, is, value });
}

interface Test {
  readonly field: string;
  /** Undefined if the field did not change. */
  readonly was: FieldValue | undefined;
  readonly is: FieldValue;
  /** Value of the route. */
  readonly value: FieldValue | undefined;
}

const passes: Readonly<Record<Op, (test: Test) => boolean>> = {
  increased: ({ is, was }) => isAbove(is, was),
  decreased: ({ is, was }) => isAbove(was, is),
  below: ({ is, value }) => isAbove(value, is),
  above: ({ is, value }) => isAbove(is, value),
  is: ({ field, is, value }) => isEqual(field, is, value),
  is_not: ({ field, is, value }) => !isEqual(field, is, value),
};

const isAbove = (one: FieldValue | undefined, other: FieldValue | undefined): boolean =>
  typeof one === "number" && typeof other === "number" && one > other;

const isEqual = (field: string, is: FieldValue, value: FieldValue | undefined): boolean =>
  value !== undefined && areEqual(field, is, value);

/**
 * Merges a new reading into the last one of its kind: adds changed and new fields. A price that
 * changes by less than half a cent keeps its stored value, so that a slow drift is reported once it
 * adds up. An absent field keeps its last value. Returns `before` itself if nothing differs.
 */
export function mergedReading(before: Snapshot | null, observed: Snapshot): Snapshot {
  if (before === null) return observed;
  const news = Object.entries(observed).filter(([field, is]) => {
    const was = before[field];
    return was === undefined || !areEqual(field, was, is);
  });
  return news.length === 0 ? before : { ...before, ...Object.fromEntries(news) };
}

/**
 * The derived field of a pulse: true if the buy-box price of the last product read is above the
 * current lowest new price. Undefined if either is unknown or null.
 */
export function buyboxAboveLowest(product: Snapshot | null, pulse: Snapshot): boolean | undefined {
  const price = product?.["price"];
  const lowest = pulse["newMinPrice"];
  if (typeof price !== "number" || typeof lowest !== "number") return undefined;
  return price > lowest && !areEqual("price", price, lowest);
}
