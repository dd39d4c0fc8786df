import type { Chance } from "../base/clock.ts";
import { conflict, invalidParam } from "../base/errors.ts";
import { hint, type Warn } from "../base/hint.ts";
import { newId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import type { Endpoint } from "../webhooks/endpoint.ts";
import type { EndpointStore } from "../webhooks/endpoint-store.ts";
import { normaliseUrl } from "../webhooks/url.ts";
import { newItem } from "./item.ts";
import { compareIds, paginate } from "./page.ts";
import type { NewWatchlist } from "./request.ts";
import type { Schedules } from "./schedules.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

export interface CreateRequest {
  readonly accountId: string;
  readonly wanted: NewWatchlist;
  readonly now: Date;
}

/** Says that a new list is due; the full queue port belongs to the runs. */
interface DueSender {
  sendDue(due: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly scheduledTime: string;
  }): Promise<void>;
}

export interface CreateDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: EndpointStore;
  readonly schedules: Schedules;
  readonly queue: DueSender;
  readonly chance: Chance;
  readonly warn: Warn;
}

/**
 * Creates a list whose first run is due at once. The schedule is made before the list's row, so a
 * list never lacks one; a schedule whose list was never written is removed at its first tick.
 * @throws 400 for a webhook endpoint that is not registered, 409 for one list too many.
 */
export async function createWatchlist(
  { accountId, wanted, now }: CreateRequest,
  { watchlists, endpoints, schedules, queue, chance, warn }: CreateDependencies,
): Promise<Watchlist> {
  const endpoint = await endpointOf(accountId, wanted, endpoints);
  const watchlist = newList(
    { accountId, wanted, now },
    { id: newId("watchlist", now, chance), endpoint },
  );
  await schedules.put({
    accountId,
    watchlistId: watchlist.id,
    schedule: wanted.schedule,
    firstAt: new Date(now.getTime() + wanted.schedule.everySeconds * 1_000),
  });
  const items = wanted.ids.toSorted(compareIds).map((id) => newItem(id, watchlist.createdAt));
  if ((await watchlists.create(watchlist, paginate(items))) === "limit_reached") {
    await schedules.remove(watchlist.id);
    throw conflict(`An account has at most ${limits.watchlistsMax} watchlists. Delete one first.`);
  }
  const due = { accountId, watchlistId: watchlist.id, scheduledTime: watchlist.createdAt };
  await hint(() => queue.sendDue(due), warn);
  return watchlist;
}

function newList(
  { accountId, wanted, now }: CreateRequest,
  { id, endpoint }: { readonly id: string; readonly endpoint: Endpoint | undefined },
): Watchlist {
  const at = now.toISOString();
  return {
    id,
    accountId,
    name: wanted.name,
    platform: wanted.platform,
    marketplace: wanted.marketplace,
    status: "active",
    pausedReason: null,
    schedule: wanted.schedule,
    refreshEveryRuns: wanted.refreshEveryRuns,
    webhookEndpointId: endpoint?.id ?? null,
    webhookUrl: endpoint?.url ?? null,
    itemCounts: { new: wanted.ids.length, active: 0, delisted: 0 },
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
}

/** The registered endpoint that the list names, by URL or by id. */
async function endpointOf(
  accountId: string,
  { webhookUrl, webhookEndpointId }: NewWatchlist,
  endpoints: EndpointStore,
): Promise<Endpoint | undefined> {
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
