import { parse } from "valibot";
import { newMetrics } from "../observability/metrics.ts";
import type { OpenSession } from "../outbox/drain.ts";
import { busContent } from "./bus-outbox.ts";
import type { EventBus } from "./event-bus.ts";
import { sendRun, type SendRunDependencies } from "./send-run.ts";

export interface BusDependencies extends SendRunDependencies {
  /** The event bus; null if the deployment has none. */
  readonly bus: EventBus | null;
}

/**
 * Creates the function that opens sessions. A session sends the events of an account to the event
 * bus. If the deployment has no bus, a session only removes the entries of the bus's outbox. Such
 * entries remain from the time when the deployment had a bus.
 */
export function busSessions({ bus, ...dependencies }: BusDependencies): OpenSession<never> {
  return ({ accountId }) => {
    const failures = { inRow: 0 };
    return Promise.resolve({
      // With `parallel: 1`, the session sends runs one after the other. It sends the events of each
      // run in batches.
      target: () => Promise.resolve({ hasEnded: bus === null, parallel: 1 }),
      work(entry, slice) {
        if (bus === null) return slice.record({ removed: entry });
        const content = parse(busContent, entry.content);
        return sendRun({ accountId, entry, content, bus, slice, failures }, dependencies);
      },
      late: (milliseconds) =>
        dependencies.report?.([newMetrics("event_bus", {}, { bus_late_ms: milliseconds })]),
      close: () => {},
    });
  };
}
