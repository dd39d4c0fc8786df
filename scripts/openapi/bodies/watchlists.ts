import * as v from "valibot";
import { backtestBody } from "../../../shared/backtest/backtest-request.ts";
import { pipelineBody } from "../../../shared/pipelines/pipeline-body.ts";
import { type Platform, platforms } from "../../../shared/platforms/catalog.ts";
import { previewBody } from "../../../shared/preview/preview-request.ts";
import { estimateBody } from "../../../shared/watchlists/estimate.ts";
import { itemChangeBody } from "../../../shared/watchlists/items-request.ts";
import { newWatchlistBody } from "../../../shared/watchlists/request.ts";
import { watchlistPatchBody } from "../../../shared/watchlists/update-request.ts";
import type { JsonObject } from "../../../tools/documents/json-schema.ts";
import { byValue, exactlyOne, forbidFields, requireField } from "../rules.ts";
import { idListRule } from "./item-ids.ts";
import { platformSteps } from "./pipeline.ts";
import { newItemBody } from "../../../shared/watchlists/id-list.ts";

/**
 * Returns the schema of `pipeline` in a request body of the OpenAPI document. The service's own
 * body schemas accept any value here, because a pipeline can be checked only with the platform.
 * @param withoutPipeline a sentence about what the service does if the body has no pipeline
 */
const pipeline = (withoutPipeline: string) =>
  v.pipe(v.nullish(pipelineBody), v.description(`Steps and routes. ${withoutPipeline}`));

/**
 * The default platform is last, because the rules of the last case also apply to a body without a
 * platform.
 */
const platformIds = (Object.keys(platforms) as Platform[]).toReversed();

const platformRules = (rules: (platform: Platform) => JsonObject): JsonObject =>
  byValue(
    "platform",
    platformIds.map((platform) => ({ values: [platform], rules: rules(platform) })),
  );

/** The item IDs and the pipeline of a new watchlist depend on its platform. */
const itemsOfPlatform = platformRules((platform) => ({
  properties: {
    ids: idListRule(platform),
    asins: idListRule(platform),
    pipeline: platformSteps(platform),
  },
  ...(platform === "retailer_a"
    ? exactlyOne("ids", "asins")
    : {
        ...forbidFields("asins", "refresh_every_runs"),
        dependentSchemas: { name: requireField("ids") },
      }),
}));

/**
 * `refresh_every_runs` belongs to the default pipeline, so it is refused with a custom pipeline.
 */
const onlyDefaultPipeline: JsonObject = {
  refresh_every_runs: { properties: { pipeline: { type: "null" } } },
};

/** A body contains the URL or the ID of a webhook endpoint, not both. */
const oneEndpoint: JsonObject = {
  if: { properties: { webhook_url: { type: "string" } }, required: ["webhook_url"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
  then: { properties: { webhook_endpoint_id: { type: "null" } } },
};

const { every, cron, timezone, ...newFields } = newWatchlistBody.entries;
const newWatchlist = {
  ...newFields,
  pipeline: pipeline("Default: the platform's default pipeline."),
};

/** Bodies of `POST /v1/watchlists`, by the kind of schedule. */
export const newWatchlistBodies = {
  NewWatchlistWithCadence: {
    schema: v.object({ ...newWatchlist, every: every.wrapped }),
    rules: {
      ...forbidFields("cron", "timezone"),
      ...oneEndpoint,
      dependentSchemas: { name: itemsOfPlatform, ...onlyDefaultPipeline },
    },
  },
  NewWatchlistWithCron: {
    schema: v.object({ ...newWatchlist, cron: cron.wrapped, timezone }),
    rules: {
      ...forbidFields("every"),
      ...oneEndpoint,
      dependentSchemas: { name: itemsOfPlatform, ...onlyDefaultPipeline },
    },
  },
};

const { ids: _ids, asins: _asins, ...patchFields } = watchlistPatchBody.entries;

/**
 * A new item, and the bodies of all operations on watchlists except the creation, by schema name.
 */
export const watchlistBodies = {
  NewItem: { schema: newItemBody, rules: {} },
  WatchlistUpdate: {
    schema: v.object({
      ...patchFields,
      pipeline: pipeline("Null restores the platform's default."),
    }),
    rules: {
      dependentSchemas: { every: forbidFields("cron", "timezone"), ...onlyDefaultPipeline },
    },
  },
  WatchlistEstimateRequest: {
    schema: v.object({
      ...estimateBody.entries,
      pipeline: pipeline("Default: the platform's default pipeline."),
    }),
    rules: {
      ...platformRules((platform) => ({
        properties: { pipeline: platformSteps(platform) },
        ...(platform === "retailer_a" ? {} : forbidFields("refresh_every_runs")),
      })),
      dependentSchemas: {
        ...onlyDefaultPipeline,
        every: forbidFields("cron", "timezone"),
        watchlist_id: forbidFields("platform", "marketplace", "items", "item_count"),
        items: forbidFields("item_count"),
      },
      anyOf: [
        { required: ["watchlist_id"] },
        { required: ["items"] },
        { required: ["item_count"] },
      ],
    },
  },
  WatchlistBacktestRequest: {
    schema: v.object({
      ...backtestBody.entries,
      pipeline: pipeline("Default: the pipeline of the watchlist."),
    }),
    rules: {},
  },
  WatchlistPreviewRequest: {
    schema: v.object({
      ...previewBody.entries,
      pipeline: pipeline("Default: the pipeline of the watchlist."),
    }),
    rules: {
      dependentSchemas: { items: { properties: { items: { minItems: 1, minLength: 1 } } } },
    },
  },
  WatchlistItemsUpdate: {
    schema: itemChangeBody,
    rules: {
      // At least one ID to add or to remove.
      if: { properties: { add: { minItems: 1, minLength: 1 } }, required: ["add"] },
      else: { properties: { remove: { minItems: 1, minLength: 1 } }, required: ["remove"] },
    },
  },
};
