import type { Chance } from "../base/clock.ts";
import { conflict, invalidParam } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { parsePlatform } from "../platforms/catalogue.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import type { EndpointStore } from "../webhooks/endpoint-store.ts";
import { normaliseUrl } from "../webhooks/url.ts";
import { newItem } from "./item.ts";
import { compareIds, paginate } from "./page.ts";
import { parseEvery } from "./schedule.ts";
import type { Schedules } from "./schedules.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

export interface NewWatchlist {
  readonly accountId: string;
  readonly name: string;
  readonly ids: readonly string[];
  readonly platform: string | undefined;
  readonly marketplace: string | undefined;
  readonly every: string;
  readonly webhookUrl: string | null;
  readonly webhookEndpointId: string | null;
  readonly refreshEveryRuns: number | undefined;
  readonly now: Date;
}

/** Says that a new list is due; the full queue port belongs to the runs. */
interface DueSender {
  sendDue(due: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly trigger: "initial";
    readonly scheduledTime: string;
  }): Promise<void>;
}

export interface CreateDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: EndpointStore;
  readonly schedules: Schedules;
  readonly queue: DueSender;
  readonly chance: Chance;
}

const defaultRefreshEveryRuns = 8;

/**
 * Creates a list whose first run is due at once. The schedule is made before the list's row, so a
 * list never lacks one; a schedule whose list was never written is removed at its first tick.
 */
export async function createWatchlist(
  wanted: NewWatchlist,
  { watchlists, endpoints, schedules, queue, chance }: CreateDependencies,
): Promise<Watchlist> {
  const { platform, marketplace } = parsePlatform(wanted);
  const ids = parseItemIds(platform, wanted.ids, "ids");
  if (ids.length === 0) throw invalidParam("ids", "'ids' is empty. Send 1 to 50,000 item ids.");
  if (ids.length > limits.watchlistItemsMax) {
    throw invalidParam("ids", `A watchlist holds at most ${limits.watchlistItemsMax} items.`);
  }
  const schedule = parseEvery(wanted.every);
  const endpoint = await endpointOf(wanted, endpoints);
  const at = wanted.now.toISOString();
  const watchlist: Watchlist = {
    id: newId("watchlist", wanted.now, chance),
    accountId: wanted.accountId,
    name: wanted.name,
    platform,
    marketplace,
    status: "active",
    pausedReason: null,
    schedule,
    refreshEveryRuns: wanted.refreshEveryRuns ?? defaultRefreshEveryRuns,
    webhookEndpointId: endpoint?.id ?? null,
    webhookUrl: endpoint?.url ?? null,
    itemCounts: { new: ids.length, active: 0, delisted: 0 },
    runCount: 0,
    consecutiveSkips: 0,
    overlaps: 0,
    runningRun: null,
    lastRunAt: null,
    lastRunStatus: null,
    nextRunAt: at,
    createdAt: at,
    updatedAt: at,
  };
  await schedules.put({
    accountId: wanted.accountId,
    watchlistId: watchlist.id,
    schedule,
    firstAt: new Date(wanted.now.getTime() + schedule.everySeconds * 1_000),
  });
  const items = [...ids].sort(compareIds).map((id) => newItem(id, at));
  if ((await watchlists.create(watchlist, paginate(items))) === "limit_reached") {
    await schedules.remove(watchlist.id);
    throw conflict(`An account has at most ${limits.watchlistsMax} watchlists. Delete one first.`);
  }
  await queue.sendDue({
    accountId: wanted.accountId,
    watchlistId: watchlist.id,
    trigger: "initial",
    scheduledTime: at,
  });
  return watchlist;
}

/** The registered endpoint that the list names, by URL or by id. */
async function endpointOf(
  { accountId, webhookUrl, webhookEndpointId }: NewWatchlist,
  endpoints: EndpointStore,
): Promise<{ readonly id: string; readonly url: string } | undefined> {
  if (webhookUrl !== null && webhookEndpointId !== null) {
    throw invalidParam("webhook_url", "Send 'webhook_url' or 'webhook_endpoint_id', not both.");
  }
  if (webhookUrl !== null) {
    const url = normaliseUrl(webhookUrl);
    const found = url === null ? null : await endpoints.findByUrl(accountId, url);
    if (found !== null) return found;
    throw invalidParam(
      "webhook_url",
      "No webhook endpoint with this URL. Register it with POST /v1/webhook_endpoints first.",
    );
  }
  if (webhookEndpointId === null) return undefined;
  const found = await endpoints.get(accountId, webhookEndpointId);
  if (found !== null) return found;
  throw invalidParam("webhook_endpoint_id", "There is no webhook endpoint with this id.");
}
