import type { RunEventStream } from "./event.ts";

/**
 * Publishes the events of a finished run: stores their bodies, adds outbox entries, and wakes the
 * delivery worker. Idempotent: a repeated call with the same events writes the same rows and
 * objects.
 */
export interface RunEventPublisher {
  publish(run: RunEventStream): Promise<void>;
}
