import { type ArchivedRun, archiveRun, type EventBodies } from "../events/event-archive.ts";
import type { EventType, RunEvents } from "../events/event.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { RunEventPublisher } from "../events/publisher.ts";
import {
  destinationTarget,
  endpointTarget,
  type Entry,
  type Outbox,
  type OutboxQueue,
  type Target,
} from "../outbox/outbox.ts";
import { isSubscribed } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { runEntry } from "./outbox-entries.ts";

/** Takes on the export of a run, if the account exports. */
export interface RunExports {
  /** What the account's destination is owed; null when there is none that is enabled. */
  owed(accountId: string, run: ArchivedRun): Promise<Entry | null>;
}

export interface PublishDependencies {
  readonly endpoints: Pick<EndpointStore, "list">;
  readonly bodies: EventBodies;
  readonly feed: EventFeed;
  readonly outbox: Outbox;
  readonly exports: RunExports;
  readonly queue: OutboxQueue;
}

/**
 * Publishes a run in an order in which a crash anywhere loses nothing: bodies first, then the feed,
 * then what is owed to whom, then the hints. Every write is the same on a repeat.
 */
export function runEventPublisher(dependencies: PublishDependencies): RunEventPublisher {
  return { publish: (run) => publish(run, dependencies) };
}

async function publish(run: RunEvents, dependencies: PublishDependencies): Promise<void> {
  const [event] = run.events;
  if (event === undefined) return;
  const { endpoints, bodies, feed, outbox, exports, queue } = dependencies;
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
  const targets: Target[] = [];
  const owe = async (target: Target, entry: Entry): Promise<void> => {
    await outbox.add(target, [entry]);
    targets.push(target);
  };
  for (const { endpointId, types: wanted } of await receiversOf(run, types, endpoints)) {
    const entry = runEntry({ runId, watchlistId, types: wanted, happenedAt });
    await owe(endpointTarget(accountId, endpointId), entry);
  }
  const owedExport = await exports.owed(accountId, archived);
  if (owedExport !== null) await owe(destinationTarget(accountId), owedExport);
  await queue.send(targets, 0);
}

interface RunReceiver {
  readonly endpointId: string;
  readonly types: EventType[] | null;
}

/**
 * A list's own endpoint gets everything, whatever its filter says, and is owed it even when it is
 * disabled or gone, which the delivery log records (specification, section "Events", rules 1 and 2).
 */
async function receiversOf(
  { accountId, webhookEndpointId }: RunEvents,
  types: readonly EventType[],
  endpoints: Pick<EndpointStore, "list">,
): Promise<readonly RunReceiver[]> {
  if (webhookEndpointId !== null) return [{ endpointId: webhookEndpointId, types: null }];
  const known = await endpoints.list(accountId);
  return known
    .filter((endpoint) => types.some((type) => isSubscribed(endpoint, type)))
    .map(({ id, events }) => ({ endpointId: id, types: events === null ? null : [...events] }));
}
