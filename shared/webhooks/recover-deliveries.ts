import type { ArchivedEvent } from "../events/event-archive.ts";
import type { FeedEntry } from "../events/event-feed.ts";
import { type Delivery, newDelivery, shownState } from "./delivery.ts";
import type { Endpoint } from "./endpoint.ts";
import { isSubscribed } from "./endpoint.ts";
import { type RecoverContent, retryEntries } from "./outbox-entries.ts";
import type { WebhookContext, WebhookWork } from "./attempt-delivery.ts";

/** Runs looked at before progress is noted. */
const runsAtOnce = 20;
/** Deliveries owed anew in one change: each takes two rows. */
const deliveriesAtOnce = 40;

/**
 * Owes an endpoint anew whatever happened in a span of time and did not reach it: what failed, and
 * what was meant for it and never sent, as when it was disabled. Notes how far it has got.
 */
export async function recoverDeliveries(
  { entry, content, slice }: WebhookWork<RecoverContent>,
  context: WebhookContext,
): Promise<void> {
  const { accountId, dependencies, receiver } = context;
  const { since, until } = content;
  const ready = await receiver.ready();
  let { after } = content;
  while (ready.outcome === "ready") {
    if (slice.timeIsUp()) return;
    const range = { since, until, after, limit: runsAtOnce };
    const runs = await dependencies.feed.between(accountId, range);
    for (const run of runs) await owe(run, ready.endpoint, { context, slice });
    const last = runs.at(-1);
    if (last === undefined) break;
    after = { createdAt: last.createdAt, runId: last.runId };
    await slice.record({ added: [{ ...entry, content: { ...content, after } }] });
  }
  await slice.record({ removed: entry });
}

async function owe(
  feedRun: FeedEntry,
  endpoint: Endpoint,
  { context, slice }: { context: WebhookContext; slice: WebhookWork<RecoverContent>["slice"] },
): Promise<void> {
  const { dependencies, log } = context;
  const { runId, watchlistId } = feedRun;
  const archived = await context.run(runId);
  const meant = (archived?.events ?? []).filter((event) => isMeant(event, feedRun, endpoint));
  for (let start = 0; start < meant.length; start += deliveriesAtOnce) {
    const fresh = meant
      .slice(start, start + deliveriesAtOnce)
      .map((event) => newDelivery({ event, watchlistId, runId, endpointId: endpoint.id }));
    const ids = fresh.map(({ id }) => id);
    const known = await log.getMany(ids);
    const now = dependencies.clock.now().toISOString();
    const owed = fresh
      .filter((delivery) => {
        const logged = known.get(delivery.id);
        return logged === undefined
          ? wasOwed(delivery, feedRun, endpoint)
          : shownState(logged) === "failed";
      })
      .map((delivery) => owedFrom(known.get(delivery.id) ?? delivery, now));
    await slice.record({
      added: owed.flatMap(retryEntries),
      records: owed.map((delivery) => ({ delivery, answersRequest: false })),
    });
  }
}

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

/** The same delivery, due at once, with the whole retry schedule before it. */
const owedFrom = (delivery: Delivery, now: string): Delivery => ({
  ...delivery,
  state: "pending",
  tries: 0,
  nextAttemptAt: now,
});
