/**
 * Reference model of a route with `where`, `min_delta`, `min_delta_percent`, `confirm`, `once` or
 * `cooldown`, by docs/watchlists-and-pipelines.md, section "Limit notifications". Stores every
 * value that it needs; the service stores only the values that differ from the item's readings.
 */
import {
  type FieldTest,
  type Metadata,
  readingKind,
  type Route,
  type Step,
} from "../../shared/pipelines/definition.ts";
import { type Snapshot, stepScrapers } from "../../shared/scrapers/catalog.ts";
import { typeOfField } from "../../shared/scrapers/fields.ts";
import { isSame, type Known } from "./fields.ts";

type Value = Snapshot[string];

/** The values, counts and times that the model of a route stores about one item. */
export interface ModelRouteState {
  /** The value that the next read is compared with, by field; absent before the first value. */
  readonly references: Map<string, Value>;
  /**
   * The latest consecutive reads with the same result, by field. `side` is the side of the
   * reference value on which the reads are, or the value that they have. `length` is the number of
   * the reads.
   */
  readonly rows: Map<string, { side: string; length: number }>;
  /** The number of successive reads that met the condition of a route without `changed`. */
  row: number;
  /** True if the route matched since its condition became true. */
  hasMatched: boolean;
  /** Time of the last match in milliseconds since 1970. */
  matchedAt: number | null;
}

/** Returns the state of a route before the first read of an item. */
export const newRouteState = (): ModelRouteState => ({
  references: new Map(),
  rows: new Map(),
  row: 0,
  hasMatched: false,
  matchedAt: null,
});

/** The values of a read that decide whether a route matches. */
export interface RouteRead {
  /** Time of the read in milliseconds since 1970. */
  readonly at: number;
  /** The values of the read. A price within half a cent of the last reading counts as equal. */
  readonly seen: Snapshot;
  /** The last reading of the same kind. */
  readonly last: Snapshot;
  readonly derived: Snapshot;
  /** The metadata that a client has stored with the item. */
  readonly metadata: Metadata;
  readonly trackedFields: readonly string[];
}

const milliseconds = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function cooldownOf({ cooldown = "0m" }: Route): number {
  const unit = cooldown.slice(-1) as keyof typeof milliseconds;
  return Number(cooldown.slice(0, -1)) * milliseconds[unit];
}

const isWaiting = (route: Route, { matchedAt }: ModelRouteState, at: number): boolean =>
  matchedAt !== null && at < matchedAt + cooldownOf(route);

/**
 * Returns true if a read passes all tests of a route, and false if it fails one. Returns null if
 * the read fails none, but lacks a field that a test needs. For a route with `once`, a null price
 * counts as a lacking field, because `below` and `above` cannot compare it.
 */
export function passesAll(
  { field, op, value, where = [], once }: Route,
  { seen, derived, metadata }: Pick<RouteRead, "seen" | "derived" | "metadata">,
): boolean | null {
  const own = field === undefined || value === undefined || op === undefined;
  const tests = [...(own ? [] : [{ field, op, value }]), ...where];
  const shown = { ...derived, ...seen };
  const results = tests.map((test) => passesTest(test, { shown, metadata, once: once === true }));
  if (results.some((result) => result === false)) return false;
  return results.some((result) => result === null) ? null : true;
}

/** Returns the result of one test, as `passesAll` returns it. */
function passesTest(
  { field, op, value }: Omit<FieldTest, "op"> & { readonly op: NonNullable<Route["op"]> },
  item: { readonly shown: Snapshot; readonly metadata: Metadata; readonly once: boolean },
): boolean | null {
  const is = item.shown[field];
  const isOther = typeof value === "object" && "field" in value;
  if (is === undefined || (isOther && !(value.field in item.shown))) return null;
  const wanted = wantedValue({ field, value }, item);
  if (wanted === undefined) return false;
  if (op === "is" || op === "is_not") return isSame(field, is, wanted) === (op === "is");
  const isGap = is === null || wanted === null;
  return item.once && isGap ? null : isOrdered(op, is, wanted);
}

function isOrdered(op: Route["op"], is: Value, wanted: Value): boolean {
  if (typeof is !== "number" || typeof wanted !== "number") return false;
  return op === "below" ? is < wanted : is > wanted;
}

/**
 * Returns the value with which a test compares its field: a constant, or the value of another field
 * or of the item's metadata. Undefined if the item lacks this value, or if the metadata has another
 * type than the field.
 */
export function wantedValue(
  { field, value }: Pick<FieldTest, "field" | "value">,
  { shown, metadata }: { readonly shown: Snapshot; readonly metadata: Metadata },
): Value | undefined {
  if (typeof value !== "object") return value;
  if ("field" in value) return shown[value.field];
  const own = metadata[value.metadata];
  return typeof own === typeOfField(field) ? own : undefined;
}

/**
 * Returns true if a route without `changed` matches a read, and updates the state of the route.
 * @param isMet true if the read meets the condition; null if the read cannot show it
 */
export function decideLevel(
  route: Route,
  routeState: ModelRouteState,
  { isMet, at }: { readonly isMet: boolean | null; readonly at: number },
): boolean {
  if (isMet === null) return false;
  if (!isMet) {
    routeState.row = 0;
    routeState.hasMatched = false;
    return false;
  }
  routeState.row += 1;
  const isRepeated = route.once === true && routeState.hasMatched;
  if (routeState.row < (route.confirm ?? 1) || isRepeated || isWaiting(route, routeState, at))
    return false;
  routeState.hasMatched = true;
  routeState.matchedAt = at;
  return true;
}

/**
 * Returns the changes of a read that a `changed` route matches, by field; an empty object if there
 * are none. Each change begins with the reference value. Updates the state.
 */
export function decideChanged(
  route: Route,
  routeState: ModelRouteState,
  read: RouteRead,
): Record<string, { before: Value; after: Value }> {
  const changes: Record<string, { before: Value; after: Value }> = {};
  const isLate = !isWaiting(route, routeState, read.at);
  const passes = passesAll(route, read);
  for (const field of fieldsOf(route, read.trackedFields)) {
    const [value, last] = [read.seen[field], read.last[field]];
    if (passes === null || value === undefined || last === undefined) continue;
    const is = isSame(field, value, last) ? last : value;
    const found = decideField(route, routeState, { field, is, passes });
    const isReport = found.effect === "report";
    if (!found.isConfirmed || (isReport && !isLate)) continue;
    if (isReport) changes[field] = { before: found.reference, after: is };
    routeState.references.set(field, is);
    routeState.rows.delete(field);
  }
  if (Object.keys(changes).length > 0) routeState.matchedAt = read.at;
  return changes;
}

/**
 * Counts the successive reads in which a field differed in the same way from its reference value.
 * `isConfirmed` is true if there are as many of them as the route's `confirm` requires.
 */
function decideField(
  route: Route,
  routeState: ModelRouteState,
  { field, is, passes }: { readonly field: string; readonly is: Value; readonly passes: boolean },
) {
  const reference = routeState.references.get(field);
  if (reference === undefined)
    throw new Error(`The route state has no reference value for the field ${field}.`);
  const side = sideOf(field, is, reference);
  const effect = effectOf(route, side);
  const isEffective = effect === "follow" || (effect === "report" && isFar(route, is, reference));
  const row = routeState.rows.get(field);
  if (!passes || !isEffective) routeState.rows.delete(field);
  else routeState.rows.set(field, { side, length: row?.side === side ? row.length + 1 : 1 });
  const length = routeState.rows.get(field)?.length ?? 0;
  return { effect, reference, isConfirmed: length >= (route.confirm ?? 1) };
}

const fieldsOf = ({ field }: Route, all: readonly string[]): readonly string[] =>
  field === undefined ? all : [field];

const isNumber = (value: Value | undefined): value is number => typeof value === "number";

function sideOf(field: string, is: Value, reference: Value): string {
  if (isSame(field, is, reference)) return "same";
  if (isNumber(is) && isNumber(reference)) return is > reference ? "above" : "below";
  return `at ${JSON.stringify(is)}`;
}

function effectOf({ op }: Route, side: string): "report" | "follow" | "nothing" {
  if (side === "same") return "nothing";
  if (op !== "increased" && op !== "decreased") return "report";
  if (side !== "above" && side !== "below") return "nothing";
  return (side === "above") === (op === "increased") ? "report" : "follow";
}

function isFar(route: Route, is: Value, reference: Value): boolean {
  const { min_delta: delta, min_delta_percent: percent } = route;
  if (delta === undefined && percent === undefined) return true;
  if (!isNumber(is) || !isNumber(reference)) return false;
  const least = [delta ?? 0, (Math.abs(reference) / 100) * (percent ?? 0)];
  return least.every((one) => Math.abs(is - reference) >= one - 1e-6);
}

/** Returns true if a route has a key that limits notifications, other than `where`. */
export const isGated = (route: Route): boolean =>
  [route.min_delta, route.min_delta_percent, route.confirm, route.cooldown].some(
    (key) => key !== undefined,
  ) || route.once === true;

const needsNumbers = ({ op, min_delta: delta, min_delta_percent: percent }: Route): boolean =>
  op === "increased" || op === "decreased" || delta !== undefined || percent !== undefined;

/**
 * Updates the reference values of a route after a read, at any step, of the kind that the route's
 * step reads. A field without a reference value gets the value before this read, or the value of
 * this read if there was none before. If the route compares numbers, the value of this read
 * replaces a reference value that is not a number. If `isGated` returns false for the route, each
 * value that the route can compare replaces the reference value.
 */
export function noteReading(
  route: Route,
  routeState: ModelRouteState,
  { before, after, fields }: Readings,
): void {
  for (const field of fieldsOf(route, fields)) {
    const [was, is] = [before[field], after[field]];
    if (was !== undefined && !routeState.references.has(field))
      routeState.references.set(field, was);
    if (is === undefined) continue;
    const reference = referenceAfter(route, routeState.references.get(field), is);
    routeState.references.set(field, reference);
    if (routeState.rows.get(field)?.side !== sideOf(field, is, reference))
      routeState.rows.delete(field);
  }
}

function referenceAfter(route: Route, reference: Value | undefined, is: Value): Value {
  if (reference === undefined) return is;
  if (needsNumbers(route) && !isNumber(reference)) return is;
  const follows = !isGated(route) && (isNumber(is) || !needsNumbers(route));
  return follows ? is : reference;
}

interface Readings {
  /** The last reading of the kind that the route compares, before this read. */
  readonly before: Snapshot;
  /** The last reading of the kind that the route compares, after this read. */
  readonly after: Snapshot;
  readonly fields: readonly string[];
}

/** What each route of a pipeline stores about one item, by `RoutePart.key`. */
export type ModelRouteStates = ReadonlyMap<string, ModelRouteState>;

/**
 * A route that needs a state, or a part of a route with a separate state. A route with a cooldown
 * and both effects, `run` and `notify`, has one `RoutePart` for each effect.
 */
export interface RoutePart {
  readonly step: Step;
  /** The route as the pipeline contains it. */
  readonly whole: Route;
  /** The route with only the effects of this part. */
  readonly route: Route;
  readonly key: string;
}

/** Returns a `RoutePart` for each state that the routes of a pipeline need. */
export const statefulParts = ({ steps }: { readonly steps: readonly Step[] }): RoutePart[] =>
  steps.flatMap((step) =>
    step.routes.flatMap((whole) => {
      const isDirected = whole.op === "increased" || whole.op === "decreased";
      if (!isGated(whole) && !isDirected) return [];
      return effectsOf(whole).map((route) => {
        const { run: _, ...condition } = route;
        const { id, scraper, condition: offers } = step;
        return { step, whole, route, key: ordered([id, scraper, offers, condition]) };
      });
    }),
  );

/** Returns JSON with sorted names, because a stored pipeline does not keep their order. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

/**
 * Splits a route with both effects and a cooldown into two, because the cooldown delays only
 * `notify`, not `run`. Returns any other route unchanged.
 */
function effectsOf(route: Route): readonly Route[] {
  const { run, cooldown, notify, ...condition } = route;
  if (run === undefined || notify !== true || cooldown === undefined) return [route];
  return [
    { ...condition, run },
    { ...condition, cooldown, notify },
  ];
}

interface Before {
  readonly routeStates: ModelRouteStates;
  readonly before: Known;
}

/**
 * Copies the states of the routes of a pipeline before a read. A route without a state gets a
 * new one. Its reference values come from the last reading of the kind that the route's step reads.
 */
export function routeStatesOf(
  pipeline: { readonly steps: readonly Step[] },
  { routeStates, before }: Before,
): ModelRouteStates {
  const copies = new Map<string, ModelRouteState>();
  for (const { step, route, key } of statefulParts(pipeline)) {
    const routeState = structuredClone(routeStates.get(key)) ?? newRouteState();
    const known = before.readings[readingKind(step)] ?? {};
    const fields = stepScrapers[step.scraper].trackedFields;
    noteReading(route, routeState, { before: known, after: {}, fields });
    copies.set(key, routeState);
  }
  return copies;
}

/**
 * Returns the state of the route part with this key (`RoutePart.key`).
 * @throws Error if `routeStatesOf` has created no state for this key
 */
export function routeStateOf(routeStates: ModelRouteStates, key: string): ModelRouteState {
  const routeState = routeStates.get(key);
  if (routeState === undefined)
    throw new Error(`The model has created no state for the route ${key}.`);
  return routeState;
}
