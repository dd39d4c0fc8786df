import type { RunEvents } from "./event.ts";

/**
 * Takes over a finished run's events: stores the bodies, records what is owed to whom, and wakes
 * the delivery. Safe to repeat: the same events make the same rows and objects.
 */
export interface RunEventPublisher {
  publish(events: RunEvents): Promise<void>;
}
