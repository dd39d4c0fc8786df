import { parse, safeParse } from "valibot";
import { assertNever } from "../base/assert.ts";
import { boundedMap } from "../base/bounded-map.ts";
import { readRunIndex, type EventBodies } from "../events/event-archive.ts";
import { newMetrics } from "../observability/metrics.ts";
import { attemptCounts } from "../outbox/attempt-counts.ts";
import type { OpenSession, Session } from "../outbox/drain.ts";
import type { DeliveryRecord, WebhookContext, WebhookDependencies } from "./attempt-delivery.ts";
import { sessionLog } from "./delivery-log.ts";
import { deliveryId } from "./delivery.ts";
import { requestsAtOnceTo } from "./endpoint.ts";
import { healthOf, trackHealth } from "./endpoint-health.ts";
import { firstAttemptGate } from "./first-attempt-gate.ts";
import { firstAttempts } from "./first-attempts.ts";
import { webhookContent } from "./outbox-entries.ts";
import { endpointRefusal, openReceiver } from "./receiver.ts";
import { recoverDeliveries } from "./recover-deliveries.ts";
import { retryDelivery } from "./retry-delivery.ts";

/**
 * Maximum number of cached run indexes. A session prepares fewer at the same time. The number is
 * also enough for retries, because retries of the same run are due close together.
 */
const runsMax = 32;

/**
 * Creates the function that opens sessions. A session processes the outbox of an endpoint: first
 * attempts, retries, redeliveries and recoveries.
 */
export function webhookSessions(dependencies: WebhookDependencies): OpenSession<DeliveryRecord> {
  return ({ accountId, targetId: endpointId }, state) => {
    const receiver = openReceiver({ accountId, endpointId }, dependencies);
    const log = sessionLog(accountId, dependencies.deliveries);
    const health = trackHealth(healthOf(state));
    const context: WebhookContext = {
      accountId,
      endpointId,
      receiver,
      dependencies,
      run: cachedRuns(accountId, dependencies.bodies),
      log,
      health,
      firstAttempts: firstAttemptGate(health),
      attempts: attemptCounts(),
    };
    const work = workOn(context);
    return Promise.resolve({
      // Reads the store, because the cached endpoint may be older than the change that caused this
      // session.
      async target() {
        const endpoint = await receiver.current();
        return {
          hasEnded: endpointRefusal(endpoint) !== null,
          // Maximum number of entries in progress. The first attempts of a run are one entry, so
          // they are made one after the other.
          parallel: requestsAtOnceTo(endpoint),
        };
      },
      prepare(entries) {
        for (const { content: stored, dueAt: createdAt } of entries) {
          const { success, output: content } = safeParse(webhookContent, stored);
          if (!success || content.kind === "recover") continue;
          // This call only starts the read. If the read fails, the work on the entry reports the
          // error.
          context.run(content.runId).catch(() => undefined);
          if (content.kind === "delivery") log.prepareRetry(content.deliveryId);
          else {
            const events = content.eventIds.map((id) => ({ id, createdAt }));
            log.prepare(events.map((event) => deliveryId({ event, endpointId })));
          }
        }
      },
      work: (entry, slice) => work(entry, log.tracking(slice)),
      late: (milliseconds) =>
        dependencies.report?.([newMetrics("deliveries", {}, { delivery_late_ms: milliseconds })]),
      attempts: context.attempts,
      state: () => health.current(),
      close: () => receiver.close(),
    });
  };
}

/** Creates the function that processes one entry of an endpoint's outbox. */
function workOn(context: WebhookContext): Session<DeliveryRecord>["work"] {
  // A recovery sends every event that the log does not have. An event whose first attempt is in
  // progress is not logged yet, and would be sent twice. A recovery and first attempts therefore
  // never run at the same time.
  const firsts = new Map<string, Promise<void>>();
  let recovering: Promise<void> = Promise.resolve();
  let inOrder: Promise<void> = Promise.resolve();
  return async (entry, slice) => {
    const content = parse(webhookContent, entry.content);
    switch (content.kind) {
      case "run": {
        await recovering;
        const attempts = firstAttempts({ entry, content, slice }, context);
        firsts.set(content.runId, attempts);
        return attempts.finally(() => firsts.delete(content.runId));
      }
      case "delivery": {
        // The first attempt of the delivery may be in progress and not logged yet. Without the
        // wait, the log would lack the delivery, and the redelivery would be dropped as obsolete.
        if (content.requested) await firsts.get(content.runId)?.catch(() => undefined);
        if (!content.inOrder) return retryDelivery({ entry, content, slice }, context);
        const sent = inOrder.then(async () => {
          if (!slice.isOver()) await retryDelivery({ entry, content, slice }, context);
        });
        inOrder = sent.catch(() => undefined);
        return sent;
      }
      case "recover": {
        const recovery = Promise.allSettled([recovering, ...firsts.values()]).then(() =>
          recoverDeliveries({ entry, content, slice }, context),
        );
        recovering = recovery.catch(() => undefined);
        return recovery;
      }
      default:
        return assertNever(content);
    }
  };
}

/** Creates a cached reader of run indexes, which caches the `runsMax` newest reads. */
function cachedRuns(accountId: string, bodies: EventBodies): WebhookContext["run"] {
  const runs = boundedMap<ReturnType<WebhookContext["run"]>>(runsMax);
  return (runId) => {
    const known = runs.get(runId);
    if (known !== undefined) return known;
    const runIndex = readRunIndex({ accountId, runId }, bodies);
    runs.set(runId, runIndex);
    // A failed read is not cached.
    runIndex.catch(() => runs.delete(runId));
    return runIndex;
  };
}
