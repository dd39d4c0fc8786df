import { limits } from "../../shared/base/limits.ts";
import type { StageConfig } from "../../lib/config.ts";
import { type Load, type Pipeline, simulate, type Simulated } from "./simulate.ts";

/** The assumptions of the simulation, in addition to the configuration of the stage. */
export interface Assumptions {
  readonly watchlists: number;
  /** Items of each watchlist. */
  readonly items: number;
  /** Steps of each run that read all items. */
  readonly steps: number;
  /** Seconds that a source takes to respond to a batch. */
  readonly batchSeconds: number;
  /** Seconds that a worker takes to start a run. */
  readonly startSeconds: number;
  /** Seconds that a worker takes to end a run. */
  readonly endSeconds: number;
}

export const defaultAssumptions: Assumptions = {
  watchlists: 10_000,
  items: limits.batchIdsMax,
  steps: 1,
  batchSeconds: 5,
  startSeconds: 0.3,
  endSeconds: 0.5,
};

/** The quota of EventBridge Scheduler for invocations per second in a large region. */
export const schedulesPerSecond = 1_000;

const quarterHour = 15 * 60;
/** The number of simulated periods, which is enough to show whether a queue grows. */
const periods = 4;

/** A simulated scenario with its result. */
export interface Scenario {
  readonly name: string;
  readonly simulated: Simulated;
  /** True if each run ends within 15 minutes of its due time. */
  readonly isInTime: boolean;
}

/**
 * Simulates three scenarios:
 * - Watchlists run every 15 minutes, spread evenly.
 * - The same number of watchlists run by a cron on the hour.
 * - The watchlists of one account run during a tick storm: all watchlists of another account, of
 *   the largest size, are due at the same time.
 */
export function simulateScenarios(
  { concurrencyMax }: Pick<StageConfig, "concurrencyMax">,
  assumptions: Assumptions,
): readonly Scenario[] {
  const { watchlists, items, steps, batchSeconds, startSeconds, endSeconds } = assumptions;
  const pipeline: Pipeline = {
    schedulesPerSecond,
    starters: { parallel: concurrencyMax.runs, seconds: startSeconds },
    readers: { parallel: concurrencyMax.steps, seconds: batchSeconds },
    finishers: { parallel: concurrencyMax.finishes, seconds: endSeconds },
  };
  const batches = Math.ceil(items / limits.batchIdsMax);
  const evenly = Array.from(
    { length: watchlists * periods },
    (_, n) => (n * quarterHour) / watchlists,
  );
  const onTheHour = Array.from({ length: watchlists }, () => 0);
  const ofOneAccount = Array.from({ length: limits.watchlistsMax }, (_, n) => n);
  return [
    scenario(
      "every 15 minutes, spread evenly",
      { load: { dueAt: evenly, batches, steps } },
      pipeline,
    ),
    scenario("by a cron on the hour", { load: { dueAt: onTheHour, batches, steps } }, pipeline),
    scenario(
      "of one account, one per second, while all watchlists of another are due",
      { load: { dueAt: ofOneAccount, batches, steps }, other: tickStorm },
      pipeline,
    ),
  ];
}

/** Runs to measure, and runs of another account at the same time. */
interface Loads {
  readonly load: Load;
  readonly other?: Load;
}

/** All watchlists that an account may have, of the largest size, due at the same time. */
const tickStorm: Load = {
  dueAt: Array.from({ length: limits.watchlistsMax }, () => 0),
  batches: Math.ceil(limits.watchlistItemsMax / limits.batchIdsMax),
  steps: 1,
};

function scenario(name: string, { load, other }: Loads, pipeline: Pipeline): Scenario {
  const simulated = simulate(load, pipeline, other);
  return { name, simulated, isInTime: simulated.duration.max <= quarterHour };
}
