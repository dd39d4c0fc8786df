import { type ArchivedEvent, readLines, unpackBody } from "../events/event-archive.ts";
import { retryWaitsSeconds } from "../outbox/backoff.ts";
import { type Delivery, failDelivery, newDelivery } from "./delivery.ts";
import { retryEntries, type RunContent } from "./outbox-entries.ts";
import { attempt, type WebhookContext, type WebhookWork } from "./attempt-delivery.ts";

/**
 * Makes the first attempts of a run's events to an endpoint, one after the other in delivery order.
 * Stops when the time slice ends. The next call continues with the events that have no delivery in
 * the log yet.
 * @throws the first error of an attempt or of reading the next event
 */
export async function firstAttempts(
  work: WebhookWork<RunContent>,
  context: WebhookContext,
): Promise<void> {
  const { entry, content, slice } = work;
  const { accountId, dependencies } = context;
  const run = await context.run(content.runId);
  // The index of a run expires with its events, so without an index there is nothing to send.
  const { remaining, isBegun } =
    run === null
      ? { remaining: [], isBegun: true }
      : await unattemptedEvents(run.events, work, context);
  const lines = readLines({ accountId, runId: content.runId }, remaining, dependencies.bodies);
  let line = await nextLine(lines);
  let mayBeTrial = !isBegun;
  while (line !== null) {
    if (slice.isOver()) return;
    const trying = firstAttempt(line, { content, mayBeTrial }, context);
    mayBeTrial = false;
    // Decompresses the next event while this attempt is in progress.
    const [tried, next] = await Promise.allSettled([trying, nextLine(lines)]);
    if (tried.status === "rejected") throw tried.reason;
    const records = [{ delivery: tried.value, answersRequest: false }];
    await slice.record({ records, added: retryEntries(tried.value) });
    if (next.status === "rejected") throw next.reason;
    line = next.value;
  }
  await slice.record({ removed: entry });
}

interface Line {
  readonly event: ArchivedEvent;
  /** Decompressed body; null if it has expired. */
  readonly body: Uint8Array | null;
}

/** Reads and decompresses the next event; null after the last event. */
async function nextLine(lines: ReturnType<typeof readLines>): Promise<Line | null> {
  const next = await lines.next();
  if (next.done === true) return null;
  const { event, gzip } = next.value;
  return { event, body: gzip === null ? null : unpackBody(gzip) };
}

/**
 * Makes or postpones the first attempt of one event, and returns the delivery to record.
 * @param mayBeTrial true if the attempt may be the trial of a failing endpoint
 */
async function firstAttempt(
  { event, body }: Line,
  { content, mayBeTrial }: { readonly content: RunContent; readonly mayBeTrial: boolean },
  context: WebhookContext,
): Promise<Delivery> {
  const { endpointId, receiver, dependencies } = context;
  const { clock } = dependencies;
  const fresh = newDelivery({ ...content, event, endpointId });
  if (body === null) return failDelivery(fresh, clock.now(), "event_expired");
  const ready = await receiver.ready();
  if (ready.outcome === "refused") return failDelivery(fresh, clock.now(), ready.error);
  // `pass` may wait for the end of another attempt. The endpoint can change during this time, so
  // the attempt reads the endpoint again.
  const tried = await context.firstAttempts.pass(
    async () => attempt({ delivery: fresh, body, ready: await receiver.ready() }, context),
    mayBeTrial,
  );
  return tried ?? postpone(fresh, clock.now());
}

/**
 * Returns the run's events for this endpoint that the log does not have yet. `isBegun` is true if
 * the log has at least one of the run's events for this endpoint.
 */
async function unattemptedEvents(
  events: readonly ArchivedEvent[],
  { content }: WebhookWork<RunContent>,
  { endpointId, log }: WebhookContext,
): Promise<{ readonly remaining: readonly ArchivedEvent[]; readonly isBegun: boolean }> {
  const wanted = events.filter(({ type }) => content.types?.includes(type) ?? true);
  const ids = wanted.map((event) => newDelivery({ ...content, event, endpointId }).id);
  const known = await log.getMany(ids);
  const remaining = wanted.filter((_, n) => !known.has(ids[n] ?? ""));
  return { remaining, isBegun: remaining.length < wanted.length };
}

/**
 * Returns the delivery with its next attempt postponed: it is due one first retry delay after
 * `now`. The postponement does not count as an attempt.
 */
export function postpone(delivery: Delivery, now: Date): Delivery {
  const [wait] = retryWaitsSeconds;
  return { ...delivery, nextAttemptAt: new Date(now.getTime() + wait * 1_000).toISOString() };
}
