import { busEntry } from "../event-bus/bus-outbox.ts";
import { type ArchivedRun, archiveRun, type EventBodies } from "../events/event-archive.ts";
import type { RunEventStream } from "../events/event.ts";
import type { RunEventPublisher } from "../events/publisher.ts";
import type { DestinationStore } from "../exports/destination-store.ts";
import { runExport } from "../exports/run-export.ts";
import {
  busTarget,
  destinationTarget,
  endpointTarget,
  type OutboxQueue,
} from "../outbox/outbox.ts";
import type { EndpointStore } from "../webhooks/endpoint-store.ts";
import { runEntry } from "../webhooks/outbox-entries.ts";
import { runReceivers } from "../webhooks/run-receivers.ts";
import type { Publication, Publications } from "./publications.ts";

export interface PublishDependencies {
  readonly endpoints: Pick<EndpointStore, "list">;
  readonly destinations: Pick<DestinationStore, "get">;
  readonly bodies: EventBodies;
  readonly publications: Publications;
  readonly queue: OutboxQueue;
  /** True if the deployment has an event bus, which receives the events of all accounts. */
  readonly hasBus: boolean;
}

/**
 * Maximum number of events whose IDs an outbox entry lists. The entry, and its copy in the row of
 * the target, stay below 1 KB.
 */
const listedEventsMax = 10;

/**
 * Creates the publisher of run events. For each run, the publisher takes three steps:
 * 1. It stores the bodies of the events.
 * 2. One transaction adds the run to the feed and to the outboxes of its delivery targets.
 * 3. It sends wake-up messages to the delivery workers. After a crash, the sweeper sends them.
 *
 * Every write is idempotent.
 */
export function runEventPublisher(dependencies: PublishDependencies): RunEventPublisher {
  return { publish: (run) => publish(run, dependencies) };
}

/** Publishes the events of one run. Does nothing if the run has no events. */
async function publish(run: RunEventStream, dependencies: PublishDependencies): Promise<void> {
  const { endpoints, destinations, bodies, publications, queue, hasBus } = dependencies;
  const { accountId, runId, watchlistId, runNumber, webhookEndpointId } = run;
  const { archived, small } = await archiveRun(run, bodies);
  const [event] = archived.events;
  if (event === undefined) return;
  const { createdAt } = event;
  const types = [...new Set(archived.events.map(({ type }) => type))];
  // The position is read after the archive is stored. The archive of a large run takes seconds, in
  // which other runs of the account could change the position. The reads of the position and of
  // the destination start together, because the client then combines them into one request.
  const [position, destination, receivers] = await Promise.all([
    publications.position(accountId),
    destinations.get(accountId),
    runReceivers(run, types, endpoints),
  ]);
  const exported = runExport({ runId, watchlistId, runNumber, createdAt }, destination);
  const additions: Publication["additions"] = [
    ...receivers.map(({ endpointId, types: wanted }) => ({
      target: endpointTarget(accountId, endpointId),
      entry: runEntry({
        runId,
        watchlistId,
        types: wanted,
        happenedAt: createdAt,
        eventIds: eventIdsOf(archived, wanted),
      }),
    })),
    ...(exported === null ? [] : [{ target: destinationTarget(accountId), entry: exported.entry }]),
    ...(hasBus ? [{ target: busTarget(accountId), entry: busEntryOf(run, createdAt) }] : []),
  ];
  await publications.add(
    {
      accountId,
      run: { runId, watchlistId, webhookEndpointId, createdAt, types },
      small,
      additions,
      exported: exported?.record ?? null,
    },
    position,
  );
  await queue.send(
    additions.map(({ target }) => target),
    0,
  );
}

/**
 * Returns the event IDs that an outbox entry lists. Returns an empty array if the run has more than
 * `listedEventsMax` events.
 * @param types the event types to include; null for all
 */
function eventIdsOf({ events }: ArchivedRun, types: readonly string[] | null): readonly string[] {
  if (events.length > listedEventsMax) return [];
  return events.filter(({ type }) => types?.includes(type) ?? true).map(({ id }) => id);
}

const busEntryOf = ({ runId, watchlistId }: RunEventStream, dueAt: string) =>
  busEntry({ runId, watchlistId, lane: "first", attempt: 1, positions: null, dueAt });
