import { bestEffort, type Warn } from "../base/best-effort.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Makes the destination's outbox due and wakes the delivery worker, which then ends all pending
 * exports. Call it after the destination was stored as disabled or deleted. If the wake-up message
 * cannot be sent, only warns, because the sweeper sends the message again.
 * @throws the error of DynamoDB if the outbox cannot be made due
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
