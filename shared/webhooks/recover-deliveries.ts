import { chunksOf } from "../base/chunks-of.ts";
import type { ArchivedEvent } from "../events/event-archive.ts";
import type { FeedEntry } from "../events/event-feed.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { type Delivery, newDelivery, publicStateOf } from "./delivery.ts";
import { type WebhookEndpoint, isSubscribed } from "./endpoint.ts";
import { type RecoverContent, recoveredEntry } from "./outbox-entries.ts";
import type { WebhookContext, WebhookWork } from "./attempt-delivery.ts";

/** Number of runs processed between two writes of progress. */
const runsAtOnce = 20;
/** Maximum number of deliveries that one transaction makes pending. Each of them needs two rows. */
const deliveriesAtOnce = 40;

/**
 * Continues a recovery of the events in a time span that the endpoint should have received but did
 * not. Queues two kinds of deliveries of these events:
 * - deliveries that failed, which are queued again;
 * - deliveries that were never made, for example while the endpoint was disabled. An event that is
 *   older than the endpoint counts only if its run names the endpoint.
 * Processes runs oldest first, and the events of each run in delivery order. Stores its progress,
 * and returns when the time slice is over. The next call continues from there. Removes the outbox
 * entry after the last run, or if the endpoint is now disabled or deleted.
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

/**
 * Makes the missed deliveries of a run pending. Returns the number of deliveries that the recovery
 * has made pending, including those of earlier runs.
 */
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
  for (const some of chunksOf(intended, deliveriesAtOnce)) {
    const fresh = some.map((event) =>
      newDelivery({ event, watchlistId, runId, endpointId: endpoint.id }),
    );
    const ids = fresh.map(({ id }) => id);
    const known = await log.getMany(ids);
    const missed = fresh.filter((delivery) => {
      const logged = known.get(delivery.id);
      return logged === undefined
        ? wasDue(delivery, feedRun, endpoint)
        : publicStateOf(logged) === "failed";
    });
    const pending = missed.map((delivery, n) =>
      pendingFrom(known.get(delivery.id) ?? delivery, dueAtOf(entry, found + n)),
    );
    found += pending.length;
    // Stores `found`, so that after a crash no two deliveries get the same due time.
    const again: OutboxEntry = { ...entry, content: { ...progress, found } };
    await slice.record({
      added: [...pending.map(({ delivery, dueAt }) => recoveredEntry(delivery, dueAt)), again],
      records: pending.map(({ delivery }) => ({ delivery, answersRequest: false })),
    });
  }
  return found;
}

/**
 * Returns the due time of a recovered delivery: 1 ms after the due time of the previous delivery,
 * because the due times determine the order.
 * @param position number of deliveries that the recovery has made pending before this one
 */
const dueAtOf = ({ dueAt }: OutboxEntry, position: number): string =>
  new Date(Date.parse(dueAt) + position).toISOString();

/**
 * Returns true if an event is intended for the endpoint (specification, section "Events", rule 1):
 * the run names the endpoint, or the run names no endpoint and the endpoint is subscribed to the
 * type of the event.
 */
const isIntended = (event: ArchivedEvent, run: FeedEntry, endpoint: WebhookEndpoint): boolean =>
  run.webhookEndpointId === null
    ? isSubscribed(endpoint, event.type)
    : run.webhookEndpointId === endpoint.id;

/**
 * Returns true if a delivery that the log does not have should have been made: the run names the
 * endpoint, or the endpoint existed when the event was created.
 */
const wasDue = (
  { createdAt }: Delivery,
  { webhookEndpointId }: FeedEntry,
  endpoint: WebhookEndpoint,
): boolean => webhookEndpointId !== null || createdAt >= endpoint.createdAt;

/** Returns the delivery in state `pending`, due at `dueAt`, with its retry schedule restarted. */
const pendingFrom = (delivery: Delivery, dueAt: string) => ({
  delivery: { ...delivery, state: "pending", tries: 0, nextAttemptAt: dueAt } as const,
  dueAt,
});
