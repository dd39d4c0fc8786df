import { bestEffort, type Warn } from "../base/best-effort.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Wakes the delivery worker, which then ends all pending exports of a disabled or deleted
 * destination.
 */
export async function endPendingExports(
  accountId: string,
  now: Date,
  { outbox, queue, warn }: EndPendingDependencies,
): Promise<void> {
  const target = destinationTarget(accountId);
  await outbox.wake(target, now);
  await bestEffort(() => queue.send([target], 0), warn);
}
