import type { Clock } from "../base/clock.ts";
import { creditsFor } from "../credits/charge.ts";
import type { Ledger } from "../credits/ledger.ts";
import { stepScrapers } from "../scrapers/catalogue.ts";
import type { Run, Shortfall, StepDecision, StepRecord } from "./run.ts";
import type { StepStore } from "./step-store.ts";

/** Longer than any run takes; only a hold that its run has lost gets this old. */
const holdMs = 24 * 60 * 60 * 1_000;

export interface ReserveDependencies {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

export const holdIdOf = (step: { runId: string; step: string }): string =>
  `${step.runId}#${step.step}`;

/** Credits that a step can cost at most. */
export const reservedFor = ({ items, scraper }: StepRecord): number =>
  creditsFor(items * stepScrapers[scraper].reserveQuarters);

/**
 * Reserves what a step can cost at most; returns the shortfall when the balance does not cover it,
 * else null. Asked for again, the same reservation is there once.
 */
export async function reserveStep(
  run: Run,
  step: StepRecord,
  { ledger, clock }: ReserveDependencies,
): Promise<Shortfall | null> {
  const now = clock.now();
  const needed = reservedFor(step);
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
    now,
    expiresAt: new Date(now.getTime() + holdMs),
  });
  return reserved.outcome === "reserved" ? null : { needed, available: reserved.balance };
}

/** Gives a reservation back untouched, if there is one. */
export const releaseStep = (
  run: Run,
  step: StepRecord,
  { ledger, clock }: ReserveDependencies,
): Promise<void> =>
  ledger.release({ accountId: run.accountId, holdId: holdIdOf(step), now: clock.now() });

/**
 * Reserves the credits of a step, and records the decision to read or to defer it. The first decision
 * counts. A step that is not read holds no credits, even if another process reserved them and then died.
 */
export async function decide(
  run: Run,
  step: StepRecord,
  dependencies: ReserveDependencies & { readonly steps: StepStore },
): Promise<StepDecision | "over"> {
  const decision = step.decision ?? (await reserveAndDecide(run, step, dependencies));
  if (decision !== "read") await releaseStep(run, step, dependencies);
  return decision;
}

async function reserveAndDecide(
  run: Run,
  step: StepRecord,
  dependencies: ReserveDependencies & { readonly steps: StepStore },
): Promise<StepDecision | "over"> {
  const shortfall = await reserveStep(run, step, dependencies);
  return dependencies.steps.decide(run, step, shortfall);
}
