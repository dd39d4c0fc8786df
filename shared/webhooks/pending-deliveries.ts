import { safeParse } from "valibot";
import { firstIdAt, latestBefore, timeOf } from "../base/ids.ts";
import { readRunIndex, type EventBodies } from "../events/event-archive.ts";
import type { PendingPage } from "../outbox/merged-page.ts";
import { type PendingWork, type DeliveryTarget, targetKind } from "../outbox/outbox.ts";
import { type Delivery, newDelivery } from "./delivery.ts";
import type { DeliveryFilter, DeliveryStore } from "./delivery-store.ts";
import { type RunContent, webhookContent } from "./outbox-entries.ts";

/** The stores from which deliveries without an attempt are derived. */
export interface PendingSources {
  readonly pending: PendingWork;
  readonly bodies: EventBodies;
  readonly deliveries: Pick<DeliveryStore, "get" | "getMany">;
}

/** Maximum number of runs whose events are read for one page. */
const runsMax = 25;
/** Maximum number of runs that are searched for one delivery to an endpoint. */
const searchedRunsMax = 100;

/** An outbox entry for the first delivery attempts of a run's events to an endpoint. */
interface PendingRun {
  readonly target: DeliveryTarget;
  readonly dueAt: string;
  readonly content: RunContent;
}

/**
 * Lists the deliveries that have had no attempt yet and are therefore not in the log, newest first.
 * Returns only deliveries whose ID sorts before `before`; if `before` is null, starts with the
 * newest. Reads a limited number of runs, so the result may be incomplete. The member `from` of the
 * result is the ID down to which the result is complete; null if the whole result is complete.
 */
export async function pendingDeliveries(
  accountId: string,
  wanted: {
    readonly limit: number;
    readonly before: string | null;
    readonly filter: DeliveryFilter;
  },
  sources: PendingSources,
): Promise<PendingPage<Delivery>> {
  const { limit, before, filter } = wanted;
  if ((filter.state ?? "pending") !== "pending") return { entries: [], from: null };
  const span = {
    since: filter.since ?? null,
    until: latestBefore("delivery", before),
    limit: runsMax,
  };
  const { runs, from: oldest } = await pendingRuns(accountId, { ...span, filter }, sources);
  const deliveries: Delivery[] = [];
  let from = oldest;
  for (const [n, run] of runs.entries()) {
    const isFull = n >= runsMax || deliveries.length > limit;
    // A page ends at a due time, so it must contain all runs with this due time.
    if (isFull && run.dueAt !== runs[n - 1]?.dueAt) {
      from = runs[n - 1]?.dueAt ?? from;
      break;
    }
    const foundDeliveries = await withoutLogged(accountId, run, { filter, sources });
    deliveries.push(...foundDeliveries.filter(({ id }) => before === null || id < before));
  }
  return {
    entries: deliveries.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    from: from === null ? null : firstIdAt("delivery", new Date(from)),
  };
}

/**
 * Finds, by its ID, a delivery that has had no attempt yet. Returns null if the ID is malformed or
 * there is no such delivery.
 */
export async function pendingDelivery(
  accountId: string,
  id: string,
  sources: PendingSources,
): Promise<Delivery | null> {
  const at = timeOf("delivery", id)?.toISOString();
  if (at === undefined) return null;
  const wanted = { since: at, until: at, limit: searchedRunsMax, filter: {} };
  const { runs } = await pendingRuns(accountId, wanted, sources);
  for (const run of runs) {
    const foundDeliveries = await deliveriesOf(accountId, run, { filter: {}, sources });
    const delivery = foundDeliveries.find((one) => one.id === id);
    if (delivery !== undefined) return delivery;
  }
  return null;
}

/**
 * Lists runs whose first attempts are pending, newest first. The list has all matching runs that
 * are due at `from` or later; all of them if `from` is null.
 */
async function pendingRuns(
  accountId: string,
  wanted: {
    readonly since: string | null;
    readonly until: string | null;
    readonly limit: number;
    readonly filter: DeliveryFilter;
  },
  { pending }: PendingSources,
): Promise<{ readonly runs: readonly PendingRun[]; readonly from: string | null }> {
  const { filter, limit } = wanted;
  const targets = (await pending.targets(accountId)).filter(
    (target) =>
      targetKind(target) === "endpoint" &&
      (filter.endpointId ?? target.targetId) === target.targetId,
  );
  let from: string | null = null;
  const runs: PendingRun[] = [];
  for (const target of targets) {
    const entries = await pending.newest(target, wanted);
    const oldest = entries.at(-1)?.dueAt;
    if (entries.length >= limit && oldest !== undefined && oldest > (from ?? "")) from = oldest;
    for (const { dueAt, content: stored } of entries) {
      const content = safeParse(webhookContent, stored);
      if (content.success && content.output.kind === "run") {
        runs.push({ target, dueAt, content: content.output });
      }
    }
  }
  const runIds = runs
    .filter(({ dueAt }) => dueAt >= (from ?? ""))
    .filter(({ content }) => (filter.watchlistId ?? content.watchlistId) === content.watchlistId)
    .toSorted((one, other) => (one.dueAt < other.dueAt ? 1 : -1));
  return { runs: runIds, from };
}

interface LookupOptions {
  readonly filter: DeliveryFilter;
  readonly sources: PendingSources;
}

/** Returns the deliveries of a run that are not in the log yet. */
async function withoutLogged(
  accountId: string,
  run: PendingRun,
  options: LookupOptions,
): Promise<readonly Delivery[]> {
  const deliveries = await deliveriesOf(accountId, run, options);
  const ids = deliveries.map(({ id }) => id);
  const known = await options.sources.deliveries.getMany(accountId, ids);
  return deliveries.filter(({ id }) => !known.has(id));
}

/**
 * Returns the deliveries of a run that match the filter, due at the time of the run's outbox entry.
 */
async function deliveriesOf(
  accountId: string,
  { target, dueAt, content }: PendingRun,
  { filter, sources }: LookupOptions,
): Promise<readonly Delivery[]> {
  const { runId, types } = content;
  const archived = await readRunIndex({ accountId, runId }, sources.bodies);
  return (archived?.events ?? [])
    .filter(({ type }) => (types?.includes(type) ?? true) && (filter.eventType ?? type) === type)
    .map((event) => newDelivery({ ...content, event, endpointId: target.targetId }))
    .map((delivery) => withNextAttempt(delivery, dueAt));
}

const withNextAttempt = (delivery: Delivery, nextAttemptAt: string): Delivery => ({
  ...delivery,
  nextAttemptAt,
});
