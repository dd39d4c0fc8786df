import { bestEffort, type Warn } from "../base/best-effort.ts";
import type { DeliveryTarget, Outbox, OutboxQueue } from "./outbox.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Makes the outbox of a delivery target due, and wakes the delivery worker, which then ends all
 * pending entries. Call it after the target was stored as disabled or deleted. Never rejects. If it
 * fails, it logs a warning, and each entry ends when its next attempt is due.
 */
export async function endPending(
  target: DeliveryTarget,
  now: Date,
  { outbox, queue, warn }: EndPendingDependencies,
): Promise<void> {
  await bestEffort(async () => {
    await outbox.wake(target, now);
    await queue.send([target], 0);
  }, warn);
}
