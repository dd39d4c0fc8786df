import { parse } from "valibot";
import { assertNever } from "../base/assert.ts";
import { archivedRun, type EventBodies } from "../events/event-archive.ts";
import type { OpenSession, Session } from "../outbox/drain.ts";
import type { DeliveryRecord, WebhookContext, WebhookDependencies } from "./attempt-delivery.ts";
import { refusalOf } from "./delivery-attempt.ts";
import { notedLog } from "./delivery-log.ts";
import { healthOf, trackHealth } from "./endpoint-health.ts";
import { firstAttemptGate } from "./first-attempt-gate.ts";
import { firstAttempts } from "./first-attempts.ts";
import { webhookContent } from "./outbox-entries.ts";
import { openReceiver } from "./receiver.ts";
import { recoverDeliveries } from "./recover-deliveries.ts";
import { retryDelivery } from "./retry-delivery.ts";

/** Receivers are sent to so many times at once; the first attempts of a run never are. */
const parallel = 4;
/** Indexes of runs kept at hand: retries of one run come together. */
const runsMax = 8;

/** Works off what an endpoint is owed: first attempts, retries, and what it asks to be sent anew. */
export function webhookSessions(dependencies: WebhookDependencies): OpenSession<DeliveryRecord> {
  return ({ accountId, targetId: endpointId }, state) => {
    const receiver = openReceiver({ accountId, endpointId }, dependencies);
    const log = notedLog(accountId, dependencies.deliveries);
    const health = trackHealth(healthOf(state));
    const context: WebhookContext = {
      accountId,
      endpointId,
      receiver,
      dependencies,
      run: runsAtHand(accountId, dependencies.bodies),
      log,
      health,
      firstAttempts: firstAttemptGate(health),
    };
    const work = workOn(context);
    return Promise.resolve({
      parallel,
      // Asked of the store: a second's memory would miss the change that woke this session.
      ended: async () =>
        refusalOf(await dependencies.endpoints.get(accountId, endpointId)) !== null,
      work: (entry, slice) => work(entry, log.noting(slice)),
      state: () => health.current(),
      close: () => receiver.close(),
    });
  };
}

function workOn(context: WebhookContext): Session<DeliveryRecord>["work"] {
  // A recovery asks the log what was not sent: no first attempt may be under way meanwhile.
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
        // Its first attempt may be under way, and not logged yet.
        if (content.requested) await firsts.get(content.runId)?.catch(() => undefined);
        if (!content.inOrder) return retryDelivery({ entry, content, slice }, context);
        const sent = inOrder.then(async () => {
          if (!slice.timeIsUp()) await retryDelivery({ entry, content, slice }, context);
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

function runsAtHand(accountId: string, bodies: EventBodies): WebhookContext["run"] {
  const runs = new Map<string, ReturnType<WebhookContext["run"]>>();
  return (runId) => {
    const known = runs.get(runId);
    if (known !== undefined) return known;
    const found = archivedRun({ accountId, runId }, bodies);
    const [oldest] = runs.keys();
    if (runs.size >= runsMax && oldest !== undefined) runs.delete(oldest);
    runs.set(runId, found);
    // What failed is looked for again.
    found.catch(() => runs.delete(runId));
    return found;
  };
}
