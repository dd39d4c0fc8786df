import { presentKnownDetails } from "../watchlists/item-details.ts";
import { isChange } from "./compared-items.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import { presentStoredRun } from "./present-run.ts";
import type { Run } from "./run.ts";
import { stepResultsOf } from "./run-outcomes.ts";
import type { StepStore } from "./step-store.ts";

/**
 * Converts a run to the answer of `GET /v1/watchlists/{id}/runs/{run_number}`. For a held run, adds
 * the first `limit` changes that count for its brake, in run order, so that a person can decide.
 */
export async function presentRunDetail(
  run: Run,
  limit: number,
  steps: StepStore,
): Promise<Record<string, unknown>> {
  const isHeld = run.phase === "held" && run.hold?.status === "held";
  return {
    ...presentStoredRun(run),
    held_changes: isHeld ? await heldChanges(run, limit, steps) : null,
  };
}

async function heldChanges(run: Run, limit: number, steps: StepStore) {
  const results = await stepResultsOf(run, steps);
  return results
    .flatMap(({ step, outcomes }) =>
      outcomes.filter(isChange).map((outcome) => presentHeldChange(step.step, outcome)),
    )
    .slice(0, limit);
}

const presentHeldChange = (step: string, outcome: ItemOutcome): Record<string, unknown> => ({
  item_id: outcome.id,
  ...presentKnownDetails(outcome.details ?? {}),
  changed_at: outcome.at,
  step,
  is_delisted: outcome.lastSnapshot !== undefined && outcome.lastSnapshot !== null,
  changes: outcome.changes ?? {},
});
