import { type Snapshot, stepScrapers } from "../scrapers/catalog.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { areEqual, changedFields, type FieldChanges } from "./compare.ts";
import { type ChangeDecision, decideChange } from "./decide-change.ts";
import { decideRoute } from "./decide-route.ts";
import { type Metadata, nextOf, type Route, type Step, type When } from "./definition.ts";
import { type Verdict, verdictOf } from "./field-tests.ts";
import {
  isGated,
  partsOf,
  type RoutePart,
  type RouteState,
  type RouteStates,
} from "./route-state.ts";

/** Facts about the read of an item, on which the routes of a step decide. */
export interface ReadingFacts {
  readonly status: ReadStatus;
  /** True if the item was never read before. */
  readonly firstRead: boolean;
  /** Last reading of the same kind; null if there is none. */
  readonly before: Snapshot | null;
  /** This reading; null unless the status is ok. */
  readonly after: Snapshot | null;
  /** Last known values of the fields that this step reads, from readings of any kind. */
  readonly known: Snapshot;
  /** Fields whose last change a `watchlist.product.changed` event has reported. */
  readonly notified: ReadonlySet<string>;
  /** Derived fields, such as `buyboxAboveLowest`. A field that cannot be calculated is absent. */
  readonly derived: Snapshot;
  /** Metadata of the item. A route can compare a field with a metadata value. @default none */
  readonly metadata?: Metadata;
}

/** The states that the routes of the pipeline have stored about the item before a read. */
export interface StoredStates {
  readonly states: RouteStates;
  /** Time of the read, ISO 8601. */
  readonly at: string;
}

const noStoredStates: StoredStates = { states: {}, at: new Date(0).toISOString() };

/** The routes of a step that an item matches. */
export interface RouteMatches {
  /**
   * Changes to store: new changes, and changes that an event reports now. They contain only tracked
   * fields and fields that matching `changed` routes name.
   */
  readonly changes: FieldChanges;
  /** True if at least one change is new: no earlier read observed it. */
  readonly hasNews: boolean;
  /** True if a tracked field changed since the last reading of the same kind. */
  readonly trackedChanged: boolean;
  /**
   * True if an event must report the changes: a `changed` route with `notify` matched a change that
   * no event has reported yet, or a difference from its reference value.
   */
  readonly notifyChanged: boolean;
  /**
   * The changes for the event, if they differ from `changes`, because a route reports the change
   * since its reference value.
   */
  readonly reported?: FieldChanges;
  /**
   * `when` of the matching routes with `notify`, except `changed`; without duplicates, in route
   * order.
   */
  readonly matched: readonly When[];
  /** IDs of the steps to which the item is routed, without duplicates, in route order. */
  readonly next: readonly string[];
  /** States of the step's routes after the read, by key; absent if no route has one. */
  readonly states?: RouteStates;
}

/**
 * The facts on which all routes of a step decide: the read, the route states of the item, and the
 * changed fields. They are calculated once for all routes.
 */
interface Outcome extends ReadingFacts, StoredStates {
  readonly trackedFields: readonly string[];
  /** The fields of the read and the derived fields. */
  readonly values: Snapshot;
  /** Changed fields since the last reading of the same kind. */
  readonly changed: FieldChanges;
  readonly trackedChanged: boolean;
}

/** The part of an outcome that the condition of a route tests. */
type Tested = Omit<Outcome, "known" | "notified" | "trackedFields" | keyof StoredStates>;

/**
 * Decides which routes of a step an item matches after a read (specification, section "Pipeline").
 * Returns the steps to which the item is routed, the changes to store and to report, and the new
 * states of the routes. The first reading of its kind is neither `changed` nor `unchanged`.
 * @param stored the stored route states of the item, and the time of the read; no states by default
 */
export function matchRoutes(
  step: Step,
  facts: ReadingFacts,
  stored: StoredStates = noStoredStates,
): RouteMatches {
  const { trackedFields, fieldNames } = stepScrapers[step.scraper];
  const { before, after } = facts;
  const changed = before === null || after === null ? {} : changedFields(before, after, fieldNames);
  const trackedChanged = trackedFields.some((field) => changed[field] !== undefined);
  const outcome: Outcome = {
    ...facts,
    ...stored,
    trackedFields,
    values: { ...facts.derived, ...after },
    changed,
    trackedChanged,
  };
  const decisions = partsOf(step).map((part) => decide(part, outcome));
  const matching = decisions.filter(({ matches }) => matches);
  const routes = matching.map(({ part }) => part.route);
  const reporting = matching.filter(({ part }) => part.route.notify === true);
  const reported = reporting.map(({ part }) => part.route.when);
  const states = statesIn(decisions);
  return {
    ...changesIn({ step, facts, changed, routes, reporting }),
    trackedChanged,
    matched: [...new Set(reported.filter((when) => when !== "changed"))],
    next: [...new Set(nextOf({ routes }))],
    ...(states !== undefined && { states }),
  };
}

/**
 * Returns true if an item matches no route of a step, after a read with status `ok` in which no
 * field changed. The routes of the step must not have a state.
 */
export function matchesNoRoute(
  step: Step,
  facts: Omit<ReadingFacts, "known" | "notified">,
): boolean {
  const outcome = {
    ...facts,
    changed: {},
    trackedChanged: false,
    values: { ...facts.derived, ...facts.after },
  };
  return step.routes.every((route) => conditionOf(route, outcome) !== "met");
}

interface Decision extends Partial<ChangeDecision> {
  readonly part: RoutePart;
  readonly matches: boolean;
}

/** Decides whether an item matches a part of a route. */
function decide(part: RoutePart, outcome: Outcome): Decision {
  const { route, key } = part;
  const { states, after, at } = outcome;
  if (key === null) return { part, matches: conditionOf(route, outcome) === "met" };
  const state = states[key] ?? {};
  if (route.when !== "changed") {
    return { part, ...decideRoute(route, state, { verdict: conditionOf(route, outcome), at }) };
  }
  return after === null
    ? { part, matches: false, state }
    : { part, ...decideChange(route, state, { ...outcome, after }) };
}

/** Returns the route states after a read, by key; undefined if no route has a state. */
function statesIn(decisions: readonly Decision[]): RouteStates | undefined {
  let states: Record<string, RouteState> | undefined;
  for (const { part, state } of decisions) {
    if (part.key === null || state === undefined || Object.keys(state).length === 0) continue;
    states ??= {};
    states[part.key] = state;
  }
  return states;
}

interface Matched {
  readonly step: Step;
  readonly facts: ReadingFacts;
  /** Changed fields since the last reading of the same kind. */
  readonly changed: FieldChanges;
  /** The matching routes. */
  readonly routes: readonly Route[];
  /** The matching routes with `notify`. */
  readonly reporting: readonly Decision[];
}

/**
 * Returns the changes that a read stores and reports. It makes two comparisons:
 * - For routes, it compares the read with the last read of the same kind (specification, section
 *   "Pipeline"). A step therefore detects every change since it last read the item, even if another
 *   scraper detected it first. Example: a pulse detects a change and routes the item to lite. The
 *   routes of lite must still match the change.
 * - For new changes, it compares the read with the last known values from reads of any kind. A
 *   change that two scrapers detect, in one run or in two, is therefore new only once. Only new
 *   changes are counted. A step reports a change that matches its routes, unless an event has
 *   already reported the change. Each change is therefore counted once and reported at most once,
 *   and a step does not miss a change that its routes match.
 *
 * A route with a reference value decides independently of other routes. It reports each difference
 * that it matches, even if another route has reported a part of the difference. If only such routes
 * match, the event contains only the fields that they match. A route with `increased` or
 * `decreased` compares with the last known number. If the last reading is null, the event has this
 * number as `before`.
 */
function changesIn({ step, facts, changed, routes, reporting }: Matched) {
  const { trackedFields, fieldNames } = stepScrapers[step.scraper];
  const { known, after, notified } = facts;
  const news = after === null ? {} : changedFields(known, after, fieldNames);
  const isNew = (field: string): boolean => news[field] !== undefined;
  const isUnreported = (field: string): boolean => isNew(field) || !notified.has(field);
  const changedTracked = trackedFields.filter((field) => changed[field] !== undefined);
  const notifying = reporting.filter(({ part }) => part.route.when === "changed");
  const gated = notifying.filter(({ part }) => isGated(part.route));
  const reportsChanged = notifying.some(
    ({ part: { route } }) =>
      !isGated(route) &&
      (route.field === undefined ? changedTracked : [route.field]).some(isUnreported),
  );
  const counted = only({ ...news, ...changed }, [...trackedFields, ...fieldsNamedBy(routes)]);
  const fields = Object.keys(counted).filter(reportsChanged ? isUnreported : isNew);
  const changes = only(counted, fields);
  // If two routes report the same field, the event has the change that the first route matches.
  const differences = Object.assign({}, ...gated.toReversed().map((one) => one.changes));
  const bridged = reportsChanged ? acrossNull(changes, notifying) : {};
  return {
    changes,
    hasNews: fields.some(isNew),
    notifyChanged: reportsChanged || gated.length > 0,
    ...((gated.length > 0 || Object.keys(bridged).length > 0) && {
      reported: { ...(reportsChanged && changes), ...bridged, ...differences },
    }),
  };
}

/**
 * Returns the changes whose last reading is null, but which a route compared with the last known
 * number. In these changes, `before` is that number.
 */
function acrossNull(changes: FieldChanges, notifying: readonly Decision[]): FieldChanges {
  const bridged: Record<string, FieldChanges[string]> = {};
  for (const { part, changes: measured = {} } of notifying) {
    if (isGated(part.route)) continue;
    for (const [field, change] of Object.entries(measured)) {
      if (changes[field]?.before === null) bridged[field] ??= change;
    }
  }
  return bridged;
}

/** Returns the changes of these fields. */
const only = (changed: FieldChanges, fields: readonly (string | undefined)[]): FieldChanges =>
  Object.fromEntries(Object.entries(changed).filter(([field]) => fields.includes(field)));

/** Returns the fields that `changed` routes name; undefined for a route without a field. */
const fieldsNamedBy = (routes: readonly Route[]): readonly (string | undefined)[] =>
  routes.filter(({ when }) => when === "changed").map(({ field }) => field);

/**
 * Returns whether a read meets the condition of a route, regardless of the state of the route. The
 * result is `unknown` for a read without a tested field. It is also `unknown` for a failed read if
 * the route does not select failed reads.
 */
function conditionOf(route: Route, outcome: Tested): Verdict {
  if (route.when !== "failed" && takes.failed(outcome, route)) return "unknown";
  if (!takes[route.when](outcome, route)) return "unmet";
  return verdictOf(route, outcome);
}

/**
 * For each `when`, a function that returns true if this `when` selects the item. The tests of the
 * route are evaluated separately. For a failed read, `conditionOf` calls only `failed`.
 */
const takes: Readonly<Record<When, (outcome: Tested, route: Route) => boolean>> = {
  new: ({ status, firstRead }) => status === "ok" && firstRead,
  changed: ({ changed, trackedChanged }, { field }) =>
    field === undefined ? trackedChanged : changed[field] !== undefined,
  unchanged: ({ status, before, trackedChanged }) =>
    status === "ok" && before !== null && !trackedChanged,
  ok: ({ status }) => status === "ok",
  failed: ({ status }) => status === "unavailable" || status === "partial",
  not_found: ({ status }) => status === "not_found",
  always: () => true,
};

/**
 * Merges a new reading into the last reading of its kind (`before`), and returns the result: adds
 * new fields and replaces changed values. A field that is absent in `observed` keeps its last
 * value. A price that differs by at most half a cent also keeps its stored value. If the stored
 * value followed such small differences, a price that changes slowly would never differ enough to
 * be a change. Returns `before` itself if nothing differs.
 */
export function mergeReading(before: Snapshot | null, observed: Snapshot): Snapshot {
  if (before === null) return observed;
  const news = Object.entries(observed).filter(([field, is]) => {
    const was = before[field];
    return was === undefined || !areEqual(field, was, is);
  });
  return news.length === 0 ? before : { ...before, ...Object.fromEntries(news) };
}

/**
 * Calculates the derived field `buyboxAboveLowest` of a pulse: true if the buy-box price of the
 * last product read exceeds the lowest new price of the pulse by more than half a cent. Returns
 * undefined if either price is unknown or null.
 */
export function buyboxAboveLowest(product: Snapshot | null, pulse: Snapshot): boolean | undefined {
  const price = product?.["price"];
  const lowest = pulse["newMinPrice"];
  if (typeof price !== "number" || typeof lowest !== "number") return undefined;
  return price > lowest && !areEqual("price", price, lowest);
}
