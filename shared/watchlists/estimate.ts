import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count } from "../base/wire-schema.ts";
import { defaultPipeline, defaultRefreshEveryRuns, presentPipeline } from "../pipelines/default.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { estimatedCredits } from "../pipelines/estimate.ts";
import { parsePipeline } from "../pipelines/parse.ts";
import { pipelineSchema } from "../pipelines/pipeline-schema.ts";
import { parsePlatform, type Shop } from "../platforms/catalogue.ts";
import { checkRefreshSetting } from "./refresh-setting.ts";
import { newWatchlistBody } from "./request.ts";
import { settingFields } from "./settings.ts";

const itemsMax = limits.watchlistItemsMax;
const itemsMessage = `'items' must be a whole number from 0 to ${itemsMax}.`;

/** Body of `POST /v1/watchlists/estimate`: the fields of a watchlist that determine its credits. */
export const estimateBody = v.object({
  platform: newWatchlistBody.entries.platform,
  marketplace: newWatchlistBody.entries.marketplace,
  items: v.pipe(
    v.number(itemsMessage),
    v.integer(itemsMessage),
    v.minValue(0, itemsMessage),
    v.maxValue(itemsMax, itemsMessage),
    v.description("Number of items of the watchlist, all of them new."),
  ),
  ...settingFields,
  pipeline: newWatchlistBody.entries.pipeline,
});

interface Estimate extends Shop {
  readonly items: number;
  readonly pipeline: Pipeline;
  readonly isDefault: boolean;
}

/** @throws the same errors as the creation of such a watchlist */
function parseEstimate(body: v.InferOutput<typeof estimateBody>): Estimate {
  const shop = parsePlatform(body);
  const isDefault = body.pipeline == null;
  const own = isDefault ? null : parsePipeline(body.pipeline, shop);
  const refreshEveryRuns = body.refresh_every_runs;
  checkRefreshSetting({ ...shop, refreshEveryRuns, pipeline: own });
  const pipeline =
    own ?? defaultPipeline(shop.platform, refreshEveryRuns ?? defaultRefreshEveryRuns);
  return { ...shop, items: body.items, pipeline, isDefault };
}

/**
 * Body schema of the route. Its transform throws `ServiceError` for values that the schema cannot
 * check.
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
      "Credits of an ordinary run, of a refresh run, and of the first read of every item.",
    ),
  ),
});

/**
 * Builds the response of `POST /v1/watchlists/estimate`: the complete pipeline and the estimated
 * credits of its runs.
 */
export const presentEstimate = ({
  items,
  pipeline,
  isDefault,
  ...shop
}: Estimate): v.InferOutput<typeof estimateResponse> => ({
  object: "watchlist_estimate",
  platform: shop.platform,
  marketplace: shop.marketplace,
  items,
  pipeline: presentPipeline(pipeline),
  default_pipeline: isDefault,
  estimated_credits: estimatedCredits(pipeline, { new: items, active: 0, delisted: 0 }),
});
