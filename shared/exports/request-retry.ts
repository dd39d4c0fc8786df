import { bestEffort, type Warn } from "../base/best-effort.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import { retryEntry } from "./export-entries.ts";

export interface RequestRetryDependencies {
  readonly outbox: Pick<Outbox, "add">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Requests a retry of all pending exports of an account, which makes them due immediately. Rejects
 * if the outbox cannot be written. If only the wake-up message fails, logs a warning, because the
 * sweeper sends the message again.
 */
export async function requestRetry(
  accountId: string,
  now: Date,
  { outbox, queue, warn }: RequestRetryDependencies,
): Promise<void> {
  const target = destinationTarget(accountId);
  await outbox.add(target, [retryEntry(now)]);
  await bestEffort(() => queue.send([target], 0), warn);
}
