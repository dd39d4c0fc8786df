import { isDeepStrictEqual } from "node:util";
import { keepState } from "../pipelines/decide-change.ts";
import { isCooling } from "../pipelines/decide-route.ts";
import { type Pipeline, readingKind, type Step } from "../pipelines/definition.ts";
import {
  type RouteState,
  type RouteStates,
  type StatefulPart,
  statefulParts,
} from "../pipelines/route-state.ts";
import type { PriceRead } from "../pipelines/price-trace.ts";
import type { RouteMatches } from "../pipelines/rules.ts";
import { priceStatesAfter, testedPrices } from "../pipelines/tested-prices.ts";
import { stepScrapers } from "../scrapers/catalog.ts";
import type { Item } from "../watchlists/item.ts";
import type { ItemOutcome } from "./item-outcome.ts";

interface StatesRead {
  readonly pipeline: Pipeline;
  readonly step: Step;
  readonly matches: Pick<RouteMatches, "states">;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  /** The readings that the read changed, with their new values. */
  readonly after: Pick<ItemOutcome, "readings">;
  /** The price of the read; absent if it has none. */
  readonly price?: PriceRead | undefined;
  /**
   * States of derived fields that were calculated from the item's history. States that are stored
   * with the item take precedence.
   */
  readonly traces?: RouteStates | undefined;
}

/**
 * Returns the states that the routes of the pipeline store about an item after a read; an empty
 * object if the states stay the same. Drops the state of a route that the pipeline no longer has.
 * An expired cooldown has no effect, so it is dropped only when the item is stored for another
 * reason.
 */
export function routeStatesAfter(item: Item, read: StatesRead): Pick<ItemOutcome, "routeStates"> {
  const { pipeline, at, price, traces } = read;
  const parts = statefulParts(pipeline);
  const before = item.routeStates ?? {};
  const hasStates = parts.length > 0 || testedPrices(pipeline).length > 0;
  if (!hasStates && item.routeStates === undefined) return {};
  const known = { ...traces, ...before };
  const states: Record<string, RouteState> = { ...priceStatesAfter(pipeline, known, price) };
  for (const part of parts) {
    const state = current(stateAfter(item, part, read), at);
    if (Object.keys(state).length > 0) states[part.key] = state;
  }
  const isStored = read.after.readings !== undefined;
  const unchanged = isStored ? before : withoutExpired(before, at);
  return isDeepStrictEqual(states, unchanged) ? {} : { routeStates: states };
}

/** Returns the state of one route after a read; an empty object if the route stores nothing. */
function stateAfter(
  { readings: stored, routeStates = {} }: Item,
  { step: { id, scraper, ...other }, route, key }: StatefulPart,
  { step, matches, after: { readings = {} } }: StatesRead,
): RouteState {
  if (id === step.id) return matches.states?.[key] ?? {};
  const state = routeStates[key] ?? {};
  const kind = readingKind({ id, scraper, ...other });
  const after = readings[kind];
  if (route.when !== "changed" || after === undefined) return state;
  const { trackedFields } = stepScrapers[scraper];
  return keepState(route, state, { before: stored[kind], after, trackedFields });
}

function withoutExpired(states: RouteStates, at: string): RouteStates {
  const entries = Object.entries(states).map(([key, state]) => [key, current(state, at)] as const);
  return Object.fromEntries(entries.filter(([, state]) => Object.keys(state).length > 0));
}

/**
 * Returns the state without its cooldown if the cooldown has expired, otherwise the state itself.
 */
function current(state: RouteState, at: string): RouteState {
  if (state.until === undefined || isCooling(state, at)) return state;
  const { until: _, ...others } = state;
  return others;
}
