import * as v from "valibot";
import { invalidParam, missingParam, notImplemented } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { visibleText } from "../base/visible-text.ts";
import { findShop, type Shop } from "../platforms/catalogue.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { parseEvery, type Schedule } from "./schedule.ts";

const nameMax = limits.watchlistNameLengthMax;
const text = (what: string): v.StringSchema<string> => v.string(`'${what}' is a string.`);
const idList = (what: string): v.GenericSchema<unknown, string[]> =>
  v.union(
    [
      v.array(text(what)),
      v.pipe(
        v.string(),
        v.transform((joined) => joined.split(/[\n,]/)),
      ),
    ],
    `'${what}' is an array of item ids, or one string with ids separated by newlines or commas.`,
  );

/** Body of `POST /v1/watchlists` as clients send it (specification, section "Watchlists"). */
export const newWatchlistBody = v.object({
  name: v.pipe(
    text("name"),
    v.trim(),
    v.minLength(1, "'name' is empty. Give the list a name."),
    v.maxLength(nameMax, `'name' has more than ${nameMax} characters.`),
    visibleText("name"),
    v.description("What the list is called."),
  ),
  ids: v.optional(
    v.pipe(
      idList("ids"),
      v.description(
        `1 to ${limits.watchlistItemsMax} item ids of the platform, or one string with ids ` +
          "separated by newlines or commas.",
      ),
    ),
  ),
  asins: v.optional(
    v.pipe(
      idList("asins"),
      v.description("Alias of `ids` on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  platform: v.optional(v.pipe(text("platform"), v.description("Default: retailer_a."))),
  marketplace: v.optional(
    v.pipe(text("marketplace"), v.description("Default: the platform's own.")),
  ),
  every: v.optional(
    v.pipe(
      text("every"),
      v.description("Cadence from start to start, 5m to 7d, such as 15m, 1h or 1d."),
      v.examples(["15m"]),
    ),
  ),
  cron: v.optional(
    v.pipe(
      text("cron"),
      v.description("Instead of `every`: five fields, or @hourly, @daily, @weekly and so on."),
      v.examples(["*/15 8-18 * * MON-FRI"]),
    ),
  ),
  timezone: v.optional(
    v.pipe(
      text("timezone"),
      v.description("IANA zone that the cron is read in. Default: UTC."),
      v.examples(["Europe/Berlin"]),
    ),
  ),
  webhook_url: v.nullish(
    v.pipe(
      text("webhook_url"),
      v.description("URL of the registered endpoint that gets this list's events, and no other."),
    ),
  ),
  webhook_endpoint_id: v.nullish(
    v.pipe(text("webhook_endpoint_id"), v.description("The same by id; send one or the other.")),
  ),
  refresh_every_runs: v.optional(
    v.pipe(
      v.number("'refresh_every_runs' is a number."),
      v.integer("'refresh_every_runs' is a whole number."),
      v.minValue(0, "'refresh_every_runs' is at least 0."),
      v.maxValue(limits.refreshEveryRunsMax, "'refresh_every_runs' is at most 1,000."),
      v.description(
        "On retailer_a: every so many runs, one reads every item at lite. 0: never. Default: 8.",
      ),
    ),
  ),
  pipeline: v.nullish(
    v.pipe(v.unknown(), v.description("Steps and routes; absent: the platform's default.")),
  ),
});
type Body = v.InferOutput<typeof newWatchlistBody>;

/** What to watch: every name is known, every id is well-formed and unique. */
export interface NewWatchlist extends Shop {
  readonly name: string;
  readonly ids: readonly string[];
  readonly schedule: Schedule;
  readonly webhookUrl: string | null;
  readonly webhookEndpointId: string | null;
  readonly refreshEveryRuns: number;
}

const refreshEveryRunsDefault = 8;

/**
 * The body with its defaults filled in and every rule checked that needs no look-up.
 * @throws 400 that names the parameter at fault, 501 for what is announced only.
 */
export function parseNewWatchlist(body: Body): NewWatchlist {
  const { announced, ...shop } = findShop(body);
  const ids = parseIds(shop, body);
  const { webhook_url: url = null, webhook_endpoint_id: endpointId = null } = body;
  if (url !== null && endpointId !== null) {
    throw invalidParam("webhook_url", "Send 'webhook_url' or 'webhook_endpoint_id', not both.");
  }
  if (endpointId !== null && !isId("webhookEndpoint", endpointId)) {
    throw invalidParam("webhook_endpoint_id", "This is no id of a webhook endpoint (we_...).");
  }
  const schedule = parseSchedule(body);
  if (announced !== undefined) throw announced;
  if (shop.platform === "retailer_a") throw notImplemented("A watchlist on retailer_a");
  if (body.pipeline != null) throw notImplemented("A 'pipeline' of your own");
  return {
    ...shop,
    name: body.name,
    ids,
    schedule,
    webhookUrl: url,
    webhookEndpointId: endpointId,
    refreshEveryRuns: body.refresh_every_runs ?? refreshEveryRunsDefault,
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
  if (raw === undefined) throw missingParam("ids");
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

function parseSchedule({ every, cron, timezone }: Body): Schedule {
  if (cron !== undefined && every !== undefined) {
    throw invalidParam("cron", "Send 'every' or 'cron', not both.");
  }
  if (timezone !== undefined && every !== undefined) {
    throw invalidParam("timezone", "'timezone' goes with 'cron' only. Leave it out with 'every'.");
  }
  if (cron !== undefined) throw notImplemented("A 'cron' schedule");
  if (every === undefined) throw missingParam("every");
  return parseEvery(every);
}
