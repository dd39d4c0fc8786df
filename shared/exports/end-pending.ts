import { hint, type Warn } from "../base/hint.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/** Has the exports that are still owed to a destination ended, now that it takes none any more. */
export async function endPending(
  accountId: string,
  now: Date,
  { outbox, queue, warn }: EndPendingDependencies,
): Promise<void> {
  const target = destinationTarget(accountId);
  await outbox.wake(target, now);
  await hint(() => queue.send([target], 0), warn);
}
