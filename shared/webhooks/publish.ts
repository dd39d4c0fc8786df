import type { Clock } from "../base/clock.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import { isSubscribed } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { EventType, RunEvents } from "../events/event.ts";
import { type ArchivedRun, archiveRun, type EventBodies } from "../events/event-archive.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { RunEventPublisher } from "../events/publisher.ts";
import { runJobId, type RunJobStore } from "./run-job.ts";
import type { WorkPointer } from "./work.ts";

/** Takes on the export of a run, if the account exports. */
export interface RunExports {
  /** Returns the work to wake, or null when the account has no enabled destination. */
  open(accountId: string, run: ArchivedRun): Promise<WorkPointer | null>;
}

export interface PublishDependencies {
  readonly endpoints: EndpointStore;
  readonly bodies: EventBodies;
  readonly feed: EventFeed;
  readonly jobs: RunJobStore;
  readonly exports: RunExports;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
}

interface Target {
  readonly endpointId: string;
  readonly types: readonly EventType[] | null;
}

/**
 * Publishes a run in an order in which a crash anywhere loses nothing: bodies first, then the rows
 * that owe them to somebody, then the hints. Every write is the same on a repeat.
 */
export function runEventPublisher(dependencies: PublishDependencies): RunEventPublisher {
  return { publish: (run) => publish(run, dependencies) };
}

async function publish(run: RunEvents, dependencies: PublishDependencies): Promise<void> {
  if (run.events.length === 0) return;
  const { bodies, feed, exports, queue } = dependencies;
  const archived = await archiveRun(run, bodies);
  await feed.append(run.accountId, feedEntries(archived));
  const work = await openJobs(run, dependencies);
  const exportWork = await exports.open(run.accountId, archived);
  await queue.send(exportWork === null ? work : [...work, exportWork], 0);
}

async function openJobs(
  run: RunEvents,
  { endpoints, jobs, clock }: PublishDependencies,
): Promise<readonly WorkPointer[]> {
  const { accountId, runId, watchlistId } = run;
  const now = clock.now().toISOString();
  const pointers: WorkPointer[] = [];
  for (const { endpointId, types } of await targetsOf(run, endpoints)) {
    const id = runJobId(runId, endpointId);
    await jobs.open(accountId, {
      id,
      runId,
      watchlistId,
      endpointId,
      types,
      state: "pending",
      next: 0,
      failuresInRow: 0,
      attempt: 0,
      dueAt: now,
      leased: false,
      createdAt: now,
    });
    pointers.push({ kind: "run", accountId, id });
  }
  return pointers;
}

/**
 * A list's own endpoint gets everything, whatever its filter says, and gets its job even when it is
 * disabled or gone, which the delivery records (specification, section "Events", rules 1 and 2).
 */
async function targetsOf(run: RunEvents, endpoints: EndpointStore): Promise<readonly Target[]> {
  if (run.webhookEndpointId !== null) {
    return [{ endpointId: run.webhookEndpointId, types: null }];
  }
  const known = await endpoints.list(run.accountId);
  return known
    .filter((endpoint) => run.events.some(({ type }) => isSubscribed(endpoint, type)))
    .map(({ id, events }) => ({ endpointId: id, types: events }));
}

const feedEntries = ({ events, watchlistId, runId }: ArchivedRun) =>
  events.map(({ id, type, createdAt }, position) => ({
    eventId: id,
    type,
    createdAt,
    watchlistId,
    runId,
    position,
  }));
