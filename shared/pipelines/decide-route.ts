import { secondsOf } from "../base/duration.ts";
import type { Route } from "./definition.ts";
import type { Verdict } from "./field-tests.ts";
import type { RouteState } from "./route-state.ts";

/**
 * Returns true if the cooldown of a route has not ended at the time of a read.
 * @param at time of the read, ISO 8601
 */
export const isCooling = ({ until }: RouteState, at: string): boolean =>
  until !== undefined && Date.parse(until) > Date.parse(at);

/**
 * Returns the end of a route's cooldown after a read: a new end if the read matched and the route
 * has a cooldown, otherwise the stored end. Returns an empty object if there is no end.
 * @param at time of the read, ISO 8601
 */
export const cooldownAfter = (
  { cooldown }: Route,
  { until }: RouteState,
  { matches, at }: { readonly matches: boolean; readonly at: string },
): Pick<RouteState, "until"> => {
  const seconds = cooldown === undefined ? undefined : secondsOf(cooldown);
  if (!matches || seconds === undefined) return until === undefined ? {} : { until };
  return { until: new Date(Date.parse(at) + seconds * 1_000).toISOString() };
};

/**
 * Decides whether an item matches a route that has a state and whose `when` is not `changed`.
 * Returns the decision and the new state. A read with an unknown verdict does not change the state.
 *
 * - `confirm`: the condition must be met in this number of reads in a row.
 * - `once`: after a match, the item does not match again until a read does not meet the condition.
 * - `cooldown`: the item does not match until the cooldown is over. Then the next read that meets
 *   the condition matches.
 */
export function decideRoute(
  route: Route,
  state: RouteState,
  { verdict, at }: { readonly verdict: Verdict; readonly at: string },
): { readonly matches: boolean; readonly state: RouteState } {
  if (verdict === "unknown") return { matches: false, state };
  const needed = route.confirm ?? 1;
  const held = verdict === "met" ? heldAfter(state, needed) : 0;
  const isConfirmed = held === needed;
  const wasMatched = isConfirmed && state.matched === true;
  const matches = isConfirmed && !wasMatched && !isCooling(state, at);
  const isMatched = route.once === true && (wasMatched || matches);
  const count = needed > 1 && held > 0 ? { held } : {};
  const cooldown = cooldownAfter(route, state, { matches, at });
  return { matches, state: { ...(isMatched ? { matched: true } : count), ...cooldown } };
}

/**
 * Returns the number of reads in a row that met the condition, including the current read; at most
 * `needed`.
 */
const heldAfter = ({ matched, held = 0 }: RouteState, needed: number): number =>
  matched === true ? needed : Math.min(held + 1, needed);
