import type { ArchivedEvent } from "../events/event-archive.ts";
import type { FeedEntry } from "../events/event-feed.ts";
import type { Entry } from "../outbox/outbox.ts";
import { type Delivery, newDelivery, shownState } from "./delivery.ts";
import { type Endpoint, isSubscribed } from "./endpoint.ts";
import { type RecoverContent, recoveredEntry } from "./outbox-entries.ts";
import type { WebhookContext, WebhookWork } from "./attempt-delivery.ts";

/** Runs looked at before progress is noted. */
const runsAtOnce = 20;
/** Deliveries made pending in one change: each takes two rows. */
const deliveriesAtOnce = 40;

/**
 * Makes pending what happened in a span of time and did not reach an endpoint: what failed, and what
 * was meant for it and never sent, as when it was disabled. The oldest run is sent first, each run
 * in its order. Stores how far it is.
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
    if (slice.timeIsUp()) return;
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

/** Makes pending what an endpoint did not get of a run; returns how many were found so far. */
async function recoverRun(
  feedRun: FeedEntry,
  endpoint: Endpoint,
  { context, slice, entry, progress }: Recovering,
): Promise<number> {
  const { log } = context;
  let { found } = progress;
  const { runId, watchlistId } = feedRun;
  const archived = await context.run(runId);
  const meant = (archived?.events ?? []).filter((event) => isMeant(event, feedRun, endpoint));
  for (let start = 0; start < meant.length; start += deliveriesAtOnce) {
    const fresh = meant
      .slice(start, start + deliveriesAtOnce)
      .map((event) => newDelivery({ event, watchlistId, runId, endpointId: endpoint.id }));
    const ids = fresh.map(({ id }) => id);
    const known = await log.getMany(ids);
    const missed = fresh.filter((delivery) => {
      const logged = known.get(delivery.id);
      return logged === undefined
        ? wasOwed(delivery, feedRun, endpoint)
        : shownState(logged) === "failed";
    });
    const pending = missed.map((delivery, n) =>
      pendingFrom(known.get(delivery.id) ?? delivery, dueAtOf(entry, found + n)),
    );
    found += pending.length;
    // With the number found: a recovery that starts again after a crash does not reuse due times.
    const again: Entry = { ...entry, content: { ...progress, found } };
    await slice.record({
      added: [...pending.map(({ delivery, dueAt }) => recoveredEntry(delivery, dueAt)), again],
      records: pending.map(({ delivery }) => ({ delivery, answersRequest: false })),
    });
  }
  return found;
}

/** A millisecond later for each delivery: entries are worked on by due time. */
const dueAtOf = ({ dueAt }: Entry, position: number): string =>
  new Date(Date.parse(dueAt) + position).toISOString();

/** Whom an event was for (specification, section "Events", rule 1). */
const isMeant = (event: ArchivedEvent, run: FeedEntry, endpoint: Endpoint): boolean =>
  run.webhookEndpointId === null
    ? isSubscribed(endpoint, event.type)
    : run.webhookEndpointId === endpoint.id;

/** What the log does not know was owed to an endpoint that was there, or that a list names. */
const wasOwed = (
  { createdAt }: Delivery,
  { webhookEndpointId }: FeedEntry,
  endpoint: Endpoint,
): boolean => webhookEndpointId !== null || createdAt >= endpoint.createdAt;

/** The same delivery, due at a time, with the whole retry schedule before it. */
const pendingFrom = (delivery: Delivery, dueAt: string) => ({
  delivery: { ...delivery, state: "pending", tries: 0, nextAttemptAt: dueAt } as const,
  dueAt,
});
