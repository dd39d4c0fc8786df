import { bestEffort, type Warn } from "../base/best-effort.ts";
import { endpointTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import type { EndpointRef } from "./existing.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Wakes the delivery worker, which ends all pending deliveries of a disabled or deleted endpoint
 * (specification, section "Events", rule 2). Never rejects: if it fails, it warns, and each
 * delivery ends when its next attempt is due.
 */
export async function endPendingDeliveries(
  { accountId, endpointId }: EndpointRef,
  now: Date,
  { outbox, queue, warn }: EndPendingDependencies,
): Promise<void> {
  const target = endpointTarget(accountId, endpointId);
  await bestEffort(async () => {
    await outbox.wake(target, now);
    await queue.send([target], 0);
  }, warn);
}
