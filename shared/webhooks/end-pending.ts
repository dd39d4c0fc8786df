import { hint, type Warn } from "../base/hint.ts";
import { endpointTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import type { EndpointRef } from "./existing.ts";

export interface EndPendingDependencies {
  readonly outbox: Pick<Outbox, "wake">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Has what is still owed to an endpoint ended, now that it gets nothing any more (specification,
 * section "Events", rule 2). Left out by a crash, each delivery ends when its next attempt is due.
 */
export async function endPending(
  { accountId, endpointId }: EndpointRef,
  now: Date,
  { outbox, queue, warn }: EndPendingDependencies,
): Promise<void> {
  const target = endpointTarget(accountId, endpointId);
  await hint(async () => {
    await outbox.wake(target, now);
    await queue.send([target], 0);
  }, warn);
}
