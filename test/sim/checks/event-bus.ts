import assert from "node:assert/strict";
import type { BusEntry } from "../../../shared/event-bus/event-bus.ts";
import { attemptsMax } from "../../../shared/outbox/backoff.ts";
import type { DeliveryScene } from "../scenarios/deliveries-scene.ts";

/**
 * Checks that the event bus has each published event, byte for byte as webhooks send it, and no
 * other entries (invariant D14). Call it when no work is left.
 * @throws Error if a check fails
 */
export function checkEventBus({ world, runs }: DeliveryScene): void {
  const { bus, reached } = world;
  if (bus === null) return;
  assert.deepEqual(bus.tooLarge, [], "batches that exceed the limits of the event bus");
  const expected = new Map<string, BusEntry>();
  for (const { run, publishes } of runs.values()) {
    const { watchlistId } = run;
    for (const { type, createdAt, body } of run.events) {
      expected.set(body, { type, createdAt, watchlistId, detail: body });
    }
    if (publishes.every(({ endedAt }) => endedAt === null)) continue;
    for (const { id, body } of run.events) {
      const times = bus.arrived.filter(({ detail }) => detail === body).length;
      const failures = bus.failures.get(body) ?? 0;
      assert.ok(
        times > 0 || failures >= attemptsMax,
        `${id}: not on the event bus after ${failures} failures`,
      );
      if (times > 0 && failures > 0) reached("an event reached the bus after a retry");
      if (times > 1) reached("an event reached the bus twice");
    }
  }
  for (const entry of bus.arrived) {
    assert.deepEqual(entry, expected.get(entry.detail), "an entry of the bus is a published event");
  }
}
