import { assert } from "../base/assert.ts";
import type { Clock, RandomSource } from "../base/clock.ts";
import { quantity } from "../base/quantity.ts";
import {
  type ArchivedEvent,
  readRunIndex,
  type EventBodies,
  readLines,
  unpackBody,
} from "../events/event-archive.ts";
import { newMetrics, type MetricsSink } from "../observability/metrics.ts";
import { nextWaitSeconds } from "../outbox/backoff.ts";
import type { TimeSlice } from "../outbox/drain.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { type BusContent, busEntry, unsentPositions } from "./bus-outbox.ts";
import { entryOfEvent } from "./entry-of-event.ts";
import { batchFits, type BusEntry, type EventBus } from "./event-bus.ts";

export interface SendRunDependencies {
  readonly bodies: EventBodies;
  /** Base URL of the API, with a slash at its end. */
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives the metrics of each attempt. */
  readonly report?: MetricsSink;
  /** Called with a message about events that the bus did not accept. */
  readonly warn?: (message: string) => void;
}

export interface SendTask {
  readonly accountId: string;
  readonly entry: OutboxEntry;
  readonly content: BusContent;
  readonly bus: EventBus;
  readonly slice: TimeSlice<never>;
  /** Number of consecutive calls of the bus in this session that sent no event. */
  readonly failures: { inRow: number };
}

/**
 * Number of consecutive calls without a sent event after which a session makes no further attempts.
 * The session then postpones its other runs.
 */
const failuresInRowMax = 3;

/**
 * Sends the remaining events of a run to the bus, in batches and in delivery order. If a whole
 * batch fails, sends no further batch. At the end of the attempt, removes the outbox entry, and
 * adds an entry for the events that are not sent yet, unless all retries are exhausted. If the last
 * `failuresInRowMax` calls of the bus in this session sent no event, only postpones the run. If the
 * events of the run have expired, only removes the outbox entry.
 *
 * Stops at the end of the time slice. The next slice continues after the last batch whose result
 * was stored, so a batch may be sent twice.
 */
export async function sendRun(task: SendTask, dependencies: SendRunDependencies): Promise<void> {
  const { accountId, entry, content, slice, failures } = task;
  if (failures.inRow >= failuresInRowMax) return postpone(task, dependencies);
  const run = await readRunIndex({ accountId, runId: content.runId }, dependencies.bodies);
  // The index of a run expires with its events, so without an index there is nothing to send.
  if (run === null) return slice.record({ removed: entry });
  let progress: BusContent = {
    ...content,
    remaining: content.remaining ?? run.events.map((_, position) => position),
  };
  for await (const batch of batchesOf(task, { run, progress, dependencies })) {
    if (slice.isOver()) return;
    const sent = await sendBatch(task, batch, dependencies);
    progress = advance(progress, sent);
    if (batch.entries.length > 0) failures.inRow = sent.count > 0 ? 0 : failures.inRow + 1;
    if (failures.inRow > 0) break;
    // The lane, due time and key of the entry stay the same, so the new entry replaces the stored
    // one.
    await slice.record({ added: [{ ...entry, content: progress }] });
  }
  return finish(task, progress, dependencies);
}

interface Batch {
  readonly positions: readonly number[];
  readonly entries: readonly BusEntry[];
  /** Positions of events that have expired. */
  readonly expired: readonly number[];
}

interface Lines {
  readonly run: { readonly events: readonly ArchivedEvent[] };
  readonly progress: BusContent;
  readonly dependencies: SendRunDependencies;
}

/** Yields the remaining events in batches that fit into one call of the bus. */
async function* batchesOf(
  { accountId, content }: SendTask,
  { run, progress, dependencies }: Lines,
): AsyncGenerator<Batch> {
  const { runId, watchlistId } = content;
  const { bodies, apiUrl } = dependencies;
  const remaining = progress.remaining ?? [];
  const events = remaining.flatMap((position) => run.events[position] ?? []);
  const positionOf = new Map(run.events.map(({ id }, position) => [id, position]));
  let batch = { positions: [] as number[], entries: [] as BusEntry[], expired: [] as number[] };
  for await (const { event, gzip } of readLines({ accountId, runId }, events, bodies)) {
    const position = positionOf.get(event.id);
    assert(position !== undefined, "the archive must list every event that it returns");
    if (gzip === null) {
      batch.expired.push(position);
      continue;
    }
    const body = Buffer.from(unpackBody(gzip)).toString();
    const next = entryOfEvent({ event, watchlistId, body, apiUrl });
    if (!batchFits([...batch.entries, next])) {
      yield batch;
      batch = { positions: [], entries: [], expired: [] };
    }
    batch.positions.push(position);
    batch.entries.push(next);
  }
  if (batch.positions.length + batch.expired.length > 0) yield batch;
}

interface SentBatch {
  /** Number of sent events. */
  readonly count: number;
  readonly failed: readonly number[];
  /** Positions of all events of the batch. */
  readonly positions: readonly number[];
}

/** Puts a batch on the bus, and reports its metrics. Events that have expired count as handled. */
async function sendBatch(
  { bus, content }: SendTask,
  { positions, entries, expired }: Batch,
  { clock, report, warn }: SendRunDependencies,
): Promise<SentBatch> {
  const startedAt = clock.now().getTime();
  const outcomes = entries.length === 0 ? [] : await bus.put(entries);
  const failed = positions.filter((_, n) => outcomes[n]?.outcome !== "sent");
  const count = positions.length - failed.length;
  const reasons = outcomes.flatMap((one) => (one.outcome === "failed" ? [one.reason] : []));
  if (reasons.length > 0) {
    const all = [...new Set(reasons)].join(", ");
    warn?.(
      `the event bus did not accept ${reasons.length} of ${quantity(entries.length, "event")} of run ${content.runId} ` +
        `(${all}); the service retries these events`,
    );
  }
  report?.([
    newMetrics(
      "event_bus",
      {},
      {
        bus_sent: count,
        bus_failed: failed.length,
        bus_never_sent: expired.length,
        bus_ms: clock.now().getTime() - startedAt,
      },
    ),
  ]);
  return { count, failed, positions: [...positions, ...expired] };
}

/** Returns the progress of an attempt after a batch. */
function advance(progress: BusContent, { count, failed, positions }: SentBatch): BusContent {
  const handled = new Set(positions);
  return {
    ...progress,
    remaining: (progress.remaining ?? []).filter((position) => !handled.has(position)),
    failed: [...progress.failed, ...failed],
    sent: progress.sent + count,
  };
}

/** Ends an attempt: adds an entry for the events that were not sent, if there are any. */
async function finish(
  { entry, slice }: SendTask,
  progress: BusContent,
  dependencies: SendRunDependencies,
): Promise<void> {
  const { attempt, runId, watchlistId, sent } = progress;
  const positions = unsentPositions(progress);
  assert(positions !== null, "an attempt that has begun must list its events");
  if (positions.length === 0) return slice.record({ removed: entry });
  // After an attempt that sent at least one event, the retry schedule starts again.
  const current = sent > 0 ? 1 : attempt;
  const dueAt = nextDue(current, dependencies);
  if (dueAt === null) {
    dependencies.report?.([newMetrics("event_bus", {}, { bus_never_sent: positions.length })]);
    dependencies.warn?.(
      `${quantity(positions.length, "event")} of run ${runId} exhausted all retries on the event bus; ` +
        "read the events with GET /v1/events",
    );
    return slice.record({ removed: entry });
  }
  const added = [
    busEntry({ runId, watchlistId, lane: "later", attempt: current + 1, positions, dueAt }),
  ];
  return slice.record({ removed: entry, added });
}

/**
 * Postpones a run for which no attempt was made. The new entry has the same attempt number, so the
 * postponement does not use up a retry.
 */
async function postpone(
  { entry, content, slice }: SendTask,
  dependencies: SendRunDependencies,
): Promise<void> {
  const { attempt, runId, watchlistId } = content;
  const positions = unsentPositions(content);
  const dueAt = nextDue(Math.max(1, attempt - 1), dependencies);
  assert(dueAt !== null, "a planned attempt must have a delay before it");
  const added = [busEntry({ runId, watchlistId, lane: "later", attempt, positions, dueAt })];
  return slice.record({ removed: entry, added });
}

/** Returns the due time (ISO 8601) of the retry after `attempt` failed; null if none is left. */
function nextDue(attempt: number, { clock, random }: SendRunDependencies): string | null {
  const fraction = random.fraction();
  const seconds = nextWaitSeconds({ attempt, retryAfterSeconds: null, fraction });
  return seconds === null ? null : new Date(clock.now().getTime() + seconds * 1_000).toISOString();
}
