import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count } from "../base/wire-schema.ts";
import { invalidParam, missingParam } from "../base/errors.ts";
import { idPattern } from "../base/ids.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import {
  type AccountForecast,
  accountForecastSchema,
  type Forecast,
  forecastSchema,
  presentAccountForecast,
} from "../credits/forecast.ts";
import { presentPipeline } from "../pipelines/default.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { estimatedCredits } from "../pipelines/estimate.ts";
import { parsePipeline } from "../pipelines/parse.ts";
import { pipelineSchema } from "../pipelines/pipeline-schema.ts";
import { parsePlatform, type Shop } from "../platforms/catalog.ts";
import {
  blockedByLimit,
  findBlockedSteps,
  blockedStepsField,
  blockingLimit,
} from "./blocking-limit.ts";
import type { PastRun } from "./forecast.ts";
import { checkRefreshSetting } from "./refresh-setting.ts";
import { newWatchlistBody, text, watchlistFields } from "./request.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";
import {
  defaultSettings,
  pickSettings,
  settingFields,
  settingsIn,
  type WatchlistSettings,
} from "./settings.ts";
import { watchlistPatch, type WatchlistPatch } from "./update-request.ts";
import type { ItemCounts } from "./item-counts.ts";
import { pipelineOf } from "./watchlist.ts";

const itemsMax = limits.watchlistItemsMax;

function itemCountField(name: string, description: string) {
  const message = addRefusedValue(`'${name}' must be a whole number from 0 to ${itemsMax}.`);
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(0, message),
    v.maxValue(itemsMax, message),
    v.description(description),
  );
}

/** Body of `POST /v1/watchlists/estimate`: the fields of a watchlist that determine its credits. */
export const estimateBody = v.object({
  platform: newWatchlistBody.entries.platform,
  marketplace: newWatchlistBody.entries.marketplace,
  items: v.optional(itemCountField("items", "Alias of `item_count`.")),
  item_count: v.optional(
    itemCountField("item_count", "Number of items of a new watchlist, none of them read yet."),
  ),
  watchlist_id: v.optional(
    v.pipe(
      text("watchlist_id"),
      v.metadata({ pattern: idPattern("watchlist").source }),
      v.description(
        "ID of an existing watchlist, instead of `platform`, `marketplace` and `item_count`. The other " +
          "fields change its settings for this estimate only.",
      ),
    ),
  ),
  every: v.optional(watchlistFields.every),
  cron: v.optional(watchlistFields.cron),
  timezone: v.optional(watchlistFields.timezone),
  ...settingFields,
  pipeline: newWatchlistBody.entries.pipeline,
});

type Body = v.InferOutput<typeof estimateBody>;

/**
 * The watchlist to estimate: a watchlist that does not exist yet, or a stored watchlist with its
 * changes.
 */
export interface Estimate extends Shop, WatchlistSettings {
  readonly itemCounts: ItemCounts;
  /** The pipeline to estimate; null for the platform's default pipeline. */
  readonly pipeline: Pipeline | null;
  /** The schedule; null if the request has none, so that the response has no forecast. */
  readonly schedule: Schedule | null;
  readonly runCount: number;
}

/** The parsed body: a new watchlist, or an existing one with changes. */
export type EstimateRequest =
  | { readonly kind: "new"; readonly estimate: Estimate }
  | { readonly kind: "existing"; readonly watchlistId: string; readonly patch: WatchlistPatch };

/**
 * Parses the body.
 * @throws 400 that names the invalid or missing parameter; 501 for a platform that is announced but
 * not available yet
 */
function parseEstimate(body: Body): EstimateRequest {
  const { watchlist_id: watchlistId } = body;
  if (watchlistId === undefined) return { kind: "new", estimate: newEstimate(body) };
  for (const param of ["platform", "marketplace", "items", "item_count"] as const) {
    if (body[param] !== undefined) {
      throw invalidParam(param, `Send 'watchlist_id' or '${param}', not both.`);
    }
  }
  const { every, cron, timezone, pipeline } = body;
  const patch = v.parse(watchlistPatch, {
    ...pickSettings(body),
    ...(every !== undefined && { every }),
    ...(cron !== undefined && { cron }),
    ...(timezone !== undefined && { timezone }),
    ...(pipeline !== undefined && { pipeline }),
  });
  return { kind: "existing", watchlistId, patch };
}

/** Parses the estimate of a watchlist that does not exist yet. */
function newEstimate(body: Body): Estimate {
  const shop = parsePlatform(body);
  const { items, item_count: itemCount } = body;
  if (items !== undefined && itemCount !== undefined) {
    throw invalidParam("items", "Send 'item_count' or 'items', not both.");
  }
  const newItems = itemCount ?? items;
  if (newItems === undefined) throw missingParam("item_count");
  const pipeline = body.pipeline == null ? null : parsePipeline(body.pipeline, shop);
  const settings = settingsIn(body);
  checkRefreshSetting({ ...shop, ...settings, pipeline });
  const { every, cron, timezone } = body;
  const hasSchedule = every !== undefined || cron !== undefined || timezone !== undefined;
  return {
    ...shop,
    ...defaultSettings,
    ...settings,
    itemCounts: { new: newItems, active: 0, delisted: 0 },
    pipeline,
    schedule: hasSchedule ? parseSchedule(body) : null,
    runCount: 0,
  };
}

/**
 * Body schema of `POST /v1/watchlists/estimate`. Its transform throws `ServiceError` for values
 * that the schema cannot check.
 */
export const estimateRequest = v.pipe(estimateBody, v.transform(parseEstimate));

/** Response 200 of `POST /v1/watchlists/estimate`. */
export const estimateResponse = v.object({
  object: v.literal("watchlist_estimate"),
  platform: v.string(),
  marketplace: v.string(),
  items: count,
  pipeline: pipelineSchema,
  default_pipeline: v.boolean(),
  estimated_credits: v.pipe(
    v.object({ pulseRun: count, refreshRun: count, newAsins: count }),
    v.description(
      "Credits of an ordinary run, of a refresh run, and of the first reads of new items.",
    ),
  ),
  blocked_by_limit: blockedByLimit,
  blocked_steps: blockedStepsField,
  forecast: v.nullable(
    v.pipe(
      forecastSchema,
      v.description("Credits of the scheduled runs. Null if the request has no schedule."),
    ),
  ),
  account_forecast: v.nullable(accountForecastSchema),
});

/** The context of an estimate: the account's budget, and the past runs of the watchlist. */
export interface EstimateContext {
  /** The daily budget of the account; null if it has none. */
  readonly accountBudget: number | null;
  /** The newest completed runs; empty for a watchlist that does not exist yet. */
  readonly runs: readonly PastRun[];
  /** The number of items that the newest run deferred, by ID of the step. */
  readonly deferred: ReadonlyMap<string, number>;
  /**
   * The forecasts for the watchlist (`own`) and for the account; null if the request has no
   * schedule.
   */
  readonly forecasts: { readonly own: Forecast; readonly account: AccountForecast } | null;
}

/**
 * Builds the response of `POST /v1/watchlists/estimate`: the complete pipeline, the estimated
 * credits of its runs, the credit limits that block the runs, and the forecasts for this watchlist
 * and for the account.
 */
export function presentEstimate(
  estimate: Estimate,
  { accountBudget, runs, deferred, forecasts }: EstimateContext,
): v.InferOutput<typeof estimateResponse> {
  const { platform, marketplace, itemCounts, pipeline: own } = estimate;
  const pipeline = pipelineOf(estimate);
  return {
    object: "watchlist_estimate",
    platform,
    marketplace,
    items: itemCounts.new + itemCounts.active + itemCounts.delisted,
    pipeline: presentPipeline(pipeline),
    default_pipeline: own === null,
    estimated_credits: estimatedCredits(pipeline, itemCounts),
    blocked_by_limit: blockingLimit({ ...estimate, accountBudget }),
    blocked_steps: findBlockedSteps({ ...estimate, accountBudget }, runs, deferred),
    forecast: forecasts === null ? null : forecasts.own,
    account_forecast: forecasts === null ? null : presentAccountForecast(forecasts.account),
  };
}
