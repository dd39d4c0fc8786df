import { bestEffort, type Warn } from "../base/best-effort.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Makes the destination's outbox due and wakes the delivery worker, which then ends all pending
 * exports. Call it after the destination was stored as disabled or deleted. Throws if the outbox
 * fails. If only the wake-up message fails, warns: the sweeper sends the message again.
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
