import type { RunEvents } from "./event.ts";

/**
 * Publishes a finished run's events: stores their bodies, adds outbox entries, and wakes the delivery
 * worker. Idempotent: the same events give the same rows and objects.
 */
export interface RunEventPublisher {
  publish(events: RunEvents): Promise<void>;
}
