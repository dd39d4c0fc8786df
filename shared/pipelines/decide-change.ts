import type { FieldValue, Snapshot } from "../scrapers/catalog.ts";
import { areEqual, type FieldChanges } from "./compare.ts";
import { cooldownAfter, isCooling } from "./decide-route.ts";
import type { Route } from "./definition.ts";
import { type TestedItem, type Verdict, verdictOf } from "./field-tests.ts";
import { isDirectional, isGated, type RouteState } from "./route-state.ts";

/** An `ok` read at the step of a route. */
export interface ChangeRead extends TestedItem {
  /** Last reading of the same kind; null if there is none. */
  readonly before: Snapshot | null;
  readonly after: Snapshot;
  /** The fields that a route without `field` compares. */
  readonly trackedFields: readonly string[];
  /** Time of the read, ISO 8601. */
  readonly at: string;
}

/** The decision whether an item matches a `changed` route, with its consequences. */
export interface ChangeDecision {
  readonly matches: boolean;
  /** The changes that match, from the reference value to the value of this read. */
  readonly changes: FieldChanges;
  /** State of the route after the read. */
  readonly state: RouteState;
}

/**
 * Decides whether an item matches a `changed` route that has a state. Returns the decision and the
 * state after the read. Compares each field of the read with its reference value in the state. A
 * field that the read lacks keeps its reference value.
 * - For a route with `min_delta`, `min_delta_percent`, `confirm` or `cooldown`, the reference value
 *   is the value that the route notified last. Before the first notification, it is the value
 *   before the first change. If the route has `decreased`, a higher value also becomes the
 *   reference value. If the route has `increased`, a lower value does. A change in small steps or
 *   during a cooldown is therefore not lost.
 * - For a route without these keys, the reference value is the last known value that is not null.
 *   Such a route has a state only if it has `increased` or `decreased`.
 * - With `min_delta`, `increased` or `decreased`, the reference value is never null, because only
 *   numbers are compared.
 */
export function decideChange(route: Route, state: RouteState, read: ChangeRead): ChangeDecision {
  const { trackedFields, at } = read;
  const verdict = verdictOf(route, read);
  const isDelayed = isCooling(state, at);
  const changes: Record<string, FieldChanges[string]> = {};
  const from: Record<string, FieldValue> = { ...state.from };
  const seen: Record<string, number> = { ...state.seen };
  for (const field of route.field === undefined ? trackedFields : [route.field]) {
    const values = valuesOf(field, state, read);
    if (values === undefined) continue;
    const { reads, isMatch, reference } = decideField(route, {
      ...values,
      seen: state.seen?.[field] ?? 0,
      verdict,
      isDelayed,
    });
    if (isMatch) changes[field] = { before: values.reference, after: values.is };
    setOrDelete(from, field, reference === values.is ? undefined : reference);
    setOrDelete(seen, field, reads === 0 || route.confirm === undefined ? undefined : reads);
  }
  const matches = Object.keys(changes).length > 0;
  return {
    matches,
    changes,
    state: stateOf({ from, seen, ...cooldownAfter(route, state, { matches, at }) }),
  };
}

/**
 * Returns the state of a `changed` route after a read of the item by another step than the route's
 * own step.
 * - Keeps the reference values with which the route can still compare. If the route is not gated
 *   (see `isGated`), a new number becomes the reference value.
 * - A changed field without a reference value gets the value before the read, because the route has
 *   not compared the new value yet.
 * - Drops the number of confirming reads of a field (`seen`) if its value is now on another side of
 *   the reference value.
 *
 * `before` and `after` are the readings of the route's kind before and after the read.
 */
export function keepState(
  route: Route,
  state: RouteState,
  {
    before,
    after,
    trackedFields,
  }: {
    readonly before: Snapshot | undefined;
    readonly after: Snapshot;
    readonly trackedFields: readonly string[];
  },
): RouteState {
  const from: Record<string, FieldValue> = { ...state.from };
  const seen: Record<string, number> = { ...state.seen };
  for (const field of route.field === undefined ? trackedFields : [route.field]) {
    const [was, is] = [before?.[field], after[field]];
    if (was === undefined || is === undefined) continue;
    const stored = state.from?.[field];
    const reference = nextReference(route, stored === undefined ? was : stored, is);
    setOrDelete(from, field, reference === is ? undefined : reference);
    if (!isSameSide(field, [was, is], reference)) delete seen[field];
  }
  return stateOf({ ...state, from, seen });
}

/** Omits the members of a state that are empty. */
const stateOf = ({
  from,
  seen,
  until,
}: RouteState & Required<Pick<RouteState, "from" | "seen">>): RouteState => ({
  ...(isFilled(from) && { from }),
  ...(isFilled(seen) && { seen }),
  ...(until !== undefined && { until }),
});

const isFilled = (members: object): boolean => Object.keys(members).length > 0;

interface FieldValues {
  readonly field: string;
  /** Last reading of the field. */
  readonly was: FieldValue;
  /** Value of this read; `was` for a price that differs from `was` by at most half a cent. */
  readonly is: FieldValue;
  readonly reference: FieldValue;
}

/**
 * Returns the values from which a change of a field is decided: before this read, of this read, and
 * the reference value. Returns undefined if the field was never read before, or if this read lacks
 * it.
 */
function valuesOf(
  field: string,
  { from }: RouteState,
  { before, after }: ChangeRead,
): FieldValues | undefined {
  const [was, observed] = [before?.[field], after[field]];
  if (was === undefined || observed === undefined) return undefined;
  const stored = from?.[field];
  return {
    field,
    was,
    is: areEqual(field, was, observed) ? was : observed,
    reference: stored === undefined ? was : stored,
  };
}

interface FieldRead extends FieldValues {
  /** Number of successive reads with the same effect, before this read. */
  readonly seen: number;
  /** Verdict of the route's tests. */
  readonly verdict: Verdict;
  /** True during the cooldown. */
  readonly isDelayed: boolean;
}

interface FieldDecision {
  readonly isMatch: boolean;
  /** Number of reads in a row with the same effect, including this read; 0 after a match. */
  readonly reads: number;
  /** Reference value for the next read. */
  readonly reference: FieldValue;
}

/** Decides whether one field of a read matches the route. */
function decideField(route: Route, read: FieldRead): FieldDecision {
  const { is, verdict, isDelayed } = read;
  const reference = isComparable(route, read.reference) ? read.reference : is;
  const compared = { ...read, reference };
  const effect = verdict === "met" ? effectOf(route, compared) : "none";
  const reads = readsInRow(route, compared, effect);
  const isConfirmed = reads === (route.confirm ?? 1);
  const isMatch = isConfirmed && effect === "holds" && !isDelayed;
  return isMatch || (isConfirmed && effect === "opposite")
    ? { isMatch, reads: 0, reference: is }
    : { isMatch, reads, reference: nextReference(route, reference, is) };
}

/**
 * Returns how many successive reads had this effect, including this read, at most `confirm`. A read
 * with an unknown verdict does not change the number.
 */
function readsInRow({ confirm = 1 }: Route, read: FieldRead, effect: Effect): number {
  const { field, was, is, reference, seen, verdict } = read;
  const before = isSameSide(field, [was, is], reference) ? seen : 0;
  if (verdict === "unknown") return before;
  return effect === "none" ? 0 : Math.min(before + 1, confirm);
}

/**
 * Position of a value relative to the reference value. `other`: the values differ, but are not both
 * numbers.
 */
type Side = "same" | "above" | "below" | "other";

/** Returns the position of `is` relative to the reference value. */
function sideOf(field: string, is: FieldValue, reference: FieldValue): Side {
  if (areEqual(field, is, reference)) return "same";
  if (typeof is !== "number" || typeof reference !== "number") return "other";
  return is > reference ? "above" : "below";
}

/**
 * Returns true if two values are on the same side of the reference value. On the side `other`, they
 * must also be equal.
 */
function isSameSide(
  field: string,
  [one, other]: readonly [FieldValue, FieldValue],
  reference: FieldValue,
): boolean {
  const side = sideOf(field, one, reference);
  if (side !== sideOf(field, other, reference)) return false;
  return side !== "other" || areEqual(field, one, other);
}

interface Compared {
  readonly field: string;
  readonly is: FieldValue;
  readonly reference: FieldValue;
}

/**
 * The effect of a changed value on a route. `holds`: the change meets the route's condition.
 * `opposite`: the value changed in the direction that the route does not report. `none`: neither.
 */
type Effect = "holds" | "opposite" | "none";

/** Returns the effect of a value on a route, from the difference to the reference value. */
function effectOf(route: Route, compared: Compared): Effect {
  const { field, is, reference } = compared;
  const side = sideOf(field, is, reference);
  if (side === "same") return "none";
  if (isDirectional(route)) {
    if (side === "other") return "none";
    if (side !== (route.op === "increased" ? "above" : "below")) return "opposite";
  }
  return isLargeEnough(route, compared) ? "holds" : "none";
}

/**
 * Tolerance for the rounding of binary fractions, so that a difference of exactly the minimum
 * counts.
 */
const tolerance = 1e-9;

/** Returns true if the difference from the reference value reaches both minimums of the route. */
function isLargeEnough(
  { min_delta: least = 0, min_delta_percent: percent = 0 }: Route,
  { is, reference }: Compared,
): boolean {
  if (least === 0 && percent === 0) return true;
  if (typeof is !== "number" || typeof reference !== "number") return false;
  const smallest = Math.max(least, (Math.abs(reference) * percent) / 100);
  const spare = tolerance * Math.max(1, Math.abs(is), Math.abs(reference));
  return Math.abs(is - reference) + spare >= smallest;
}

/**
 * Returns true if a route can compare a read with this reference value. A route that measures a
 * difference or its direction needs a number.
 */
const isComparable = (route: Route, reference: FieldValue): boolean =>
  typeof reference === "number" ||
  (!isDirectional(route) && route.min_delta === undefined && route.min_delta_percent === undefined);

/** Returns the reference value after a read that the route does not report. */
function nextReference(route: Route, reference: FieldValue, is: FieldValue): FieldValue {
  if (!isComparable(route, reference)) return is;
  return !isGated(route) && typeof is === "number" ? is : reference;
}

/** Sets a member of a record; deletes it if the value is undefined. */
function setOrDelete<Value>(
  record: Record<string, Value>,
  name: string,
  value: Value | undefined,
): void {
  if (value === undefined) delete record[name];
  else record[name] = value;
}
