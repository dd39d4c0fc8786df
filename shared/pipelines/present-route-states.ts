import type { Pipeline } from "./definition.ts";
import { type RouteStates, statefulParts } from "./route-state.ts";

/** The state of a notifying route for an item, in API responses. */
interface PresentedState {
  readonly step: string;
  /** Position of the route in its step, from 0. */
  readonly route: number;
  readonly reads_met: number;
  readonly reported: boolean;
  readonly cooldown_until: string | null;
}

/**
 * Converts the states that routes with `notify` have stored about an item to their form in API
 * responses. Omits two kinds of states that cannot prevent a match: states of routes without
 * `confirm`, `once` and `cooldown`, and initial states.
 */
export const presentRouteStates = (
  pipeline: Pipeline,
  states: RouteStates = {},
): readonly PresentedState[] =>
  statefulParts(pipeline).flatMap(({ step, route, position, key }) => {
    const { seen = {}, held = 0, matched = false, until = null } = states[key] ?? {};
    const readsMet = Math.max(held, ...Object.values(seen));
    if (route.notify !== true || (readsMet === 0 && !matched && until === null)) return [];
    return [
      {
        step: step.id,
        route: position,
        reads_met: readsMet,
        reported: matched,
        cooldown_until: until,
      },
    ];
  });
