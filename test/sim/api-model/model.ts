import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../shared/base/limits.ts";
import type { Pipeline, Step } from "../../../shared/pipelines/definition.ts";
import type { Platform } from "../../../shared/platforms/catalogue.ts";
import type { StepScraperId } from "../../../shared/scrapers/catalogue.ts";
import { type ModelRun, runModel } from "../../support/run-model.ts";
import type { ModelItem, ModelWatchlist } from "../../support/run-model-watchlist.ts";
import { shortfallsIn } from "../../support/shortfalls.ts";
import { everythingKnown } from "../../support/run-model-fields.ts";
import { type CreditModel, openCredits, payFor } from "./credit-model.ts";
import { aCount, aText, idOf, type Predicted } from "./compare.ts";
import { nextAfter, nextTimes, type Schedule, secondsOf } from "./schedules.ts";
import { looksOf, phaseAt } from "./shows.ts";
import type { Tick } from "./service.ts";

type Shown = Readonly<Record<string, Predicted>>;

export interface KeyModel {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly createdAt: number;
  revoked: boolean;
}

/** The times of an item. Its state and readings are in the item of the run model. */
export interface ItemTimes {
  readonly addedAt: number;
  firstReadAt: number | null;
  changedAt: number | null;
  delistedAt: number | null;
}

export interface WatchlistModel {
  readonly id: string;
  readonly core: ModelWatchlist;
  readonly times: Map<string, ItemTimes>;
  readonly runs: RunModel[];
  readonly createdAt: number;
  name: string;
  schedule: Schedule;
  /** The custom pipeline; null if the watchlist has the platform's default. */
  pipeline: Pipeline | null;
  refreshEveryRuns: number;
  endpointId: string | null;
  pausedReason: "user" | "insufficient_credits" | null;
  lastRunAt: number | null;
  lastRunStatus: string | null;
  nextRunAt: number | null;
}

export interface RunModel {
  readonly list: WatchlistModel;
  readonly number: number;
  readonly at: number;
  readonly record: Shown;
  readonly events: readonly EventModel[];
}

export interface EventModel {
  readonly type: string;
  readonly at: number;
  readonly run: Omit<RunModel, "events" | "record">;
  readonly data: Shown;
  /**
   * The ID of the endpoint that the watchlist named at the time of the event; null if it named
   * none.
   */
  readonly named: string | null;
  /** The service's ID of the event; undefined until the feed contains it. */
  id?: string;
}

export interface EndpointModel {
  readonly id: string;
  readonly createdAt: number;
  url: string;
  description: string | null;
  events: readonly string[] | null;
  enabled: boolean;
  secret: string;
  previous: { readonly secret: string; readonly until: number } | null;
  deleted: boolean;
}

/**
 * A delivery. In the state `open`, its receiver fails, so any number of retries may have been made.
 */
export interface DeliveryModel {
  readonly endpointId: string;
  /** The event; null for a test delivery. */
  readonly event: EventModel | null;
  readonly type: string;
  readonly at: number;
  state: "delivered" | "failed" | "open" | "ended";
  attempts: number | null;
  error: string | null;
}

export interface DestinationModel {
  readonly createdAt: number;
  bucket: string;
  region: string;
  prefix: string;
  compression: string;
  enabled: boolean;
  accessKeyId: string;
  secretHint: string;
}

export interface ExportModel {
  readonly run: RunModel;
  bucket: string;
  prefix: string;
  compression: string;
}

export interface Remembered {
  readonly body: string;
  readonly text: string;
  readonly at: number;
  readonly listId: string;
}

/** The predicted state of the whole service. */
export interface Model {
  readonly accountId: string;
  readonly ledger: CreditModel;
  readonly keys: KeyModel[];
  readonly lists: WatchlistModel[];
  /** IDs of deleted watchlists. */
  readonly gone: string[];
  readonly endpoints: EndpointModel[];
  readonly deliveries: DeliveryModel[];
  readonly events: EventModel[];
  readonly exports: Map<string, ExportModel>;
  readonly remembered: Map<string, Remembered>;
  destination: DestinationModel | null;
  /** The times of the commands that may have probed a receiver or a store, in milliseconds. */
  readonly probes: number[];
  /** The total time of the "time passes" commands, in milliseconds. */
  passed: number;
}

/** Converts epoch milliseconds to an ISO time; null stays null. */
export const iso = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

/** Creates the model of a new account. */
export function openModel(accountId: string, key: KeyModel, credits: number): Model {
  return {
    accountId,
    ledger: openCredits(credits, key.createdAt),
    keys: [key],
    lists: [],
    gone: [],
    endpoints: [],
    deliveries: [],
    events: [],
    exports: new Map(),
    remembered: new Map(),
    destination: null,
    probes: [],
    passed: 0,
  };
}

/** Returns the default pipeline of a platform (specification, section "Watchlists"). */
export function defaultOf(platform: Platform, refreshEveryRuns: number): Pipeline {
  if (platform !== "retailer_a") {
    const scraper: StepScraperId = `${platform}.standard`;
    const routes = [{ when: "changed", notify: true }] as const;
    return {
      entry: "check",
      baseline: null,
      refresh: null,
      steps: [{ id: "check", scraper, routes }],
    };
  }
  const toLite = [
    { when: "changed", run: "lite" },
    { when: "ok", field: "buyboxAboveLowest", op: "is", value: true, run: "lite" },
  ] as const;
  return {
    entry: "pulse",
    baseline: "full",
    refresh: refreshEveryRuns === 0 ? null : { everyRuns: refreshEveryRuns, entry: "lite" },
    steps: [
      { id: "pulse", scraper: "retailer_a.pulse", routes: toLite },
      { id: "lite", scraper: "retailer_a.lite", routes: [{ when: "changed", notify: true }] },
      { id: "full", scraper: "retailer_a.full", routes: [] },
    ],
  };
}

/** Sets the pipeline of later runs to that of the watchlist. */
export function setPipeline(list: WatchlistModel): void {
  const pipeline = list.pipeline ?? defaultOf(list.core.platform, list.refreshEveryRuns);
  Object.assign(list.core, { pipeline });
}

/** Returns an item that was never read. */
export const newItem = (platform: Platform, id: string): ModelItem => ({
  id,
  looks: looksOf(platform, id),
  state: "new",
  known: { readings: {}, newer: {} },
  offer: null,
  lastReadStatus: null,
  failures: 0,
  owes: [],
  lastChange: null,
});

/** Returns the times of an item that was just added. */
export const newTimes = (addedAt: number): ItemTimes => ({
  addedAt,
  firstReadAt: null,
  changedAt: null,
  delistedAt: null,
});

/** Returns the items sorted by ID. */
export const sortedItems = (items: readonly ModelItem[]): ModelItem[] =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** A scheduler's tick may come this long before the due time of a cadence. */
const toleranceMs = 60_000;

/** Applies a tick of the scheduler. It starts a run if the watchlist is due. */
export function tickModel(model: Model, { watchlistId, scheduledTime }: Tick, now: number): void {
  const list = model.lists.find(({ id }) => id === watchlistId);
  if (list === undefined || list.nextRunAt === null || list.core.paused) return;
  const tolerance = list.schedule.every === undefined ? 0 : toleranceMs;
  if (scheduledTime + tolerance < list.nextRunAt) return;
  const next = nextAfter(list.schedule, list.nextRunAt, now);
  // A watchlist without items does not run, but its due time advances.
  if (list.core.items.length === 0) list.nextRunAt = next;
  else play(model, list, { trigger: "tick", now, next });
}

/** Applies a manual run. The interval of the schedule starts again after it. */
export function runNowModel(model: Model, list: WatchlistModel, now: number): void {
  const next = list.core.paused ? null : nextAfter(list.schedule, now, now);
  play(model, list, { trigger: "manual", now, next });
}

const quartersReserved: Readonly<Record<StepScraperId, number>> = {
  "retailer_a.pulse": 1,
  "retailer_a.lite": 4,
  "retailer_a.full": 20,
  "retailer_a.offers": 12,
  "retailer_a.offer_check": 2,
  "retailer_b.standard": 4,
  "retailer_c.standard": 4,
  "retailer_d.standard": 4,
};

interface Turn {
  readonly trigger: "tick" | "manual";
  readonly now: number;
  readonly next: number | null;
}

/** Applies a run with its charges, events and export. */
function play(model: Model, list: WatchlistModel, { trigger, now, next }: Turn): void {
  const { core } = list;
  const wasPaused = core.paused;
  const available = model.ledger.balance;
  const result = runModel(core, { trigger, available, at: phaseAt(now) });
  if (result === null) throw new Error("The model does not run a paused watchlist for a tick");
  pay(model, list, { result, now });
  for (const item of core.items) note(list, item, now);
  if (core.paused && !wasPaused) list.pausedReason = "insufficient_credits";
  list.lastRunAt = now;
  list.lastRunStatus = String(result.run["status"]);
  list.nextRunAt = core.paused ? null : next;
  list.endpointId = boundEndpoint(model, list)?.id ?? null;
  publish(model, list, { result, now });
}

/** Updates the times of an item after a run. */
function note({ core, times }: WatchlistModel, item: ModelItem, now: number): void {
  const time = times.get(item.id);
  if (time === undefined) throw new Error(`The model has no times of item ${item.id}`);
  // Every answer counts as the first read, even an unsuccessful one.
  if (item.state !== "new") time.firstReadAt ??= now;
  if (item.state === "delisted") time.delistedAt ??= now;
  if (item.lastChange?.runNumber === core.runCount) time.changedAt = now;
}

interface RunResult {
  readonly result: ModelRun;
  readonly now: number;
}

interface StepResult {
  readonly requested: number;
  readonly ok: number;
  readonly not_found: number;
  readonly skipped: number;
  readonly credits: number;
  readonly scraper: string;
}

function pay(model: Model, list: WatchlistModel, { result, now }: RunResult): void {
  const { steps } = result.run["stats"] as {
    steps: Record<string, StepResult>;
  };
  for (const [step, did] of Object.entries(steps)) {
    const { requested, skipped, credits, scraper } = did;
    const items = requested + skipped;
    // No credits are reserved for deferred items.
    if (items === 0) continue;
    payFor(model.ledger, {
      reserved: Math.ceil((items * quartersReserved[scraper as StepScraperId]) / 4),
      charged: credits,
      itemsCharged: did.ok + did.not_found,
      source: { run: { list: list.id, number: list.core.runCount }, step, scraper, items },
      at: now,
    });
  }
}

function publish(model: Model, list: WatchlistModel, { result, now }: RunResult): void {
  const { core } = list;
  const head = { list, number: core.runCount, at: now };
  const record: Shown = {
    ...result.run,
    id: idOf("wlrun"),
    object: "watchlist_run",
    watchlist_id: list.id,
    error: (actual: unknown) => isDeepStrictEqual(shortfallsIn(actual), result.shortfalls),
    started_at: iso(now),
    finished_at: iso(now),
    watchlist: {
      id: list.id,
      name: list.name,
      platform: core.platform,
      marketplace: "us",
      status: core.paused ? "paused" : "active",
      paused_reason: list.pausedReason,
      next_run_at: iso(list.nextRunAt),
    },
  };
  const itemData = {
    watchlist_id: list.id,
    watchlist_name: list.name,
    platform: core.platform,
    marketplace: "us",
    currency: "USD",
    run_id: idOf("wlrun"),
    run_number: core.runCount,
  };
  const at = iso(now);
  const event = (type: string, data: Shown): EventModel => ({
    type: `watchlist.${type}`,
    at: now,
    run: head,
    data,
    named: list.endpointId,
  });
  const events: EventModel[] = [];
  const addEvents = (type: string, key: string, entries: readonly Shown[]): void => {
    // The simulation lowers the limit of 500 items, so that events have several parts.
    const { itemEventsMax: most } = limits;
    const parts = Math.ceil(entries.length / most);
    for (let part = 1; part <= parts; part += 1) {
      const some = entries.slice((part - 1) * most, part * most);
      events.push(event(type, { ...itemData, part, parts, [key]: some }));
    }
  };
  const dated = (entries: readonly Shown[], time: string): readonly Shown[] =>
    entries.map((entry) => ({ ...entry, [time]: at }));
  addEvents("product.changed", "changes", dated(result.changed, "changed_at"));
  addEvents("product.matched", "products", dated(result.matched, "matched_at"));
  addEvents("product.delisted", "products", dated(result.delisted, "delisted_at"));
  const counts: Record<string, number> = { "watchlist.run.completed": 1 };
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  events.push(event("run.completed", { ...record, events: counts, events_digest: aText }));
  const run: RunModel = { ...head, record, events };
  list.runs.push(run);
  model.events.push(...events);
  for (const one of events) deliver(model, one, now);
  const { destination } = model;
  if (destination?.enabled === true) exportRun(model, run, destination);
}

export const exportRun = (model: Model, run: RunModel, to: DestinationModel): void => {
  const { bucket, prefix, compression } = to;
  const key = `${run.list.id} ${run.number}`;
  // All exports of a run have the format of its first export.
  const format = model.exports.get(key)?.compression ?? compression;
  model.exports.delete(key);
  model.exports.set(key, { run, bucket, prefix, compression: format });
};

/** Returns true if the endpoint subscribes to the event type. */
const takes = ({ events }: EndpointModel, type: string): boolean =>
  events === null || events.includes(type);

/**
 * Adds the deliveries of an event to the endpoints that must receive it (specification, section
 * "Events", rules 1 and 2).
 */
function deliver(model: Model, event: EventModel, now: number): void {
  const receivers =
    event.named === null
      ? model.endpoints.filter((one) => !one.deleted && one.enabled && takes(one, event.type))
      : model.endpoints.filter(({ id }) => id === event.named);
  for (const endpoint of receivers) {
    const delivery: DeliveryModel = {
      endpointId: endpoint.id,
      event,
      type: event.type,
      at: now,
      state: "open",
      attempts: 0,
      error: null,
    };
    attempt(delivery, endpoint);
    model.deliveries.push(delivery);
  }
}

/**
 * Returns the endpoint of a watchlist. This is the endpoint that the watchlist names. If that was
 * deleted, it is the endpoint with the same URL, if there is one, and otherwise the deleted
 * endpoint.
 */
export function boundEndpoint(
  { endpoints }: Model,
  { endpointId }: Pick<WatchlistModel, "endpointId">,
): EndpointModel | undefined {
  const named = endpoints.find(({ id }) => id === endpointId);
  if (named?.deleted !== true) return named;
  return endpoints.find(({ deleted, url }) => !deleted && url === named.url) ?? named;
}

const statusOf = ({ deleted, enabled }: EndpointModel): string => {
  if (deleted) return "deleted";
  return enabled ? "ok" : "disabled";
};

const isFine = ({ url }: EndpointModel): boolean => new URL(url).hostname.startsWith("ok");

function attempt(delivery: DeliveryModel, endpoint: EndpointModel): void {
  const refusal = refusalOf(endpoint);
  if (refusal !== null) {
    Object.assign(delivery, { state: "failed", error: refusal, attempts: null });
  } else if (isFine(endpoint)) {
    const attempts = delivery.attempts === null ? null : delivery.attempts + 1;
    Object.assign(delivery, { state: "delivered", error: null, attempts });
  } else Object.assign(delivery, { state: "open", error: null, attempts: null });
}

const refusalOf = ({ deleted, enabled }: EndpointModel): string | null => {
  if (deleted) return "endpoint_deleted";
  return enabled ? null : "endpoint_disabled";
};

/** Applies a redelivery, which is another attempt. */
export const redeliver = attempt;

/** Ends all open deliveries to an endpoint without success. */
export function endOpen(model: Model, endpoint: EndpointModel): void {
  for (const delivery of model.deliveries) {
    if (delivery.endpointId === endpoint.id && delivery.state === "open") delivery.state = "ended";
  }
}

/**
 * Applies a recovery. It sends again the failed deliveries of a time span, and sends the span's
 * events that were never sent.
 */
export function recover(
  model: Model,
  endpoint: EndpointModel,
  span: { readonly since: number; readonly until: number },
): void {
  for (const event of model.events) {
    if (event.at < span.since || event.at > span.until) continue;
    const known = model.deliveries.find(
      (one) => one.event === event && one.endpointId === endpoint.id,
    );
    if (known !== undefined) {
      if (known.state === "failed") attempt(known, endpoint);
      // The delivery may have failed, or its attempt may be in progress.
      if (known.state === "ended") Object.assign(known, { state: "open", attempts: null });
      continue;
    }
    const isMeant =
      event.named === null
        ? takes(endpoint, event.type) && event.at >= endpoint.createdAt
        : event.named === endpoint.id;
    if (isMeant) sendFirst(model, event, endpoint);
  }
}

/** Applies the sending of an event to one endpoint. The event may have been delivered before. */
export function sendEvent(model: Model, event: EventModel, endpoint: EndpointModel): void {
  const known = model.deliveries.find(
    (one) => one.event === event && one.endpointId === endpoint.id,
  );
  if (known === undefined) sendFirst(model, event, endpoint);
  else attempt(known, endpoint);
}

function sendFirst(model: Model, event: EventModel, endpoint: EndpointModel): void {
  const delivery: DeliveryModel = {
    endpointId: endpoint.id,
    event,
    type: event.type,
    at: event.at,
    state: "open",
    attempts: 0,
    error: null,
  };
  attempt(delivery, endpoint);
  model.deliveries.push(delivery);
}

const stateCounts = ({ items }: ModelWatchlist) => {
  const count = (state: string): number => items.filter((item) => item.state === state).length;
  return { new: count("new"), active: count("active"), delisted: count("delisted") };
};

/** Returns a watchlist as responses show it. */
export function shownWatchlist(model: Model, list: WatchlistModel, now: number): Shown {
  const { core, schedule } = list;
  const { every, cron, timezone = "UTC" } = schedule;
  const counts = stateCounts(core);
  const bound = boundEndpoint(model, list);
  return {
    id: list.id,
    object: "watchlist",
    name: list.name,
    platform: core.platform,
    marketplace: "us",
    currency: "USD",
    status: core.paused ? "paused" : "active",
    paused_reason: list.pausedReason,
    schedule:
      every === undefined
        ? { type: "cron", cron, timezone }
        : { type: "every", every, every_seconds: secondsOf(every) },
    every: every ?? null,
    every_seconds: every === undefined ? null : secondsOf(every),
    refresh_every_runs: list.refreshEveryRuns,
    webhook_url: bound?.url ?? null,
    webhook_endpoint_id: bound?.id ?? null,
    webhook_endpoint_status: bound === undefined ? null : statusOf(bound),
    item_count: core.items.length,
    items_by_state: counts,
    asin_count: core.items.length,
    asins_by_state: counts,
    pipeline: shownPipeline(core.pipeline),
    default_pipeline: list.pipeline === null,
    estimated_credits: { pulseRun: aCount, refreshRun: aCount, newAsins: aCount },
    run_count: core.runCount,
    consecutive_skips: core.skips,
    last_run_at: iso(list.lastRunAt),
    last_run_status: list.lastRunStatus,
    next_run_at: iso(list.nextRunAt),
    next_run_times: list.nextRunAt === null ? [] : nextTimes(schedule, list.nextRunAt, now),
    created_at: iso(list.createdAt),
    updated_at: aText,
    url: `https://api.example.com/v1/watchlists/${list.id}`,
  };
}

/** Returns a pipeline as responses show it. */
export const shownPipeline = ({ entry, baseline, refresh, steps }: Pipeline): Shown => ({
  entry,
  baseline,
  refresh: refresh && { every_runs: refresh.everyRuns, entry: refresh.entry },
  steps: steps.map((step: Step) => ({
    ...step,
    routes: step.routes.map((route) => ({ ...route })),
  })),
});

/** Returns an item as responses show it. */
export function shownItem(list: WatchlistModel, item: ModelItem): Shown {
  const times = list.times.get(item.id) ?? newTimes(0);
  const { lastChange } = item;
  return {
    id: item.id,
    object: "watchlist_item",
    ...(list.core.platform === "retailer_a" && { asin: item.id }),
    state: item.state,
    added_at: iso(times.addedAt),
    first_read_at: iso(times.firstReadAt),
    last_read_status: item.lastReadStatus,
    consecutive_failures: item.failures,
    snapshot: everythingKnown(item.known),
    snapshot_at: everythingKnown(item.known) === null ? null : aText,
    last_change: lastChange && {
      changed_at: iso(times.changedAt),
      run_id: idOf("wlrun"),
      run_number: lastChange.runNumber,
      step: lastChange.step,
      scraper: lastChange.scraper,
      tier: lastChange.scraper.split(".")[1],
      changes: lastChange.changes,
    },
    delisted_at: iso(times.delistedAt),
  };
}

/** Returns an event as the feed shows it. */
export const shownEvent = ({ type, at, data }: EventModel): Shown => ({
  id: idOf("evt"),
  type,
  created_at: iso(at),
  data,
});

export const digestOf = (ids: readonly string[]): string =>
  createHash("sha256").update(ids.join("\n")).digest("hex");
