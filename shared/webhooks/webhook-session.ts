import { parse } from "valibot";
import { assertNever } from "../base/assert.ts";
import { archivedRun, type EventBodies } from "../events/event-archive.ts";
import type { OpenSession, Slice } from "../outbox/drain.ts";
import type { Entry } from "../outbox/outbox.ts";
import type { DeliveryRecord, WebhookContext, WebhookDependencies } from "./attempt-delivery.ts";
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
  return ({ accountId, targetId: endpointId }) => {
    const receiver = openReceiver({ accountId, endpointId }, dependencies);
    const context: WebhookContext = {
      accountId,
      endpointId,
      receiver,
      dependencies,
      run: runsAtHand(accountId, dependencies.bodies),
    };
    return Promise.resolve({
      parallel,
      ended: async () => (await receiver.ready()).outcome === "refused",
      work: (entry, slice) => workOn(entry, slice, context),
      close: () => receiver.close(),
    });
  };
}

function workOn(
  entry: Entry,
  slice: Slice<DeliveryRecord>,
  context: WebhookContext,
): Promise<void> {
  const content = parse(webhookContent, entry.content);
  switch (content.kind) {
    case "run":
      return firstAttempts({ entry, content, slice }, context);
    case "delivery":
      return retryDelivery({ entry, content, slice }, context);
    case "recover":
      return recoverDeliveries({ entry, content, slice }, context);
    default:
      return assertNever(content);
  }
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
