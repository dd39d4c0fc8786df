import { type FieldValue, type Snapshot, stepScrapers } from "../scrapers/catalogue.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { areEqual, changedFields, type FieldChanges } from "./compare.ts";
import { nextOf, type Op, type Route, type Step, type When } from "./definition.ts";

/** What a step found out about an item, as far as its routes look at it. */
export interface ReadingFacts {
  readonly status: ReadStatus;
  /** This is the first read of the item of all. */
  readonly firstRead: boolean;
  /** The last reading of the same kind; null: the item was never read at this kind. */
  readonly before: Snapshot | null;
  /** This reading; null unless the status is ok. */
  readonly after: Snapshot | null;
  /** The last known values of its fields, from whichever kind of read. */
  readonly known: Snapshot;
  /** Fields of which a changed event has reported the last change. */
  readonly notified: ReadonlySet<string>;
  /** Derived fields, such as buyboxAboveLowest; a field that cannot be worked out is absent. */
  readonly derived: Snapshot;
}

/** What a step's routes do with an item. */
export interface RouteMatches {
  /**
   * New changes, and those that are reported now, of tracked fields and of fields named by `changed`
   * routes that matched.
   */
  readonly changes: FieldChanges;
  /** One of the changes is new: no read before has shown it. */
  readonly hasNews: boolean;
  readonly trackedMoved: boolean;
  /** A `changed` route with `notify` matched by a change that has not been reported: they all are now. */
  readonly notifyChanged: boolean;
  /** The branches of the other routes with `notify` that matched, unique, in route order. */
  readonly matched: readonly When[];
  /** The steps that the item takes next, unique, in route order. */
  readonly next: readonly string[];
}

/** The facts, with what moved worked out once for all routes of a step. */
interface Outcome extends ReadingFacts {
  /** Tracked and testable fields that moved. */
  readonly moved: FieldChanges;
  readonly trackedMoved: boolean;
}

/**
 * Which routes of a step an item takes (specification, section "Pipeline"). An item that was never
 * read at this kind is neither `changed` nor `unchanged`.
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
  /** Fields that moved since the last read of the same kind. */
  readonly moved: FieldChanges;
  /** The routes that the item takes. */
  readonly routes: readonly Route[];
  /** Those of them with `notify`. */
  readonly reporting: readonly Route[];
}

/**
 * Which changes a read records and reports. Two comparisons answer two questions:
 *
 * - What do routes take? A read is compared with the last read of the same kind (specification,
 *   section "Pipeline"), so that a step sees every change since it last read the item, also one that
 *   another scraper saw first: a pulse that sends an item to lite leaves the change to lite's routes.
 * - What is new? A read is compared with the last known values, from whichever kind of read: a change
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

/** Whether a route takes an item with this outcome, by the route's `when`. */
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

/** A field that was not observed passes no test; null is a value, but no number. */
function passesTest({ after, derived, moved }: Outcome, { field, op, value }: Route): boolean {
  if (field === undefined || op === undefined) return false;
  const is = after?.[field] === undefined ? derived[field] : after[field];
  return is !== undefined && passes[op]({ field, was: moved[field]?.before, is, value });
}

interface Test {
  readonly field: string;
  /** Undefined when the field did not move. */
  readonly was: FieldValue | undefined;
  readonly is: FieldValue;
  /** What the route compares with. */
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
 * The last reading of a kind with what a new one shows: what moved and what was seen for the first
 * time. A price that drifts by less than half a cent keeps its stored value, so that a slow drift
 * is reported once it adds up; a field that was not observed this time keeps its last value. With
 * nothing new it is `before` itself.
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
 * The derived field of a pulse: the buy-box price last seen by a product read is above the lowest
 * new price seen now. Undefined when either is not known or there is none.
 */
export function buyboxAboveLowest(product: Snapshot | null, pulse: Snapshot): boolean | undefined {
  const price = product?.["price"];
  const lowest = pulse["newMinPrice"];
  if (typeof price !== "number" || typeof lowest !== "number") return undefined;
  return price > lowest && !areEqual("price", price, lowest);
}
