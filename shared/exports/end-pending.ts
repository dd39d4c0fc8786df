import { hint, type Warn } from "../base/hint.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/** Wakes the delivery worker, which ends all pending exports of a disabled or deleted destination. */
export async function endPending(
  accountId: string,
  now: Date,
  { outbox, queue, warn }: EndPendingDependencies,
): Promise<void> {
  const target = destinationTarget(accountId);
  await outbox.wake(target, now);
  await hint(() => queue.send([target], 0), warn);
}
