import type { WorkPointer } from "./work.ts";

/** Wakes the delivery. Its messages are hints: a lost one is made up for by the sweeper. */
export interface DeliveryQueue {
  /** Sends one message for each pointer, to arrive after `delaySeconds` (0 to 900). */
  send(pointers: readonly WorkPointer[], delaySeconds: number): Promise<void>;
}
