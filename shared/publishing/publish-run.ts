import { archiveRun, type EventBodies } from "../events/event-archive.ts";
import { busEntry } from "../event-bus/bus-outbox.ts";
import type { RunEvents } from "../events/event.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { RunEventPublisher } from "../events/publisher.ts";
import type { DestinationStore } from "../exports/destination-store.ts";
import { runExport } from "../exports/run-export.ts";
import {
  busTarget,
  destinationTarget,
  endpointTarget,
  type OutboxEntry,
  type Outbox,
  type OutboxQueue,
  type DeliveryTarget,
} from "../outbox/outbox.ts";
import type { EndpointStore } from "../webhooks/endpoint-store.ts";
import { runEntry } from "../webhooks/outbox-entries.ts";
import { runReceivers } from "../webhooks/run-receivers.ts";

export interface PublishDependencies {
  readonly endpoints: Pick<EndpointStore, "list">;
  readonly destinations: Pick<DestinationStore, "get">;
  readonly bodies: EventBodies;
  readonly feed: EventFeed;
  readonly outbox: Outbox;
  readonly queue: OutboxQueue;
  /** True if the deployment has an event bus, which receives the events of all accounts. */
  readonly hasBus: boolean;
}

/**
 * Creates the publisher of run events. The publisher stores the bodies, the feed entry and the
 * outbox entries before it sends wake-up messages, so a crash loses nothing. Every write is
 * idempotent.
 */
export function runEventPublisher(dependencies: PublishDependencies): RunEventPublisher {
  return { publish: (run) => publish(run, dependencies) };
}

async function publish(run: RunEvents, dependencies: PublishDependencies): Promise<void> {
  const [event] = run.events;
  if (event === undefined) return;
  const { endpoints, destinations, bodies, feed, outbox, queue, hasBus } = dependencies;
  const { accountId, runId, watchlistId, webhookEndpointId } = run;
  const archived = await archiveRun(run, bodies);
  const types = [...new Set(run.events.map(({ type }) => type))];
  const { createdAt: happenedAt } = event;
  await feed.append(accountId, {
    runId,
    watchlistId,
    webhookEndpointId,
    createdAt: happenedAt,
    types,
  });
  const targets: DeliveryTarget[] = [];
  const addEntry = async (target: DeliveryTarget, entry: OutboxEntry): Promise<void> => {
    await outbox.add(target, [entry]);
    targets.push(target);
  };
  for (const { endpointId, types: wanted } of await runReceivers(run, types, endpoints)) {
    const entry = runEntry({ runId, watchlistId, types: wanted, happenedAt });
    await addEntry(endpointTarget(accountId, endpointId), entry);
  }
  const exportEntry = await runExport(accountId, archived, destinations);
  if (exportEntry !== null) await addEntry(destinationTarget(accountId), exportEntry);
  if (hasBus) {
    const entry = busEntry({
      runId,
      watchlistId,
      lane: "first",
      attempt: 1,
      positions: null,
      dueAt: happenedAt,
    });
    await addEntry(busTarget(accountId), entry);
  }
  await queue.send(targets, 0);
}
