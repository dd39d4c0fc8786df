import type { DueTargets, OutboxQueue } from "./outbox.ts";

export interface WakeDueDependencies {
  readonly targets: DueTargets;
  readonly queue: OutboxQueue;
}

/**
 * Sends a wake-up message for each due delivery target, for at most `limit` targets. Returns the
 * number of messages. The sweeper calls this because messages can be lost and cannot be delayed for
 * more than 15 minutes.
 */
export async function wakeDue(
  { now, limit }: { readonly now: Date; readonly limit: number },
  { targets, queue }: WakeDueDependencies,
): Promise<number> {
  const due = await targets.due(now, limit);
  if (due.length > 0) await queue.send(due, 0);
  return due.length;
}
