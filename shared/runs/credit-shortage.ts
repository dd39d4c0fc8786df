import { quantity } from "../base/quantity.ts";
import type { Run, StepRecord } from "./run.ts";

/**
 * What `error` says of a run that the credits did not cover: each step that was not read, what it
 * needed, and the balance at that moment. Null where the credits covered every step, and for a step
 * that was deferred before its shortfall was stored.
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
