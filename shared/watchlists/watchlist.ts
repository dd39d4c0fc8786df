import { defaultPipeline } from "../pipelines/default.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalog.ts";
import { type ItemCounts, totalOf } from "./item-counts.ts";
import type { Schedule } from "./schedule.ts";
import type { WatchlistSettings } from "./settings.ts";

/** Status of a watchlist. A paused watchlist has only manual runs. */
export type WatchlistStatus = "active" | "paused";
/**
 * Why a watchlist is paused: a client paused it, or scheduled runs were skipped for lack of
 * credits.
 */
export type PausedReason = "user" | "insufficient_credits";
/**
 * Status of the last run of a watchlist. `held`: the run waits until a client releases or discards
 * it. Until then, no other run starts.
 */
export type LastRunStatus = "running" | "held" | "completed" | "insufficient_credits" | "failed";

/** A watchlist as stored; times are ISO 8601 UTC. */
export interface Watchlist extends WatchlistSettings {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly platform: Platform;
  readonly marketplace: string;
  readonly status: WatchlistStatus;
  readonly pausedReason: PausedReason | null;
  readonly schedule: Schedule;
  /** Pipeline set for this watchlist; null if it uses the platform's default. */
  readonly pipeline: Pipeline | null;
  /**
   * ID of the webhook endpoint; null if all subscribed endpoints receive the watchlist's events.
   */
  readonly webhookEndpointId: string | null;
  /**
   * URL that this endpoint had when it was last set for the watchlist, or when a run last ended.
   * `endpointBinding` returns the current URL.
   */
  readonly webhookUrl: string | null;
  /** Exact counts, because they are updated in the same transactions as the pages. */
  readonly itemCounts: ItemCounts;
  /** Number of runs so far, which is also the number of the newest run. */
  readonly runCount: number;
  /** Number of scheduled runs in a row that were skipped for lack of credits. */
  readonly consecutiveSkips: number;
  /**
   * Fields that were missing in the answers of the source in earlier runs, as kind of reading and
   * field (`standard.price`). Absent if there are none. No run is held for these fields again.
   */
  readonly missingFields?: readonly string[];
  /** True if a missed refresh is due; see `shared/runs/refresh.ts`. */
  readonly refreshDue: boolean;
  /** Number of due times that were skipped because a run was in progress. */
  readonly overlaps: number;
  /** Number of the run in progress or of the held run; null if there is neither. */
  readonly runningRun: number | null;
  readonly lastRunAt: string | null;
  readonly lastRunStatus: LastRunStatus | null;
  /** Next due time, before which ticks have no effect; null while the watchlist is paused. */
  readonly nextRunAt: string | null;
  /** Version of the settings. It starts at 1 and increases with every change of the settings. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The fields of a watchlist that select its pipeline. */
export type PipelineChoice = Pick<Watchlist, "platform" | "pipeline" | "refreshEveryRuns">;

/**
 * Returns the pipeline that a client set for the watchlist, otherwise the default pipeline of its
 * platform.
 */
export const pipelineOf = (watchlist: PipelineChoice): Pipeline =>
  watchlist.pipeline ?? defaultPipeline(watchlist.platform, watchlist.refreshEveryRuns);

/**
 * Returns true for a watchlist without items. Such a watchlist does not run until items are added.
 */
export const isEmpty = ({ itemCounts }: Pick<Watchlist, "itemCounts">): boolean =>
  totalOf(itemCounts) === 0;
