import type { Pipeline } from "../../api/resources.ts";
import type { Route } from "../watchlists/pipeline-words.ts";
import type { EventEntry, FieldValue } from "./event-body.ts";

/** A route that can have caused an entry of an event, and the ID of its step. */
export interface PossibleRule {
  readonly step: string;
  readonly route: Route;
}

/**
 * Returns the routes of a pipeline that can have caused an entry of an event. An event names only
 * the step and, if the item matched, the `when` of the route. This function therefore leaves out
 * the routes whose conditions the values of the entry do not meet.
 * @param type the type of the event
 */
export function rulesBehind(
  entry: EventEntry,
  type: string,
  { steps }: Pipeline,
): readonly PossibleRule[] {
  const step = steps.find(({ id }) => id === entry.step);
  if (step === undefined) return [];
  const when = type === "watchlist.product.changed" ? "changed" : entry.branch;
  return step.routes
    .filter((route) => route.notify === true && route.when === when && isPossible(route, entry))
    .map((route) => ({ step: step.id, route }));
}

function isPossible(route: Route, entry: EventEntry): boolean {
  const { changes } = entry;
  if (changes !== undefined && !isChanged(route, changes)) return false;
  return testsOf(route).every((test) => isNotFailed(test, entry));
}

interface Test {
  readonly field: string;
  readonly op: string;
  readonly value: NonNullable<Route["value"]>;
}

/**
 * Returns the tests of a route: the test in `field`, `op` and `value`, if the operator compares
 * with a value, and the tests in `where`.
 */
const testsOf = ({ field, op, value, where = [] }: Route): readonly Test[] =>
  field === undefined || op === undefined || value === undefined
    ? where
    : [{ field, op, value }, ...where];

/**
 * Returns false if the entry has the tested values and they fail the test. Returns true if the
 * entry lacks a value, because the item may have met the test.
 */
function isNotFailed({ field, op, value }: Test, { values, metadata = {} }: EventEntry): boolean {
  const is = values[field];
  const wanted =
    typeof value !== "object"
      ? value
      : "field" in value
        ? values[value.field]
        : metadata[value.metadata];
  return is === undefined || wanted === undefined || passes[op]?.(is, wanted) !== false;
}

/** Half a cent. Amounts that differ by at most this much count as equal, because of rounding. */
const halfCent = 0.005;

const areEqual = (is: FieldValue, wanted: FieldValue): boolean =>
  typeof is === "number" && typeof wanted === "number"
    ? Math.abs(is - wanted) <= halfCent
    : is === wanted;

const passes: Readonly<Record<string, (is: FieldValue, wanted: FieldValue) => boolean>> = {
  below: (is, wanted) => typeof is === "number" && typeof wanted === "number" && is < wanted,
  above: (is, wanted) => typeof is === "number" && typeof wanted === "number" && is > wanted,
  is: areEqual,
  is_not: (is, wanted) => !areEqual(is, wanted),
};

const percents = 100;

/**
 * Returns true if one of the changes of an entry has the field, the direction and the minimum size
 * that a route requires. Returns true for a route without a field.
 */
function isChanged(route: Route, changes: NonNullable<EventEntry["changes"]>): boolean {
  const { field, op, min_delta: delta = 0, min_delta_percent: percent = 0 } = route;
  if (field === undefined) return true;
  const change = changes[field];
  if (change === undefined) return false;
  const difference = differenceOf(change);
  if (difference === undefined) return op !== "increased" && op !== "decreased";
  if (op === "increased" && difference < 0) return false;
  if (op === "decreased" && difference > 0) return false;
  const size = Math.abs(difference);
  return size >= delta && size * percents >= percent * Math.abs(Number(change.before));
}

/** Returns the difference of two numbers; undefined if one of the values is not a number. */
const differenceOf = (change: {
  readonly before: FieldValue;
  readonly after: FieldValue;
}): number | undefined =>
  typeof change.before === "number" && typeof change.after === "number"
    ? change.after - change.before
    : undefined;
