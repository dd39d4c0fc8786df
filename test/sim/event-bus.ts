import type { BusEntry, EventBus, PutOutcome } from "../../shared/event-bus/event-bus.ts";
import { batchFits } from "../../shared/event-bus/event-bus.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { TaskScheduler } from "./task-scheduler.ts";

interface BusOptions {
  readonly tasks: TaskScheduler;
  readonly faults: Faults;
  readonly random: Random;
}

/**
 * Creates the simulated event bus of the deployment. Faults refuse some entries or all entries of a
 * call, or lose its request or its response.
 */
export function virtualEventBus({ tasks, faults, random }: BusOptions) {
  /** The entries that arrived on the bus. An entry may arrive several times. */
  const arrived: BusEntry[] = [];
  /** How often the caller got no confirmation of an entry, by the detail of the entry. */
  const failures = new Map<string, number>();
  /** The batches that exceeded the limits of a call. */
  const tooLarge: (readonly BusEntry[])[] = [];
  const put = (entries: readonly BusEntry[]): readonly PutOutcome[] => {
    if (!batchFits(entries)) {
      tooLarge.push(entries);
      return entries.map(() => refused("ValidationException"));
    }
    const fault = faults.draw("request_lost", "answer_lost", "throttled", "messages_refused");
    const isAccepted = (): boolean => {
      if (fault === "messages_refused") return !random.isHit(0.5);
      return fault === undefined || fault === "answer_lost";
    };
    return entries.map((entry) => {
      const accepted = isAccepted();
      if (accepted) arrived.push(entry);
      if (accepted && fault !== "answer_lost") return { outcome: "sent" };
      failures.set(entry.detail, (failures.get(entry.detail) ?? 0) + 1);
      return refused(fault ?? "unknown");
    });
  };
  const port: EventBus = {
    put: (entries) => tasks.call({ label: "puts events", effect: async () => put(entries) }),
  };
  return { arrived, failures, tooLarge, port };
}

const refused = (reason: string): PutOutcome => ({ outcome: "failed", reason });
