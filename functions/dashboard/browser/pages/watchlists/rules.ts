import type { Pipeline } from "../../api/resources.ts";
import { routeWords } from "./pipeline-words.ts";

/** A rule by which a run reports items in events. */
export interface Rule {
  readonly id: string;
  /** ID of the step; undefined for the rule about delisted items, which applies to every step. */
  readonly step: string | undefined;
  /** The index of the rule's route in the step; undefined for the rule about delisted items. */
  readonly route: number | undefined;
  /** The `when` of the rule's route, or `delisted`. */
  readonly cause: string;
  /** The condition in words that people understand. */
  readonly words: string;
  /** The number of reads in a row that must meet the condition. */
  readonly confirm: number;
}

/** The cause of the event that reports a delisted item. No route has this `when`. */
export const delisted = "delisted";

/**
 * Returns the rules of a pipeline: one for each route with `notify`, and one for delisted items,
 * which are always reported.
 */
export const rulesOf = ({ steps }: Pipeline): readonly Rule[] => [
  ...steps.flatMap(({ id: step, routes }) =>
    routes.flatMap((route, n) =>
      route.notify === true
        ? [
            {
              id: `${step}.${n}`,
              step,
              route: n,
              cause: route.when,
              words: routeWords(route),
              confirm: route.confirm ?? 1,
            },
          ]
        : [],
    ),
  ),
  {
    id: delisted,
    step: undefined,
    route: undefined,
    cause: delisted,
    words: delisted,
    confirm: 1,
  },
];
