import type { RunEvents } from "../../shared/events/event.ts";
import { defaultPipeline } from "../../shared/pipelines/default.ts";
import type { ItemOutcome } from "../../shared/runs/item-outcome.ts";
import { emptyStats, type Run } from "../../shared/runs/run.ts";
import type { StepRecord } from "../../shared/runs/step.ts";
import { noLimits } from "../../shared/watchlists/settings.ts";
import { runEvents } from "../../shared/runs/run-events.ts";
import { resultsIn } from "./results-in.ts";

/** The run whose events `runOfChanges` creates. */
export interface RunOfChanges {
  readonly accountId: string;
  readonly runId: string;
  readonly runNumber: number;
  /** The number of items with a changed price. An event contains at most 500 of them. */
  readonly items: number;
  /** Start and end of the run (ISO 8601). */
  readonly startedAt: string;
}

const watchlistId = "wl_prices";

/**
 * Creates the events of a finished run in which the price of every item changed. The events have
 * the same fields as the events that the run engine makes.
 */
export async function runOfChanges(wanted: RunOfChanges): Promise<RunEvents> {
  const { accountId, runId, runNumber, items, startedAt } = wanted;
  const pipeline = defaultPipeline("retailer_a", 8);
  const run: Run = {
    id: runId,
    accountId,
    watchlistId,
    runNumber,
    trigger: "schedule",
    kind: "refresh",
    phase: "emitting",
    status: "completed",
    startedAt,
    finishedAt: startedAt,
    credits: items,
    stats: { ...emptyStats("lite"), tracked: items, changed: items },
    error: null,
    progressAt: startedAt,
    pipeline,
    limits: noLimits,
    plan: "p",
    watchlist: {
      id: watchlistId,
      name: "Prices \u2603",
      platform: "retailer_a",
      marketplace: "us",
      currency: "USD",
      status: "active",
      pausedReason: null,
      nextRunAt: startedAt,
      webhookEndpointId: null,
    },
  };
  const step: StepRecord = {
    runId,
    step: "lite",
    position: 0,
    scraper: "retailer_a.lite",
    plan: "p",
    batches: 1,
    items,
    starts: null,
    decision: "read",
    shortfall: null,
    isSent: false,
    done: new Set([0]),
    stats: null,
  };
  const outcomes = Array.from({ length: items }, (_, n) => changeOf(n, startedAt));
  const events = await Array.fromAsync(runEvents(run, resultsIn([{ step, outcomes }])));
  return {
    accountId,
    watchlistId,
    runId,
    runNumber,
    runStartedAt: startedAt,
    webhookEndpointId: null,
    events,
  };
}

/** Returns an integer below `below` that looks random and is the same for the same arguments. */
const scatter = (n: number, factor: number, below: number): number =>
  Number((BigInt(n + 1) * BigInt(factor)) % BigInt(below));

function changeOf(n: number, at: string): ItemOutcome {
  const id = `B0${n.toString(36).toUpperCase().padStart(8, "0")}`;
  const before = (scatter(n, 7_919, 99_991) + 100) / 100;
  const price = (scatter(n, 104_729, 99_989) + 100) / 100;
  return {
    id,
    addedAt: at,
    at,
    status: "ok",
    changes: { price: { before, after: price } },
    reported: {
      price,
      inStock: n % 9 !== 0,
      availabilityType: "NOW",
      isFba: n % 2 === 0,
      offerListingId: scatter(n, 2_654_435_761, 2 ** 48).toString(36),
      merchant: `A${scatter(n, 15_485_863, 999_983).toString(36).toUpperCase()}`,
      condition: "New",
      newCount: n % 12,
      newMinPrice: price,
      usedCount: n % 3,
      usedMinPrice: n % 3 === 0 ? null : price / 2,
    },
  };
}
