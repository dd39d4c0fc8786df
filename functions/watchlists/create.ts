import * as v from "valibot";
import { invalidParam, missingParam, notImplemented } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { createWatchlist } from "../../shared/watchlists/create-watchlist.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./handler.ts";

const nameMax = limits.watchlistNameLengthMax;
const text = (what: string): v.StringSchema<string> => v.string(`'${what}' is a string.`);

/** Body of `POST /v1/watchlists` (specification, section "Watchlists"). */
const body = v.object({
  name: v.pipe(
    text("name"),
    v.trim(),
    v.minLength(1, "'name' is empty. Give the list a name."),
    v.maxLength(nameMax, `'name' has more than ${nameMax} characters.`),
  ),
  ids: v.union(
    [
      v.array(text("ids")),
      v.pipe(
        v.string(),
        v.transform((joined) => joined.split(/[\n,]/)),
      ),
    ],
    "'ids' is an array of item ids, or one string with ids separated by newlines or commas.",
  ),
  platform: v.optional(text("platform")),
  marketplace: v.optional(text("marketplace")),
  every: v.optional(text("every")),
  cron: v.optional(text("cron")),
  timezone: v.optional(text("timezone")),
  webhook_url: v.nullish(text("webhook_url")),
  webhook_endpoint_id: v.nullish(text("webhook_endpoint_id")),
  refresh_every_runs: v.optional(
    v.pipe(
      v.number("'refresh_every_runs' is a number."),
      v.integer("'refresh_every_runs' is a whole number."),
      v.minValue(0, "'refresh_every_runs' is at least 0."),
      v.maxValue(limits.refreshEveryRunsMax, "'refresh_every_runs' is at most 1,000."),
    ),
  ),
  pipeline: v.optional(v.unknown()),
});

export const createRoute = route<WatchlistDependencies, typeof body>({
  body,
  announced: (wanted) => {
    if (wanted.cron !== undefined && wanted.every !== undefined) {
      throw invalidParam("cron", "Send 'every' or 'cron', not both.");
    }
    if (wanted.timezone !== undefined && wanted.every !== undefined) {
      throw invalidParam(
        "timezone",
        "'timezone' goes with 'cron' only. Leave it out with 'every'.",
      );
    }
    if (wanted.cron !== undefined) throw notImplemented("A 'cron' schedule");
    if (wanted.pipeline !== undefined) throw notImplemented("A 'pipeline' of your own");
    if (wanted.every === undefined) throw missingParam("every");
  },
  async handle({ body: wanted, caller, now, baseUrl }, dependencies) {
    const watchlist = await createWatchlist(
      {
        accountId: caller.accountId,
        name: wanted.name,
        ids: wanted.ids,
        platform: wanted.platform,
        marketplace: wanted.marketplace,
        every: wanted.every ?? "",
        webhookUrl: wanted.webhook_url ?? null,
        webhookEndpointId: wanted.webhook_endpoint_id ?? null,
        refreshEveryRuns: wanted.refresh_every_runs,
        now,
      },
      dependencies,
    );
    return { status: 201, body: presentWatchlist(watchlist, baseUrl) };
  },
});
