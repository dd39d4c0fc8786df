import { type FieldValue, type Snapshot, stepScrapers } from "../scrapers/catalogue.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { areEqual, changedFields, type FieldChanges } from "./compare.ts";
import { nextOf, type Op, type Route, type Step, type When } from "./definition.ts";

/** Facts about the read of an item. The routes of a step test them. */
export interface ReadingFacts {
  readonly status: ReadStatus;
  /** True if the item had no read before this one. */
  readonly firstRead: boolean;
  /** Last reading of the same kind; null if there is none. */
  readonly before: Snapshot | null;
  /** This reading; null unless the status is ok. */
  readonly after: Snapshot | null;
  /** Last known values of the fields that this step reads, from readings of any kind. */
  readonly known: Snapshot;
  /** Fields whose last change a `watchlist.product.changed` event has reported. */
  readonly notified: ReadonlySet<string>;
  /** Derived fields, such as `buyboxAboveLowest`. A field that cannot be derived is absent. */
  readonly derived: Snapshot;
}

/** The routes of a step that an item matches. */
export interface RouteMatches {
  /**
   * Changes to store: new changes and changes that an event reports now. Contains only tracked
   * fields and fields that matching `changed` routes name.
   */
  readonly changes: FieldChanges;
  /** True if at least one of the changes is new: no earlier read found it. */
  readonly hasNews: boolean;
  readonly trackedChanged: boolean;
  /** True if a change that no event has reported yet matched a `changed` route with `notify`. */
  readonly notifyChanged: boolean;
  /**
   * `when` of the matching routes with `notify`, except `changed`; without duplicates, in route
   * order.
   */
  readonly matched: readonly When[];
  /** IDs of the steps to which the item is routed, without duplicates, in route order. */
  readonly next: readonly string[];
}

/** The facts and the changed fields. Calculated once for all routes of a step. */
interface Outcome extends ReadingFacts {
  /** Changed fields since the last reading of the same kind. */
  readonly changed: FieldChanges;
  readonly trackedChanged: boolean;
}

/**
 * Matches the routes of a step (specification, section "Pipeline"). An item without an earlier
 * reading of the same kind is neither `changed` nor `unchanged`.
 */
export function matchRoutes(step: Step, facts: ReadingFacts): RouteMatches {
  const { trackedFields, fieldTypes } = stepScrapers[step.scraper];
  const { before, after } = facts;
  const changed =
    before === null || after === null ? {} : changedFields(before, after, Object.keys(fieldTypes));
  const trackedChanged = trackedFields.some((field) => changed[field] !== undefined);
  const outcome = { ...facts, changed, trackedChanged };
  const routes = step.routes.filter((route) => takes[route.when](outcome, route));
  const reporting = routes.filter(({ notify }) => notify === true);
  const reported = reporting.map(({ when }) => when);
  return {
    ...changesIn({ step, facts, changed, routes, reporting }),
    trackedChanged,
    matched: [...new Set(reported.filter((when) => when !== "changed"))],
    next: [...new Set(nextOf({ routes }))],
  };
}

interface Matched {
  readonly step: Step;
  readonly facts: ReadingFacts;
  /** Changed fields since the last reading of the same kind. */
  readonly changed: FieldChanges;
  /** The matching routes. */
  readonly routes: readonly Route[];
  /** The matching routes with `notify`. */
  readonly reporting: readonly Route[];
}

/**
 * The changes that a read stores and reports. It makes two comparisons:
 *
 * - For routes, it compares the read with the last read of the same kind (specification, section
 *   "Pipeline"). So a step sees every change since it last read the item, even if another scraper
 *   saw the change first. Example: a pulse sees a change and routes the item to lite, whose routes
 *   must still match the change.
 * - For new changes, it compares the read with the last known values from reads of any kind. If two
 *   scrapers see a change, in one run or in two, it is new only once. Only new changes are counted.
 *
 * A step reports a change that matches its routes, unless an event has already reported the change.
 * So each change is counted once and reported at most once, and a step whose routes match a change
 * never misses it.
 */
function changesIn({ step, facts, changed, routes, reporting }: Matched) {
  const { trackedFields, fieldTypes } = stepScrapers[step.scraper];
  const { known, after, notified } = facts;
  const news = after === null ? {} : changedFields(known, after, Object.keys(fieldTypes));
  const isNew = (field: string): boolean => news[field] !== undefined;
  const isUnreported = (field: string): boolean => isNew(field) || !notified.has(field);
  const changedTracked = trackedFields.filter((field) => changed[field] !== undefined);
  const notifyChanged = reporting.some(
    ({ when, field }) =>
      when === "changed" && (field === undefined ? changedTracked : [field]).some(isUnreported),
  );
  const counted = only({ ...news, ...changed }, [...trackedFields, ...fieldsNamedBy(routes)]);
  const fields = Object.keys(counted).filter(notifyChanged ? isUnreported : isNew);
  return { changes: only(counted, fields), hasNews: fields.some(isNew), notifyChanged };
}

const only = (changed: FieldChanges, fields: readonly string[]): FieldChanges =>
  Object.fromEntries(Object.entries(changed).filter(([field]) => fields.includes(field)));

const fieldsNamedBy = (routes: readonly Route[]): readonly string[] =>
  routes.flatMap(({ when, field }) => (when === "changed" && field !== undefined ? [field] : []));

/** Predicates by the `when` of a route: each returns true if an item matches the route. */
const takes: Readonly<Record<When, (outcome: Outcome, route: Route) => boolean>> = {
  new: ({ status, firstRead }) => status === "ok" && firstRead,
  changed: isChanged,
  unchanged: ({ status, before, trackedChanged }) =>
    status === "ok" && before !== null && !trackedChanged,
  ok: (outcome, route) =>
    outcome.status === "ok" && (route.op === undefined || passesTest(outcome, route)),
  failed: ({ status }) => status === "unavailable" || status === "partial",
  not_found: ({ status }) => status === "not_found",
  always: ({ status }) => status === "ok" || status === "not_found",
};

function isChanged(outcome: Outcome, route: Route): boolean {
  if (route.field === undefined) return outcome.trackedChanged;
  if (outcome.changed[route.field] === undefined) return false;
  return route.op === undefined || passesTest(outcome, route);
}

/**
 * Returns true if a field passes a route's test. An absent field passes no test. A null value
 * passes only `is_not`.
 */
function passesTest({ after, derived, changed }: Outcome, { field, op, value }: Route): boolean {
  if (field === undefined || op === undefined) return false;
  const is = after?.[field] === undefined ? derived[field] : after[field];
  return is !== undefined && passes[op]({ field, was: changed[field]?.before, is, value });
}

interface Test {
  readonly field: string;
  /** Earlier value; undefined if the field did not change. */
  readonly was: FieldValue | undefined;
  readonly is: FieldValue;
  /** Value to compare with, from the route. */
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
 * Merges a new reading into the last one of its kind: adds new fields and replaces changed values.
 * A field that is absent in `observed` keeps its last value. A price that changes by at most half a
 * cent also keeps its stored value, so a slow drift is detected when the changes add up. Returns
 * `before` itself if nothing differs.
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
 * The derived field of a pulse: compares the buy-box price of the last product read with the lowest
 * new price of the pulse. True if the buy-box price is higher by more than half a cent. Undefined
 * if either price is unknown or null.
 */
export function buyboxAboveLowest(product: Snapshot | null, pulse: Snapshot): boolean | undefined {
  const price = product?.["price"];
  const lowest = pulse["newMinPrice"];
  if (typeof price !== "number" || typeof lowest !== "number") return undefined;
  return price > lowest && !areEqual("price", price, lowest);
}
