import { quantity } from "../base/quantity.ts";
import type { Run } from "./run.ts";
import type { CreditLimit, Shortfall, StepRecord } from "./step.ts";

/**
 * Returns the text of `error` for a run that was skipped or has deferred steps, because the credits
 * did not cover a step. For each of these steps, the text states the credits that the step needed,
 * and the credits that were available: the balance at that time, or the rest of a credit limit.
 * Leaves out steps without a stored shortfall, which an earlier release deferred. Returns null if
 * no step has a stored shortfall.
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
            `${quantity(items, "item")}, but ${availableIn(shortfall)}.`,
        ],
  );
  if (lacks.length === 0) return null;
  const effect =
    status === "insufficient_credits"
      ? "The run was skipped: nothing was read or charged."
      : "The items of these steps are deferred to the next run.";
  return [...lacks, effect].join(" ");
}

function availableIn({ available, limit }: Shortfall): string {
  const credits = quantity(available, "credit");
  return limit === undefined
    ? `the balance was ${credits}`
    : `${limitTexts[limit]} left ${credits}`;
}

const limitTexts: Readonly<Record<CreditLimit, string>> = {
  max_credits_per_run: "the watchlist's max_credits_per_run",
  watchlist_daily_credit_budget: "the watchlist's daily_credit_budget",
  account_daily_credit_budget: "the account's daily_credit_budget",
};
