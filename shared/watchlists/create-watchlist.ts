import { afterChange } from "../base/after-change.ts";
import type { RandomSource, Clock } from "../base/clock.ts";
import { conflict, unavailable } from "../base/errors.ts";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { limits } from "../base/limits.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { claimCreation, type CreationClaim, inFlight } from "./claim-creation.ts";
import { bindingTo, type EndpointBinding } from "./endpoint-binding.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import { newItem } from "./item.ts";
import { type ItemDetails, withLabels } from "./item-details.ts";
import { findNamedEndpoint } from "./named-endpoint.ts";
import { compareIds } from "./id-order.ts";
import type { PageStore } from "./page-store.ts";
import { presentWatchlist } from "./present-watchlist.ts";
import type { PurgeStore } from "./purge-store.ts";
import { purgeAfterMs, purgeWatchlist } from "./purge-watchlist.ts";
import type { NewWatchlist } from "./request.ts";
import { watchlistSchedule, type Schedules } from "./schedules.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/** A request to create a watchlist. */
export interface CreateRequest {
  readonly accountId: string;
  readonly wanted: NewWatchlist;
  readonly idempotencyKey: string | undefined;
  readonly now: Date;
  /** Base of the watchlist's URL, such as `https://host/v1`. */
  readonly baseUrl: string;
}

/**
 * Sends wake-up messages for due watchlists. `RunQueue` implements this interface, which exists
 * because this folder may not import files of `shared/runs`.
 */
export interface DueSender {
  sendDue(due: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly scheduledTime: string;
  }): Promise<void>;
}

export interface CreateDependencies {
  readonly watchlists: WatchlistStore;
  readonly pages: PageStore;
  readonly purges: PurgeStore;
  readonly keys: IdempotencyStore;
  readonly endpoints: EndpointLookup;
  readonly schedules: Schedules;
  readonly queue: DueSender;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly warn: Warn;
}

/** The response to a request that creates a watchlist. */
export interface CreateAnswer {
  /**
   * Body of the response, as JSON text. A repeated request with the same idempotency key receives
   * the same bytes.
   */
  readonly body: string;
  /** True if an earlier request with the same idempotency key created the watchlist. */
  readonly replayed: boolean;
}

/**
 * Maximum time that a failed creation spends on its cleanup, in milliseconds. The sweeper does the
 * rest.
 */
const cleanUpMs = 3_000;

/**
 * Creates a watchlist. The first run of an active watchlist is due immediately. A paused watchlist
 * has no schedule and no due time until a client resumes it. The last write is one transaction: it
 * makes the watchlist visible, adds 1 to the account's number of watchlists, and stores the
 * response for repeated requests. If the creation fails before this write, the function tries to
 * delete the rows that it wrote. If the deletion fails too, a repeated request completes the
 * creation, or the sweeper purges the rows. Returns the body of the response, and whether an
 * earlier request with the same idempotency key created the watchlist.
 * @throws 400 for an unknown webhook endpoint; 409 if the account has the maximum number of
 * watchlists or a request with the same idempotency key is in progress; 422 if a request with
 * another body used the key; 503 if the creation took so long that the purge of the incomplete
 * watchlist began
 */
export async function createWatchlist(
  request: CreateRequest,
  dependencies: CreateDependencies,
): Promise<CreateAnswer> {
  const { accountId, wanted, idempotencyKey: key, now } = request;
  const { bodyHash } = wanted;
  const taken = await claimCreation({ accountId, key, bodyHash, now }, dependencies);
  if (taken.outcome === "replay") return { body: taken.answer, replayed: true };
  try {
    return { body: await create(request, taken.claim, dependencies), replayed: false };
  } catch (error) {
    await bestEffort(() => abandon(taken.claim, dependencies), dependencies.warn);
    throw error;
  }
}

/** Creates a claimed watchlist. Returns the body of the response. */
async function create(
  request: CreateRequest,
  claim: CreationClaim,
  dependencies: CreateDependencies,
): Promise<string> {
  const { watchlists, pages, purges, schedules, endpoints, queue, warn } = dependencies;
  const { accountId, wanted, now, baseUrl } = request;
  const named = await findNamedEndpoint(accountId, wanted, endpoints);
  const endpoint = named === null ? null : bindingTo(named);
  if (await watchlists.isFull(accountId)) throw tooMany();
  const watchlist = newWatchlist(request, claim, endpoint);
  const purgeAt = new Date(now.getTime() + purgeAfterMs);
  if (!(await purges.expectCreation(watchlist, purgeAt))) throw supersededError(claim);
  const isActive = watchlist.status === "active";
  // The schedule is created before the watchlist's row, so that an active watchlist always has a
  // schedule.
  if (isActive) await schedules.put(watchlistSchedule(watchlist, now));
  const ids = wanted.ids.toSorted(compareIds);
  await pages.create(
    watchlist.id,
    ids.map((id) => newItem(id, watchlist.createdAt)),
  );
  await pages.createDetails(watchlist.id, detailsOf(ids, wanted, watchlist.createdAt));
  const answer = JSON.stringify(
    presentWatchlist(watchlist, { baseUrl, now, endpoint, usedToday: 0 }),
  );
  const outcome = await watchlists.create({ watchlist, record: claim.record, answer });
  if (outcome === "limit_reached") throw tooMany();
  if (outcome === "superseded") throw supersededError(claim);
  const due = { accountId, watchlistId: watchlist.id, scheduledTime: watchlist.createdAt };
  if (isActive) await bestEffort(() => queue.sendDue(due), warn);
  return answer;
}

/** Returns the details of those new items that have a label or metadata. */
const detailsOf = (
  ids: readonly string[],
  { labels }: NewWatchlist,
  addedAt: string,
): readonly ItemDetails[] =>
  ids.flatMap((id) => {
    const given = labels.get(id);
    if (given === undefined) return [];
    const details = withLabels(undefined, { id, addedAt, isAdded: true, given });
    return afterChange(undefined, details) ?? [];
  });

/**
 * Returns the error for a creation that can no longer be completed. With an idempotency key, the
 * error is 409, because another request took over the creation. Without a key, the error is 503,
 * because the creation took so long that the purge of its rows began.
 */
const supersededError = ({ record }: CreationClaim): Error =>
  record === null ? unavailable() : inFlight();

const tooMany = (): Error =>
  conflict(
    `The account has ${limits.watchlistsMax} watchlists, which is the maximum. Delete one with DELETE /v1/watchlists/{id}, then repeat the call.`,
  );

/**
 * Abandons a creation: releases the idempotency key, and then purges the rows that were written.
 * The order matters: no watchlist can be created with an ID whose purge has begun. If the key were
 * released later, a repeated request could take over this ID and fail.
 */
async function abandon(
  { watchlistId, record }: CreationClaim,
  dependencies: CreateDependencies,
): Promise<void> {
  if (record !== null && !(await dependencies.keys.release(record))) return;
  const until = new Date(dependencies.clock.now().getTime() + cleanUpMs);
  await purgeWatchlist({ watchlistId, until, abandoned: true }, dependencies);
}

function newWatchlist(
  { accountId, wanted }: CreateRequest,
  { watchlistId, claimedAt }: CreationClaim,
  endpoint: EndpointBinding | null,
): Watchlist {
  const at = claimedAt.toISOString();
  const isPaused = wanted.status === "paused";
  return {
    id: watchlistId,
    accountId,
    name: wanted.name,
    platform: wanted.platform,
    marketplace: wanted.marketplace,
    status: wanted.status,
    pausedReason: isPaused ? "user" : null,
    schedule: wanted.schedule,
    pipeline: wanted.pipeline,
    ...wanted.settings,
    webhookEndpointId: endpoint?.endpointId ?? null,
    webhookUrl: endpoint?.url ?? null,
    itemCounts: { new: wanted.ids.length, active: 0, delisted: 0 },
    runCount: 0,
    consecutiveSkips: 0,
    refreshDue: false,
    overlaps: 0,
    runningRun: null,
    lastRunAt: null,
    lastRunStatus: null,
    nextRunAt: isPaused ? null : at,
    revision: 1,
    createdAt: at,
    updatedAt: at,
  };
}
