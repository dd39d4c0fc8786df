import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { idPattern } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { oneOf } from "../base/valid-values.ts";
import { lengthOf, visibleNamePattern, visibleText } from "../base/visible-text.ts";
import { cronLengthMax, cronPattern } from "../cron/cron-pattern.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { parsePipeline } from "../pipelines/parse.ts";
import { parsePlatform, type Shop } from "../platforms/catalog.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { itemList, parseItems, type RequestedItems } from "./id-list.ts";
import type { GivenLabels } from "./item-details.ts";
import { bodyHashOf, idempotencyKeyRule } from "./idempotency.ts";
import { checkEndpointParams, type EndpointParams } from "./named-endpoint.ts";
import { checkRefreshSetting } from "./refresh-setting.ts";
import { everyPattern, parseSchedule, type Schedule } from "./schedule.ts";
import { defaultSettings, type WatchlistSettings, settingFields, settingsIn } from "./settings.ts";
import type { WatchlistStatus } from "./watchlist.ts";

const nameMax = limits.watchlistNameLengthMax;
/**
 * Creates the schema of a string parameter.
 * @param what name of the parameter, for the error message
 */
export const text = (what: string) => v.string(addRefusedValue(`'${what}' must be a string.`));

/**
 * Schemas of watchlist fields that several bodies and queries use. The caller makes them optional.
 */
export const watchlistFields = {
  name: v.pipe(
    text("name"),
    v.trim(),
    v.minLength(1, "'name' is empty. Send a name for the watchlist."),
    v.check(
      (name) => lengthOf(name) <= nameMax,
      ({ input }) =>
        `'name' must have at most ${nameMax} characters (got ${lengthOf(input)}). Shorten it.`,
    ),
    visibleText("name"),
    v.metadata({ maxLength: nameMax, pattern: visibleNamePattern }),
    v.description(`Name of the watchlist, up to ${nameMax} characters.`),
  ),
  every: v.pipe(
    text("every"),
    v.metadata({ pattern: everyPattern }),
    v.description("Cadence: time between the starts of two runs, 5m to 7d, such as 15m, 1h or 1d."),
    v.examples(["15m"]),
  ),
  cron: v.pipe(
    text("cron"),
    v.metadata({ maxLength: cronLengthMax, pattern: cronPattern }),
    v.description(
      "Instead of `every`: a cron expression of five fields, or @hourly, @daily, @weekly and so on.",
    ),
    v.examples(["*/15 8-18 * * MON-FRI"]),
  ),
  timezone: v.pipe(
    text("timezone"),
    v.description("IANA time zone of the cron. Default: UTC."),
    v.examples(["Europe/Berlin"]),
  ),
  webhookUrl: v.pipe(
    text("webhook_url"),
    v.metadata({ format: "uri" }),
    v.description(
      "URL of the webhook endpoint that receives this watchlist's events. No other endpoint receives them.",
    ),
  ),
  webhookEndpointId: v.pipe(
    text("webhook_endpoint_id"),
    v.metadata({ pattern: idPattern("webhookEndpoint").source }),
    v.description("ID of the webhook endpoint. Send this or `webhook_url`."),
  ),
  status: v.pipe(
    oneOf("status", ["active", "paused"]),
    v.description("A paused watchlist has manual runs only."),
  ),
} as const;

/** Body of `POST /v1/watchlists` before parsing (specification, section "Watchlists"). */
export const newWatchlistBody = v.object({
  name: watchlistFields.name,
  ids: v.optional(
    v.pipe(
      itemList("ids"),
      v.metadata({ minItems: 1, maxItems: limits.watchlistItemsMax, minLength: 1 }),
      v.description(
        `1 to ${limits.watchlistItemsMax} items of the platform: IDs, objects with \`id\`, ` +
          "`label` and `metadata`, or one string with IDs separated by newlines or commas.",
      ),
    ),
  ),
  asins: v.optional(
    v.pipe(
      itemList("asins"),
      v.metadata({ minItems: 1, maxItems: limits.watchlistItemsMax, minLength: 1 }),
      v.description("Alias of `ids` on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  ...shopFields(),
  every: v.optional(watchlistFields.every),
  cron: v.optional(watchlistFields.cron),
  timezone: v.optional(watchlistFields.timezone),
  webhook_url: v.nullish(watchlistFields.webhookUrl),
  webhook_endpoint_id: v.nullish(watchlistFields.webhookEndpointId),
  ...settingFields,
  pipeline: v.nullish(
    v.pipe(
      v.unknown(),
      v.description("Steps and routes. Default: the platform's default pipeline."),
    ),
  ),
  status: v.optional(
    v.pipe(
      watchlistFields.status,
      v.description(
        "Default: `active`. `paused`: the new watchlist has the `paused_reason` `user` and does not run until " +
          "you resume it. The first run is then due immediately.",
      ),
    ),
  ),
  idempotency_key: v.optional(
    v.pipe(
      text("idempotency_key"),
      v.metadata(idempotencyKeyRule),
      v.description(
        "The same as the header Idempotency-Key: 1 to 255 characters of printable ASCII.",
      ),
    ),
  ),
});
type Body = v.InferOutput<typeof newWatchlistBody>;

/** The parsed body of `POST /v1/watchlists`. Its item IDs are valid, normalized and unique. */
export interface NewWatchlist extends Shop, EndpointParams {
  readonly name: string;
  readonly ids: readonly string[];
  /** The labels and metadata that the body sets, by item ID. */
  readonly labels: ReadonlyMap<string, GivenLabels>;
  readonly schedule: Schedule;
  readonly settings: WatchlistSettings;
  /** The watchlist's pipeline; null for the platform's default pipeline. */
  readonly pipeline: Pipeline | null;
  readonly status: WatchlistStatus;
  /** The idempotency key in the body; undefined if absent. */
  readonly idempotencyKey: string | undefined;
  /**
   * SHA-256 of the body. Two bodies have the same hash if they differ only in the order of their
   * keys, or if one has the default status and the other has no status.
   */
  readonly bodyHash: string;
}

/**
 * Parses the body of `POST /v1/watchlists`, sets defaults, and checks all rules that do not need
 * stored data.
 * @throws 501 for a platform that is announced, but not yet available; 400 that names the invalid
 * parameter
 */
export function parseNewWatchlist(body: Body): NewWatchlist {
  const shop = parsePlatform(body);
  const { ids, labels } = parseIds(shop, body);
  const endpoint = {
    webhookUrl: body.webhook_url ?? null,
    webhookEndpointId: body.webhook_endpoint_id ?? null,
  };
  checkEndpointParams(endpoint);
  const schedule = parseSchedule(body);
  const pipeline = body.pipeline == null ? null : parsePipeline(body.pipeline, shop);
  const settings = settingsIn(body);
  checkRefreshSetting({ ...shop, ...settings, pipeline });
  const { idempotency_key: idempotencyKey, status = "active", ...rest } = body;
  return {
    ...shop,
    ...endpoint,
    name: body.name,
    ids,
    labels,
    schedule,
    settings: { ...defaultSettings, ...settings },
    pipeline,
    status,
    idempotencyKey,
    // `active` is the default status, so the hash must be the same as without a status.
    bodyHash: bodyHashOf(status === "active" ? rest : { ...rest, status }),
  };
}

/**
 * The body schema of the route. Its transform throws `ServiceError` for values that the schema
 * cannot check.
 */
export const newWatchlist = v.pipe(newWatchlistBody, v.transform(parseNewWatchlist));

function parseIds({ platform }: Shop, { ids, asins }: Body): RequestedItems {
  if (ids !== undefined && asins !== undefined) {
    throw invalidParam("asins", "Send 'ids' or 'asins', not both.");
  }
  if (asins !== undefined && platform !== "retailer_a") {
    throw invalidParam("asins", `'asins' applies to retailer_a only. Send 'ids' for ${platform}.`);
  }
  const raw = ids ?? asins;
  if (raw === undefined) {
    throw platform === "retailer_a"
      ? missingParam(
          "ids",
          "Parameter 'ids' is required. For retailer_a, 'asins' is accepted instead.",
        )
      : missingParam("ids");
  }
  const param = ids === undefined ? "asins" : "ids";
  const parsed = parseItems(platform, raw, param);
  const count = parsed.ids.length;
  if (count === 0) {
    throw invalidParam(param, `'${param}' is empty. Send 1 to ${limits.watchlistItemsMax} IDs.`);
  }
  if (count > limits.watchlistItemsMax) {
    throw invalidParam(
      param,
      `'${param}' must have at most ${limits.watchlistItemsMax} IDs (got ${count}). Send fewer.`,
    );
  }
  return parsed;
}
