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
const itemsMessage = `'items' is a whole number from 0 to ${itemsMax}.`;

/** Body of `POST /v1/watchlists/estimate`: what of a new list its credits depend on. */
export const estimateBody = v.object({
  platform: newWatchlistBody.entries.platform,
  marketplace: newWatchlistBody.entries.marketplace,
  items: v.pipe(
    v.number(itemsMessage),
    v.integer(itemsMessage),
    v.minValue(0, itemsMessage),
    v.maxValue(itemsMax, itemsMessage),
    v.description("How many items the list would hold, none of them read yet."),
  ),
  ...settingFields,
  pipeline: newWatchlistBody.entries.pipeline,
});

interface Estimate extends Shop {
  readonly items: number;
  readonly pipeline: Pipeline;
  readonly isDefault: boolean;
}

/** @throws what the creation of such a list would be refused with */
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

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const estimateRequest = v.pipe(estimateBody, v.transform(parseEstimate));

/** 200 of `POST /v1/watchlists/estimate`. */
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

/** The pipeline with its defaults filled in, and what its runs would cost. */
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
