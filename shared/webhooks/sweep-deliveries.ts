import type { DeliveryQueue } from "./delivery-queue.ts";
import type { DueWork } from "./work.ts";

export interface SweepDeliveriesDependencies {
  readonly work: DueWork;
  readonly queue: DeliveryQueue;
}

/**
 * Sends a hint for outgoing work that is due: waits longer than a message can wait, and messages
 * that were lost. Returns how many; a hint too many is harmless.
 */
export async function sweepDeliveries(
  { now, limit }: { readonly now: Date; readonly limit: number },
  { work, queue }: SweepDeliveriesDependencies,
): Promise<number> {
  const pointers = await work.due(now, limit);
  if (pointers.length > 0) await queue.send(pointers, 0);
  return pointers.length;
}
