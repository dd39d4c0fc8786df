import { quantity } from "../base/quantity.ts";
import type { Run, StepRecord } from "./run.ts";

/**
 * The `error` text of a run that the balance did not cover: each deferred step, the credits that it
 * needed, and the balance at that moment. Null if no step has a stored shortfall. Steps that an
 * earlier release deferred have no stored shortfall and are left out.
 */
export function creditShortage(
  { status }: Pick<Run, "status">,
  steps: readonly Pick<StepRecord, "step" | "items" | "shortfall">[],
): string | null {
  const lacks = steps.flatMap(({ step, items, shortfall }) =>
    shortfall === null
      ? []
      : [
          `Step '${step}' needed ${quantity(shortfall.needed, "credit")} for ` +
            `${quantity(items, "item")}, but the balance was ` +
            `${quantity(shortfall.available, "credit")}.`,
        ],
  );
  if (lacks.length === 0) return null;
  const effect =
    status === "insufficient_credits"
      ? "The run was skipped: nothing was read or charged."
      : "The items of these steps are deferred to the next run.";
  return [...lacks, effect].join(" ");
}
