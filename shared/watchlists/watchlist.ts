import { defaultPipeline } from "../pipelines/default.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalogue.ts";
import type { Schedule } from "./schedule.ts";
import type { ListSettings } from "./settings.ts";

export type WatchlistStatus = "active" | "paused";
export type PausedReason = "user" | "insufficient_credits";
export type LastRunStatus = "running" | "completed" | "insufficient_credits" | "failed";

/** Items of a list by state (specification, section "States and transitions"). */
export interface ItemCounts {
  readonly new: number;
  readonly active: number;
  readonly delisted: number;
}

export const noItems: ItemCounts = { new: 0, active: 0, delisted: 0 };

/** A watchlist as stored; times are ISO 8601 UTC. */
export interface Watchlist extends ListSettings {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly platform: Platform;
  readonly marketplace: string;
  readonly status: WatchlistStatus;
  readonly pausedReason: PausedReason | null;
  readonly schedule: Schedule;
  /** The list's own pipeline; null: its platform's default. */
  readonly pipeline: Pipeline | null;
  /** The endpoint that the list names; null: every subscribed endpoint. */
  readonly webhookEndpointId: string | null;
  /** That endpoint's URL when the list was last bound or run; `endpointBinding` has the current one. */
  readonly webhookUrl: string | null;
  /** Exact at every instant: moved in the transactions that move the pages. */
  readonly itemCounts: ItemCounts;
  readonly runCount: number;
  readonly consecutiveSkips: number;
  /** A refresh that read nothing is still to be done; `shared/runs/refresh.ts` has the rule. */
  readonly refreshDue: boolean;
  /** Due times that fell into a running run. */
  readonly overlaps: number;
  /** Number of the run in progress, or null. */
  readonly runningRun: number | null;
  readonly lastRunAt: string | null;
  readonly lastRunStatus: LastRunStatus | null;
  /** When the list is due: the truth that every trigger is checked against; null while paused. */
  readonly nextRunAt: string | null;
  /** Counts the changes of the list's settings. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The pipeline that a list's runs take: its own, or its platform's default. */
export const pipelineOf = (
  list: Pick<Watchlist, "platform" | "pipeline" | "refreshEveryRuns">,
): Pipeline => list.pipeline ?? defaultPipeline(list.platform, list.refreshEveryRuns);

/** True for a watchlist without items. It does not run until items are added. */
export const isEmpty = ({ itemCounts }: Pick<Watchlist, "itemCounts">): boolean =>
  itemCounts.new + itemCounts.active + itemCounts.delisted === 0;
