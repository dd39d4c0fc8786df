import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { idPattern } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { lengthOf, visibleNamePattern, visibleText } from "../base/visible-text.ts";
import { cronLengthMax, cronPattern } from "../cron/cron-pattern.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { parsePipeline } from "../pipelines/parse.ts";
import { parsePlatform, type Shop } from "../platforms/catalogue.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { idList } from "./id-list.ts";
import { bodyHashOf, idempotencyKeyRule } from "./idempotency.ts";
import { checkEndpointParams, type EndpointParams } from "./named-endpoint.ts";
import { checkRefreshSetting } from "./refresh-setting.ts";
import { everyPattern, parseSchedule, type Schedule } from "./schedule.ts";
import { defaultSettings, type ListSettings, settingFields, settingsIn } from "./settings.ts";
import type { WatchlistStatus } from "./watchlist.ts";

const nameMax = limits.watchlistNameLengthMax;
export const text = (what: string): v.StringSchema<string> => v.string(`'${what}' is a string.`);

/** Fields of a list that bodies and queries share, each as it is when it is sent. */
export const listFields = {
  name: v.pipe(
    text("name"),
    v.trim(),
    v.minLength(1, "'name' is empty. Give the list a name."),
    v.check((name) => lengthOf(name) <= nameMax, `'name' has more than ${nameMax} characters.`),
    visibleText("name"),
    v.metadata({ maxLength: nameMax, pattern: visibleNamePattern }),
    v.description(`What the list is called, up to ${nameMax} characters.`),
  ),
  every: v.pipe(
    text("every"),
    v.metadata({ pattern: everyPattern }),
    v.description("Cadence from start to start, 5m to 7d, such as 15m, 1h or 1d."),
    v.examples(["15m"]),
  ),
  cron: v.pipe(
    text("cron"),
    v.metadata({ maxLength: cronLengthMax, pattern: cronPattern }),
    v.description("Instead of `every`: five fields, or @hourly, @daily, @weekly and so on."),
    v.examples(["*/15 8-18 * * MON-FRI"]),
  ),
  timezone: v.pipe(
    text("timezone"),
    v.description("IANA zone that the cron is read in. Default: UTC."),
    v.examples(["Europe/Berlin"]),
  ),
  webhookUrl: v.pipe(
    text("webhook_url"),
    v.metadata({ format: "uri" }),
    v.description("URL of the registered endpoint that gets this list's events, and no other."),
  ),
  webhookEndpointId: v.pipe(
    text("webhook_endpoint_id"),
    v.metadata({ pattern: idPattern("webhookEndpoint").source }),
    v.description("The same by id; send one or the other."),
  ),
  status: v.pipe(
    oneOf("status", ["active", "paused"]),
    v.description("A paused watchlist runs by hand only."),
  ),
} as const;

/** Body of `POST /v1/watchlists` as clients send it (specification, section "Watchlists"). */
export const newWatchlistBody = v.object({
  name: listFields.name,
  ids: v.optional(
    v.pipe(
      idList("ids"),
      v.metadata({ minItems: 1, maxItems: limits.watchlistItemsMax, minLength: 1 }),
      v.description(
        `1 to ${limits.watchlistItemsMax} item ids of the platform, or one string with ids ` +
          "separated by newlines or commas.",
      ),
    ),
  ),
  asins: v.optional(
    v.pipe(
      idList("asins"),
      v.metadata({ minItems: 1, maxItems: limits.watchlistItemsMax, minLength: 1 }),
      v.description("Alias of `ids` on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  ...shopFields(),
  every: v.optional(listFields.every),
  cron: v.optional(listFields.cron),
  timezone: v.optional(listFields.timezone),
  webhook_url: v.nullish(listFields.webhookUrl),
  webhook_endpoint_id: v.nullish(listFields.webhookEndpointId),
  ...settingFields,
  pipeline: v.nullish(
    v.pipe(v.unknown(), v.description("Steps and routes; absent: the platform's default.")),
  ),
  status: v.optional(
    v.pipe(
      listFields.status,
      v.description(
        "Default: active. paused: the watchlist is created with paused_reason user and does not " +
          "run until it is resumed; its first run is due then.",
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

/** What to watch: every name is known, every id is well-formed and unique. */
export interface NewWatchlist extends Shop, EndpointParams {
  readonly name: string;
  readonly ids: readonly string[];
  readonly schedule: Schedule;
  readonly settings: ListSettings;
  /** Null: the platform's default. */
  readonly pipeline: Pipeline | null;
  readonly status: WatchlistStatus;
  /** As sent in the body. */
  readonly idempotencyKey: string | undefined;
  /** Equal for bodies that say the same. */
  readonly bodyHash: string;
}

/**
 * The body with its defaults filled in and every rule checked that needs no look-up.
 * @throws 501 for what is announced only, 400 that names the parameter at fault.
 */
export function parseNewWatchlist(body: Body): NewWatchlist {
  const shop = parsePlatform(body);
  const ids = parseIds(shop, body);
  const endpoint = {
    webhookUrl: body.webhook_url ?? null,
    webhookEndpointId: body.webhook_endpoint_id ?? null,
  };
  checkEndpointParams(endpoint);
  const schedule = parseSchedule(body);
  const pipeline = body.pipeline == null ? null : parsePipeline(body.pipeline, shop);
  const settings = settingsIn(body);
  checkRefreshSetting({ ...shop, ...settings, pipeline });
  const { idempotency_key: idempotencyKey, status = "active", ...asked } = body;
  return {
    ...shop,
    ...endpoint,
    name: body.name,
    ids,
    schedule,
    settings: { ...defaultSettings, ...settings },
    pipeline,
    status,
    idempotencyKey,
    // The default says the same as no status at all.
    bodyHash: bodyHashOf(status === "active" ? asked : { ...asked, status }),
  };
}

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const newWatchlist = v.pipe(newWatchlistBody, v.transform(parseNewWatchlist));

function parseIds({ platform }: Shop, { ids, asins }: Body): readonly string[] {
  if (ids !== undefined && asins !== undefined) {
    throw invalidParam("asins", "Send 'ids' or 'asins', not both.");
  }
  if (asins !== undefined && platform !== "retailer_a") {
    throw invalidParam("asins", `'asins' goes with retailer_a only. Send 'ids' for ${platform}.`);
  }
  const raw = ids ?? asins;
  if (raw === undefined) {
    throw platform === "retailer_a"
      ? missingParam("ids", "Parameter 'ids' is required; 'asins' is accepted in its place.")
      : missingParam("ids");
  }
  const param = ids === undefined ? "asins" : "ids";
  const parsed = parseItemIds(platform, raw, param);
  if (parsed.length === 0) {
    throw invalidParam(param, `'${param}' is empty. Send 1 to ${limits.watchlistItemsMax} ids.`);
  }
  if (parsed.length > limits.watchlistItemsMax) {
    throw invalidParam(param, `A watchlist holds at most ${limits.watchlistItemsMax} items.`);
  }
  return parsed;
}
