import { createHash } from "node:crypto";
import type { Snapshot } from "../scrapers/catalog.ts";
import type { Pipeline, Route, Step } from "./definition.ts";
import type { PriceTrace } from "./price-trace.ts";

/**
 * The state that a route stores about an item between two reads. A member is absent while it has
 * its initial value, so most items have no state.
 */
export interface RouteState {
  /**
   * Reference values of a `changed` route by field, with which the next reads are compared. Absent
   * for a field whose reference value is its last reading.
   */
  readonly from?: Snapshot;
  /** For `changed` with `confirm`: number of reads in a row that met the condition, by field. */
  readonly seen?: Readonly<Record<string, number>>;
  /** For any other `when` with `confirm`: number of reads in a row that met the condition. */
  readonly held?: number;
  /** For `once`: true if the route has matched since the condition became true. */
  readonly matched?: true;
  /** End of the cooldown, ISO 8601. */
  readonly until?: string;
  /** The trace of a derived price field. A state with `prices` has no other member. */
  readonly prices?: PriceTrace;
}

/**
 * The state that a pipeline stores about one item. It has the states of the routes, by
 * `RoutePart.key`, and the states of the derived price fields that the routes test, by name. A key
 * never equals a name, because their lengths differ.
 */
export type RouteStates = Readonly<Record<string, RouteState>>;

/**
 * A route, or one of its two halves. `cooldown` delays notifications, but not `run`. A route with
 * `cooldown`, `run` and `notify` is therefore evaluated as two routes: one with `run`, and one with
 * `cooldown` and `notify`.
 */
export interface RoutePart {
  readonly route: Route;
  /** Position of the whole route in its step, from 0. */
  readonly position: number;
  /** Key of the route's state; null for a route without state. */
  readonly key: string | null;
}

/**
 * Returns true if a route does not report each match at once: it needs a minimum difference from
 * the value that it notified last, or has `confirm`, `cooldown` or `once`.
 */
export const isGated = (route: Route): boolean =>
  route.min_delta !== undefined ||
  route.min_delta_percent !== undefined ||
  route.confirm !== undefined ||
  route.cooldown !== undefined ||
  route.once === true;

/** Returns true if a route tests whether a number increased or decreased. */
export const isDirectional = ({ op }: Route): boolean => op === "increased" || op === "decreased";

const partsByStep = new WeakMap<Step, readonly RoutePart[]>();

/**
 * Returns the parts of a step's routes, in route order: the whole route, or its two halves (see
 * `RoutePart`). Only a part with a key has a state.
 */
export function partsOf(step: Step): readonly RoutePart[] {
  const known = partsByStep.get(step);
  if (known !== undefined) return known;
  const parts = step.routes.flatMap((whole, position) =>
    halvesOf(whole).map((route) => ({ route, position, key: keyOf(step, route) })),
  );
  partsByStep.set(step, parts);
  return parts;
}

/** Splits a route as `RoutePart` describes; returns the whole route if it is not split. */
function halvesOf(route: Route): readonly Route[] {
  const { cooldown, run, notify, ...condition } = route;
  if (cooldown === undefined || run === undefined || notify !== true) return [route];
  return [
    { ...condition, run },
    { ...condition, cooldown, notify },
  ];
}

/**
 * Number of characters of a key. A pipeline has at most 160 keys. With 8 characters, two keys of a
 * pipeline are equal in one of 10^10 pipelines.
 */
const keyLength = 8;

/**
 * Returns the key of the state; null for a route without state. The key depends on the step, the
 * condition and the notification settings of the route. A change of one of these therefore resets
 * the state. The key does not depend on the order of steps or routes, or on `run`, so such a change
 * keeps the state.
 */
function keyOf(step: Step, route: Route): string | null {
  if (!isGated(route) && !isDirectional(route)) return null;
  const condition = [
    [step.id, step.scraper, step.condition ?? "all"],
    [route.when, route.field, route.op, route.value],
    route.where?.map(({ field, op, value }) => [field, op, value]),
    [route.min_delta, route.min_delta_percent, route.confirm, route.once === true],
    [route.cooldown, route.notify === true],
  ];
  const digest = createHash("sha256").update(JSON.stringify(condition)).digest("base64url");
  return digest.slice(0, keyLength);
}

/** A route part that has a state, with its step and the key of its state. */
export interface StatefulPart {
  readonly step: Step;
  readonly route: Route;
  /** Position of the whole route in its step, from 0. */
  readonly position: number;
  readonly key: string;
}

const statefulByPipeline = new WeakMap<Pipeline, readonly StatefulPart[]>();

/** Returns, for all steps of a pipeline, the route parts that have a state. */
export function statefulParts(pipeline: Pipeline): readonly StatefulPart[] {
  const known = statefulByPipeline.get(pipeline);
  if (known !== undefined) return known;
  const parts = pipeline.steps.flatMap((step) =>
    partsOf(step).flatMap(({ route, position, key }) =>
      key === null ? [] : [{ step, route, position, key }],
    ),
  );
  statefulByPipeline.set(pipeline, parts);
  return parts;
}
