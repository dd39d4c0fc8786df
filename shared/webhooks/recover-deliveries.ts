import type { ArchivedEvent } from "../events/event-archive.ts";
import type { FeedEntry } from "../events/event-feed.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { type Delivery, newDelivery, shownState } from "./delivery.ts";
import { type WebhookEndpoint, isSubscribed } from "./endpoint.ts";
import { type RecoverContent, recoveredEntry } from "./outbox-entries.ts";
import type { WebhookContext, WebhookWork } from "./attempt-delivery.ts";

/** Runs processed between two progress writes. */
const runsAtOnce = 20;
/** Deliveries made pending in one transaction; each takes two rows. */
const deliveriesAtOnce = 40;

/**
 * Works on a recovery: makes pending all deliveries of a time span that failed, and all events for
 * the endpoint that were never sent, such as while it was disabled. Runs are sent oldest first, the
 * events of each in delivery order. Stores its progress, from which a repeat continues.
 */
export async function recoverDeliveries(
  { entry, content, slice }: WebhookWork<RecoverContent>,
  context: WebhookContext,
): Promise<void> {
  const { accountId, dependencies, receiver } = context;
  const { since, until } = content;
  const ready = await receiver.ready();
  let { after, found } = content;
  while (ready.outcome === "ready") {
    if (slice.isOver()) return;
    const range = { since, until, after, limit: runsAtOnce };
    const runs = await dependencies.feed.between(accountId, range);
    for (const run of runs) {
      const progress = { ...content, after, found };
      found = await recoverRun(run, ready.endpoint, { context, slice, entry, progress });
    }
    const last = runs.at(-1);
    if (last === undefined) break;
    after = { createdAt: last.createdAt, runId: last.runId };
    await slice.record({ added: [{ ...entry, content: { ...content, after, found } }] });
  }
  await slice.record({ removed: entry });
}

interface Recovering extends Pick<WebhookWork<RecoverContent>, "entry" | "slice"> {
  readonly context: WebhookContext;
  readonly progress: RecoverContent;
}

/** Makes the missed deliveries of a run pending. Returns the recovery's total number of deliveries so far. */
async function recoverRun(
  feedRun: FeedEntry,
  endpoint: WebhookEndpoint,
  { context, slice, entry, progress }: Recovering,
): Promise<number> {
  const { log } = context;
  let { found } = progress;
  const { runId, watchlistId } = feedRun;
  const archived = await context.run(runId);
  const intended = (archived?.events ?? []).filter((event) => isIntended(event, feedRun, endpoint));
  for (let start = 0; start < intended.length; start += deliveriesAtOnce) {
    const fresh = intended
      .slice(start, start + deliveriesAtOnce)
      .map((event) => newDelivery({ event, watchlistId, runId, endpointId: endpoint.id }));
    const ids = fresh.map(({ id }) => id);
    const known = await log.getMany(ids);
    const missed = fresh.filter((delivery) => {
      const logged = known.get(delivery.id);
      return logged === undefined
        ? existedAt(delivery, feedRun, endpoint)
        : shownState(logged) === "failed";
    });
    const pending = missed.map((delivery, n) =>
      pendingFrom(known.get(delivery.id) ?? delivery, dueAtOf(entry, found + n)),
    );
    found += pending.length;
    // Stores the number so far, so that a repeat after a crash does not reuse due times.
    const again: OutboxEntry = { ...entry, content: { ...progress, found } };
    await slice.record({
      added: [...pending.map(({ delivery, dueAt }) => recoveredEntry(delivery, dueAt)), again],
      records: pending.map(({ delivery }) => ({ delivery, answersRequest: false })),
    });
  }
  return found;
}

/** Due times increase by 1 ms for each delivery, because entries are worked on by due time. */
const dueAtOf = ({ dueAt }: OutboxEntry, position: number): string =>
  new Date(Date.parse(dueAt) + position).toISOString();

/** True if an event was intended for the endpoint (specification, section "Events", rule 1). */
const isIntended = (event: ArchivedEvent, run: FeedEntry, endpoint: WebhookEndpoint): boolean =>
  run.webhookEndpointId === null
    ? isSubscribed(endpoint, event.type)
    : run.webhookEndpointId === endpoint.id;

/** True for an unlogged delivery if its watchlist names the endpoint, or the endpoint existed at that time. */
const existedAt = (
  { createdAt }: Delivery,
  { webhookEndpointId }: FeedEntry,
  endpoint: WebhookEndpoint,
): boolean => webhookEndpointId !== null || createdAt >= endpoint.createdAt;

/** The delivery as pending, due at `dueAt`, with a new retry schedule. */
const pendingFrom = (delivery: Delivery, dueAt: string) => ({
  delivery: { ...delivery, state: "pending", tries: 0, nextAttemptAt: dueAt } as const,
  dueAt,
});
