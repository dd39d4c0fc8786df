import * as v from "valibot";
import { checkEndpointId, type EndpointParams } from "./named-endpoint.ts";
import { watchlistFields, text } from "./request.ts";
import { refuseMixed, type ScheduleParams } from "./schedule.ts";
import { type WatchlistSettings, settingFields, settingsIn } from "./settings.ts";
import type { WatchlistStatus } from "./watchlist.ts";

/** Creates the schema of a field that cannot change, such as `platform`. */
const fixedField = (what: string): v.GenericSchema<string | undefined, string | undefined> =>
  v.optional(
    v.pipe(
      text(what),
      v.description(`Cannot change. Only the watchlist's current ${what} is accepted.`),
    ),
  );

/** Creates a schema that refuses a field of item IDs, because another API call changes items. */
const refusedItems = (param: string) =>
  v.optional(
    v.never(
      `'${param}' cannot be changed here. Add and remove items with POST /v1/watchlists/{id}/items.`,
    ),
  );

/** Body of `PATCH /v1/watchlists/{id}` before parsing (specification, section "Watchlists"). */
export const watchlistPatchBody = v.object({
  name: v.optional(watchlistFields.name),
  every: v.optional(watchlistFields.every),
  cron: v.optional(watchlistFields.cron),
  timezone: v.optional(
    v.pipe(
      watchlistFields.timezone,
      v.description(
        "IANA time zone of the cron. Send it with `cron`, or alone if the watchlist has a cron.",
      ),
    ),
  ),
  webhook_url: v.optional(v.nullable(watchlistFields.webhookUrl)),
  webhook_endpoint_id: v.optional(v.nullable(watchlistFields.webhookEndpointId)),
  ...settingFields,
  pipeline: v.optional(
    v.pipe(v.unknown(), v.description("Steps and routes. Null restores the platform's default.")),
  ),
  status: v.optional(watchlistFields.status),
  schedule: v.optional(
    v.pipe(
      v.unknown(),
      v.description(
        "Only the watchlist's current schedule is accepted. Send `every` or `cron` to change it.",
      ),
    ),
  ),
  platform: fixedField("platform"),
  marketplace: fixedField("marketplace"),
  ids: refusedItems("ids"),
  asins: refusedItems("asins"),
});
type Body = v.InferOutput<typeof watchlistPatchBody>;

/** A parsed change of a watchlist. Fields that are undefined stay unchanged. */
export interface WatchlistPatch extends ScheduleParams {
  readonly name: string | undefined;
  /**
   * The webhook endpoint to set. If its ID and URL are both null, the watchlist's endpoint is
   * removed.
   */
  readonly endpoint: EndpointParams | undefined;
  /** Pipeline as the client sent it, not parsed yet. Null restores the default. */
  readonly pipeline: unknown;
  readonly settings: Partial<WatchlistSettings>;
  readonly status: WatchlistStatus | undefined;
  /**
   * Schedule as the client sent it. It is accepted only if it equals the watchlist's current
   * schedule.
   */
  readonly schedule: unknown;
  readonly platform: string | undefined;
  readonly marketplace: string | undefined;
}

/**
 * Parses the body: checks the form of its fields and their combination. `changeWatchlist` parses
 * `every`, `cron` and the pipeline, because that needs the stored watchlist.
 * @throws 400 that names the invalid parameter
 */
function parsePatch(body: Body): WatchlistPatch {
  refuseMixed(body);
  const { webhook_url: url, webhook_endpoint_id: endpointId } = body;
  const endpoint =
    url === undefined && endpointId === undefined
      ? undefined
      : { webhookUrl: url ?? null, webhookEndpointId: endpointId ?? null };
  if (endpoint !== undefined) checkEndpointId(endpoint);
  return {
    name: body.name,
    every: body.every,
    cron: body.cron,
    timezone: body.timezone,
    endpoint,
    pipeline: body.pipeline,
    settings: settingsIn(body),
    status: body.status,
    schedule: body.schedule,
    platform: body.platform,
    marketplace: body.marketplace,
  };
}

/**
 * Body schema of `PATCH /v1/watchlists/{id}`. Its transform throws `ServiceError` for values that
 * the schema cannot check.
 */
export const watchlistPatch = v.pipe(watchlistPatchBody, v.transform(parsePatch));
