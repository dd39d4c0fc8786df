import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count } from "../base/wire-schema.ts";
import { defaultRefreshEveryRuns } from "../pipelines/default.ts";

/**
 * Settings of a watchlist that need no more than a value of their own. Bodies, answers, stored rows
 * and changes take them from here: to add one, add it to each declaration of this file.
 */
export interface ListSettings {
  /** Of the default pipeline of retailer_a: every so many runs one is a refresh; 0: never. */
  readonly refreshEveryRuns: number;
}

export const defaultSettings: ListSettings = { refreshEveryRuns: defaultRefreshEveryRuns };

/** The fields of a body that creates or changes a watchlist. */
export const settingFields = {
  refresh_every_runs: v.optional(
    v.pipe(
      v.number("'refresh_every_runs' is a number."),
      v.integer("'refresh_every_runs' is a whole number."),
      v.minValue(0, "'refresh_every_runs' is at least 0."),
      v.maxValue(limits.refreshEveryRunsMax, "'refresh_every_runs' is at most 1,000."),
      v.description(
        "With retailer_a's default pipeline, every Nth run reads every item at lite. If that run is " +
          "skipped for lack of credits, the next run does this. 0: never. " +
          `Default: ${defaultRefreshEveryRuns}. Returns 400 on another platform or with a custom ` +
          "pipeline: set `pipeline.refresh` instead.",
      ),
    ),
  ),
};

/** The fields of an answer. */
export const shownSettingFields = { refresh_every_runs: count };

/** The settings that a body or a stored row has. */
export const settingsIn = ({
  refresh_every_runs: refreshEveryRuns,
}: {
  readonly refresh_every_runs?: number | undefined;
}): Partial<ListSettings> => ({
  ...(refreshEveryRuns !== undefined && { refreshEveryRuns }),
});

/** The settings as answers show them and rows store them. */
export const presentSettings = ({
  refreshEveryRuns,
}: ListSettings): Record<keyof typeof settingFields, number> => ({
  refresh_every_runs: refreshEveryRuns,
});
