import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count } from "../base/wire-schema.ts";
import { defaultRefreshEveryRuns } from "../pipelines/default.ts";

/**
 * Settings of a watchlist that are plain values. To add a setting, add it to each declaration in
 * this file: request bodies, answers, stored rows and changes use them.
 */
export interface WatchlistSettings {
  /**
   * Number of runs from one refresh to the next, on the default pipeline of retailer_a. 0 disables
   * refreshes.
   */
  readonly refreshEveryRuns: number;
}

export const defaultSettings: WatchlistSettings = { refreshEveryRuns: defaultRefreshEveryRuns };

/** Schemas of the settings in bodies. */
export const settingFields = {
  refresh_every_runs: v.optional(
    v.pipe(
      v.number("'refresh_every_runs' must be a number."),
      v.integer("'refresh_every_runs' must be a whole number."),
      v.minValue(0, "'refresh_every_runs' must be at least 0."),
      v.maxValue(limits.refreshEveryRunsMax, "'refresh_every_runs' must be at most 1,000."),
      v.description(
        "With retailer_a's default pipeline, every Nth run reads every item at lite. If that run is " +
          "skipped for lack of credits, the next run does this. 0: never. " +
          `Default: ${defaultRefreshEveryRuns}. Returns 400 on another platform or with a custom ` +
          "pipeline: set `pipeline.refresh` instead.",
      ),
    ),
  ),
};

/** Schemas of the settings in answers. */
export const shownSettingFields = { refresh_every_runs: count };

/** Reads the settings of a body or a stored row. Absent settings stay absent. */
export const settingsIn = ({
  refresh_every_runs: refreshEveryRuns,
}: {
  readonly refresh_every_runs?: number | undefined;
}): Partial<WatchlistSettings> => ({
  ...(refreshEveryRuns !== undefined && { refreshEveryRuns }),
});

/** Converts the settings to their form in API responses and stored rows. */
export const presentSettings = ({
  refreshEveryRuns,
}: WatchlistSettings): Record<keyof typeof settingFields, number> => ({
  refresh_every_runs: refreshEveryRuns,
});
