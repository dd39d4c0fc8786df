import type { Clock } from "../base/clock.ts";
import { creditsFor } from "../credits/charge.ts";
import type { Ledger } from "../credits/ledger.ts";
import { stepScrapers } from "../scrapers/catalog.ts";
import type { Run } from "./run.ts";
import type { CreditLimit, Shortfall, StepDecision, StepRecord } from "./step.ts";
import type { StepStore } from "./step-store.ts";

/**
 * Milliseconds after which a hold expires. No run lasts this long, so only abandoned holds expire.
 */
const holdMs = 24 * 60 * 60 * 1_000;

export interface ReserveDependencies {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * Returns the ID of the credit hold of a step: the same at every call, so reserving is idempotent.
 */
export const holdIdOf = (step: { runId: string; step: string }): string =>
  `${step.runId}#${step.step}`;

/** Returns the maximum cost of a step, in credits. */
export const maxCostOf = ({ items, scraper }: StepRecord): number =>
  creditsFor(items * stepScrapers[scraper].reserveQuarters);

/**
 * Reserves the maximum cost of a step. Returns null if the balance and the daily budgets cover this
 * cost. Otherwise reserves nothing, and returns the shortfall: the needed and the available
 * credits. Idempotent: a repeated call uses the same hold ID.
 * @throws 503 UNAVAILABLE if the ledger's rows stay contended or the retry budget is exhausted
 */
export async function reserveStepCredits(
  run: Run,
  step: StepRecord,
  { ledger, clock }: ReserveDependencies,
): Promise<Shortfall | null> {
  const now = clock.now();
  const needed = maxCostOf(step);
  const { dailyCreditBudget } = run.limits;
  const reserved = await ledger.reserve({
    accountId: run.accountId,
    holdId: holdIdOf(step),
    credits: needed,
    slot: false,
    source: {
      watchlistId: run.watchlistId,
      runId: run.id,
      runNumber: run.runNumber,
      step: step.step,
      scraper: step.scraper,
      items: step.items,
    },
    ...(dailyCreditBudget !== null && {
      watchlistBudget: { watchlistId: run.watchlistId, credits: dailyCreditBudget },
    }),
    now,
    expiresAt: new Date(now.getTime() + holdMs),
  });
  if (reserved.outcome === "reserved") return null;
  if (reserved.outcome === "over_budget") {
    return { needed, available: reserved.available, limit: limitOf[reserved.budget] };
  }
  return { needed, available: reserved.balance };
}

const limitOf = {
  watchlist: "watchlist_daily_credit_budget",
  account: "account_daily_credit_budget",
} as const satisfies Record<string, CreditLimit>;

/** Releases the hold of a step without a charge, if there is one. */
export const releaseStepCredits = (
  run: Run,
  step: StepRecord,
  { ledger, clock }: ReserveDependencies,
): Promise<void> =>
  ledger.release({ accountId: run.accountId, holdId: holdIdOf(step), now: clock.now() });

/**
 * Decides whether a step is read or deferred. A step is read if the rest of the run's
 * `maxCreditsPerRun` covers the step's maximum cost, and this cost can be reserved. Returns the
 * first decision that any process recorded, or `over` if the run is no longer in phase `reading`.
 * Releases the hold unless the decision is `read`, because another process may have reserved
 * credits and then died.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function decideStep(
  run: Run,
  step: StepRecord,
  dependencies: ReserveDependencies & { readonly steps: StepStore },
): Promise<StepDecision | "over"> {
  const decision = step.decision ?? (await reserveAndDecide(run, step, dependencies));
  if (decision !== "read") await releaseStepCredits(run, step, dependencies);
  return decision;
}

/** Reserves the credits of a step, and stores the decision about it. */
async function reserveAndDecide(
  run: Run,
  step: StepRecord,
  dependencies: ReserveDependencies & { readonly steps: StepStore },
): Promise<StepDecision | "over"> {
  const { steps } = dependencies;
  const shortfall =
    (await overRunLimit(run, step, steps)) ?? (await reserveStepCredits(run, step, dependencies));
  return steps.decide(run, step, shortfall);
}

/**
 * Returns the shortfall if the maximum cost of a step exceeds the rest of the run's
 * `maxCreditsPerRun`, otherwise null. All earlier steps are settled, so the result depends only on
 * stored data that no longer changes.
 */
async function overRunLimit(
  { limits: { maxCreditsPerRun } }: Run,
  step: StepRecord,
  steps: StepStore,
): Promise<Shortfall | null> {
  if (maxCreditsPerRun === null) return null;
  const charged = (await steps.list(step.runId)).reduce(
    (sum, { stats }) => sum + (stats?.credits ?? 0),
    0,
  );
  const needed = maxCostOf(step);
  const available = maxCreditsPerRun - charged;
  return needed <= available ? null : { needed, available, limit: "max_credits_per_run" };
}
