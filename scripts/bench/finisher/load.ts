import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { emptyStats, type Run } from "../../../shared/runs/run.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import { noLimits } from "../../../shared/watchlists/settings.ts";

const startedAt = "2026-11-20T10:00:00.000Z";
const stepName = (n: number): string => `step_${n}`;

/** The number of steps of the run, and of the items that each step reads. */
export interface RunSize {
  /** The number of steps of the run. */
  readonly steps: number;
  readonly items: number;
}

/** The run of the bench, before it ends. */
export const benchRun = {
  id: "wlrun_bench",
  accountId: "acct_bench",
  watchlistId: "wl_bench",
  runNumber: 2,
  trigger: "schedule",
  kind: "sweep",
  phase: "finishing",
  status: "completed",
  startedAt,
  finishedAt: null,
  credits: 0,
  stats: emptyStats(stepName(0)),
  error: null,
  progressAt: startedAt,
  limits: noLimits,
  plan: "plan",
  watchlist: {
    id: "wl_bench",
    name: "Prices",
    platform: "retailer_a",
    marketplace: "us",
    currency: "USD",
    status: "active",
    pausedReason: null,
    nextRunAt: startedAt,
    webhookEndpointId: null,
  },
} as const satisfies Omit<Run, "pipeline">;

/**
 * Returns a run whose pipeline has `steps` steps, for a watchlist of `items` items. Each step
 * reports every changed item, and sends it to the next step.
 */
export const runWith = ({ steps, items }: RunSize): Run => ({
  ...benchRun,
  stats: { ...benchRun.stats, tracked: items },
  pipeline: {
    entry: stepName(0),
    baseline: null,
    refresh: null,
    steps: Array.from({ length: steps }, (_, n) => ({
      id: stepName(n),
      scraper: "retailer_a.lite",
      routes: [{ when: "changed", notify: true, ...(n + 1 < steps && { run: stepName(n + 1) }) }],
    })),
  },
});

/** Returns the record of step `n`, from 0, which has read `items` items. */
export const recordOf = (n: number, items: number): StepRecord => ({
  runId: benchRun.id,
  step: stepName(n),
  position: n,
  scraper: "retailer_a.lite",
  plan: "plan",
  batches: Math.ceil(items / 1_000),
  items,
  starts: "plan",
  decision: "read",
  shortfall: null,
  isSent: true,
  done: new Set(),
  stats: null,
});

/** Returns an integer below `below` that looks random and is the same for the same arguments. */
const scatter = (n: number, factor: number, below: number): number =>
  Number((BigInt(n + 1) * BigInt(factor)) % BigInt(below));

/**
 * Returns the outcomes of the step with number `step`, one for each of these item numbers, in their
 * order. In each outcome, the price has changed.
 */
export const outcomesOf = (step: number, items: readonly number[]): readonly ItemOutcome[] =>
  items.map((n) => {
    const seed = n * 16 + step;
    const before = (scatter(seed, 7_919, 99_991) + 100) / 100;
    const price = (scatter(seed, 104_729, 99_989) + 100) / 100;
    const observed = { price: { before, after: price } };
    return {
      id: `B0${n.toString(36).toUpperCase().padStart(8, "0")}`,
      addedAt: startedAt,
      at: startedAt,
      status: "ok",
      observed,
      changes: observed,
      reported: {
        price,
        inStock: n % 9 !== 0,
        availabilityType: "NOW",
        isFba: n % 2 === 0,
        offerListingId: scatter(seed, 2_654_435_761, 2 ** 48).toString(36),
        merchant: `A${scatter(seed, 15_485_863, 999_983).toString(36).toUpperCase()}`,
        condition: "New",
        newCount: n % 12,
        newMinPrice: price,
        usedCount: n % 3,
        usedMinPrice: n % 3 === 0 ? null : price / 2,
      },
    };
  });
