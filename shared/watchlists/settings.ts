import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { count } from "../base/wire-schema.ts";
import { creditLimitField } from "../credits/credit-limit-field.ts";
import { defaultRefreshEveryRuns } from "../pipelines/default.ts";
import {
  type Brake,
  brakeField,
  type BrakeFields,
  brakeIn,
  defaultBrake,
  presentBrake,
  shownBrake,
} from "./brake-setting.ts";

/**
 * The settings that limit the runs of a watchlist. A run keeps the limits that its watchlist had at
 * the start of the run.
 */
export interface RunLimits {
  /** Maximum number of credits that a run may charge; null for no maximum. */
  readonly maxCreditsPerRun: number | null;
  /**
   * Maximum number of credits that the runs of the watchlist may charge on a UTC day; null for no
   * maximum.
   */
  readonly dailyCreditBudget: number | null;
  /** Limit above which a run holds its item events; null for none. */
  readonly brake: Brake | null;
}

/**
 * Settings of a watchlist that are parsed and stored separately from its other fields. The schemas
 * and conversions of this file serve request bodies, responses, stored rows, changes and runs. Add
 * a new setting to each schema and conversion.
 */
export interface WatchlistSettings extends RunLimits {
  /**
   * Number of runs from one refresh to the next, on the default pipeline of retailer_a. 0 disables
   * refreshes.
   */
  readonly refreshEveryRuns: number;
}

/** The limits of a watchlist for which the client set no limit and no brake. */
export const noLimits: RunLimits = {
  maxCreditsPerRun: null,
  dailyCreditBudget: null,
  brake: null,
};

/** Selects the limits of runs (credits and brake) from the settings of a watchlist. */
export const limitsOf = ({ maxCreditsPerRun, dailyCreditBudget, brake }: RunLimits): RunLimits => ({
  maxCreditsPerRun,
  dailyCreditBudget,
  brake,
});

/** The settings of a new watchlist if the client sets none. */
export const defaultSettings: WatchlistSettings = {
  ...noLimits,
  refreshEveryRuns: defaultRefreshEveryRuns,
  brake: defaultBrake,
};

const { refreshEveryRunsMax } = limits.pipeline;

/** Schemas of the settings in bodies. */
export const settingFields = {
  refresh_every_runs: v.optional(
    v.pipe(
      v.number(addRefusedValue("'refresh_every_runs' must be a number.")),
      v.integer(addRefusedValue("'refresh_every_runs' must be a whole number.")),
      v.minValue(0, addRefusedValue("'refresh_every_runs' must be at least 0.")),
      v.maxValue(
        refreshEveryRunsMax,
        addRefusedValue(
          `'refresh_every_runs' must be at most ${refreshEveryRunsMax.toLocaleString("en-US")}.`,
        ),
      ),
      v.description(
        "With retailer_a's default pipeline, every Nth run reads every item at lite. If that run is " +
          "skipped for lack of credits, the next run reads every item instead. 0: never. " +
          `Default: ${defaultRefreshEveryRuns}. On another platform or with a custom pipeline, the API ` +
          "returns 400: set `pipeline.refresh` instead.",
      ),
    ),
  ),
  max_credits_per_run: creditLimitField(
    "max_credits_per_run",
    "Maximum number of credits of a run. A step that would exceed it is deferred: its items wait " +
      "for the next run. Null if there is no maximum. A change applies from the next run on.",
  ),
  daily_credit_budget: creditLimitField(
    "daily_credit_budget",
    "Maximum number of credits that the runs of this watchlist may charge on a UTC day. A step " +
      "that would exceed it is deferred. Null if there is no maximum. A change applies from the next run on.",
  ),
  brake: brakeField,
};

/** Schemas of the settings in responses. */
export const shownSettingFields = {
  refresh_every_runs: v.pipe(
    count,
    v.description(
      "With the default pipeline of retailer_a, every run whose number is a multiple of this reads all " +
        "items at `lite`. 0: never.",
    ),
  ),
  max_credits_per_run: v.pipe(
    v.nullable(count),
    v.description("Maximum number of credits of a run. Null if there is no maximum."),
  ),
  daily_credit_budget: v.pipe(
    v.nullable(count),
    v.description(
      "Maximum number of credits that the runs may charge on a UTC day. Null if there is no maximum.",
    ),
  ),
  brake: shownBrake,
};

/** The fields of a body or a row that contain settings. */
interface SettingValues {
  readonly refresh_every_runs?: number | undefined;
  readonly max_credits_per_run?: number | null | undefined;
  readonly daily_credit_budget?: number | null | undefined;
  readonly brake?: BrakeFields | null | undefined;
}

/**
 * Converts the settings in a request body or a stored row to the settings of a watchlist. Absent
 * settings stay absent.
 */
export const settingsIn = ({
  refresh_every_runs: refreshEveryRuns,
  max_credits_per_run: maxCreditsPerRun,
  daily_credit_budget: dailyCreditBudget,
  brake,
}: SettingValues): Partial<WatchlistSettings> => ({
  ...(refreshEveryRuns !== undefined && { refreshEveryRuns }),
  ...(maxCreditsPerRun !== undefined && { maxCreditsPerRun }),
  ...(dailyCreditBudget !== undefined && { dailyCreditBudget }),
  ...(brake !== undefined && { brake: brakeIn(brake) }),
});

/**
 * Converts the settings in a stored row to the settings of a watchlist. A row of an earlier release
 * can lack settings. If a limit or the brake is absent, there is none. If `refresh_every_runs` is
 * absent, the default applies.
 */
export const settingsOfRow = (row: SettingValues): WatchlistSettings => ({
  ...defaultSettings,
  ...noLimits,
  ...settingsIn(row),
});

/**
 * Selects the settings from a request body, under their names in the body. Absent settings stay
 * absent.
 */
export const pickSettings = (body: SettingValues): SettingValues =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name in settingFields));

/** Converts the settings of a watchlist to their form in API responses and stored rows. */
export const presentSettings = ({
  refreshEveryRuns,
  maxCreditsPerRun,
  dailyCreditBudget,
  brake,
}: WatchlistSettings) => ({
  refresh_every_runs: refreshEveryRuns,
  max_credits_per_run: maxCreditsPerRun,
  daily_credit_budget: dailyCreditBudget,
  brake: presentBrake(brake),
});
