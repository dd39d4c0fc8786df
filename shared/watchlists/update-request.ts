import * as v from "valibot";
import { invalidParam } from "../base/errors.ts";
import { checkEndpointId, type EndpointParams } from "./named-endpoint.ts";
import { listFields, text } from "./request.ts";
import { refuseMixed, type ScheduleParams } from "./schedule.ts";
import { type ListSettings, settingFields, settingsIn } from "./settings.ts";
import type { WatchlistStatus } from "./watchlist.ts";

const fixed = (what: string): v.GenericSchema<string | undefined, string | undefined> =>
  v.optional(
    v.pipe(text(what), v.description(`Cannot change; the list's own ${what} is accepted.`)),
  );

/** Body of `PATCH /v1/watchlists/{id}` as clients send it (specification, section "Watchlists"). */
export const watchlistPatchBody = v.object({
  name: v.optional(listFields.name),
  every: v.optional(listFields.every),
  cron: v.optional(listFields.cron),
  timezone: v.optional(
    v.pipe(
      listFields.timezone,
      v.description("With `cron`, or alone on a list that has one: the zone it is read in."),
    ),
  ),
  webhook_url: v.optional(v.nullable(listFields.webhookUrl)),
  webhook_endpoint_id: v.optional(v.nullable(listFields.webhookEndpointId)),
  ...settingFields,
  pipeline: v.optional(
    v.pipe(v.unknown(), v.description("Steps and routes; null: the platform's default.")),
  ),
  status: v.optional(listFields.status),
  schedule: v.optional(
    v.pipe(
      v.unknown(),
      v.description("The list's own schedule is accepted; send `every` or `cron` to change it."),
    ),
  ),
  platform: fixed("platform"),
  marketplace: fixed("marketplace"),
});
type Body = v.InferOutput<typeof watchlistPatchBody>;

/** What to change of a list; undefined leaves it as it is. */
export interface WatchlistPatch extends ScheduleParams {
  readonly name: string | undefined;
  /** Two nulls clear the endpoint. */
  readonly endpoint: EndpointParams | undefined;
  /** Not looked at yet; null restores the default. */
  readonly pipeline: unknown;
  readonly settings: Partial<ListSettings>;
  readonly status: WatchlistStatus | undefined;
  /** As sent; anything but the list's own is refused. */
  readonly schedule: unknown;
  readonly platform: string | undefined;
  readonly marketplace: string | undefined;
}

/**
 * The body, with every rule checked that needs no look at the list.
 * @throws 400 that names the parameter at fault.
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

/** Items are changed elsewhere: ignoring them here would look as if they had been. */
function refuseItems(body: unknown): unknown {
  for (const param of ["ids", "asins"]) {
    if (typeof body === "object" && body !== null && Object.hasOwn(body, param)) {
      throw invalidParam(
        param,
        `'${param}' cannot change here. Add and remove items with POST /v1/watchlists/{id}/items.`,
      );
    }
  }
  return body;
}

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const watchlistPatch = v.pipe(
  v.unknown(),
  v.transform(refuseItems),
  watchlistPatchBody,
  v.transform(parsePatch),
);
