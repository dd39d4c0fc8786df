import type { DueTargets, OutboxQueue } from "./outbox.ts";

export interface WakeDueDependencies {
  readonly targets: DueTargets;
  readonly queue: OutboxQueue;
}

/**
 * Sends a hint for each target that is due: waits longer than a message can wait, and messages that
 * were lost. Returns how many; a hint too many is harmless.
 */
export async function wakeDue(
  { now, limit }: { readonly now: Date; readonly limit: number },
  { targets, queue }: WakeDueDependencies,
): Promise<number> {
  const due = await targets.due(now, limit);
  if (due.length > 0) await queue.send(due, 0);
  return due.length;
}
