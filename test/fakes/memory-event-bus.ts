import {
  batchFits,
  type BusEntry,
  type EventBus,
  type PutOutcome,
} from "../../shared/event-bus/event-bus.ts";

/** An event bus in memory. */
export interface MemoryEventBus extends EventBus {
  /** The accepted entries in the order in which they arrived. */
  readonly entries: readonly BusEntry[];
  /** Number of calls so far. */
  calls(): number;
  /**
   * Refuses entries from now on.
   * @param refused returns the error code for an entry of a call; undefined to accept the entry.
   * `call` and `position` count from 0
   */
  refuse(
    refused: (entry: BusEntry, at: { call: number; position: number }) => string | undefined,
  ): void;
}

/** Creates an event bus in memory, which accepts all entries of batches that fit into one call. */
export function memoryEventBus(): MemoryEventBus {
  const entries: BusEntry[] = [];
  let calls = 0;
  let refused: Parameters<MemoryEventBus["refuse"]>[0] = () => undefined;
  return {
    entries,
    calls: () => calls,
    refuse(next) {
      refused = next;
    },
    put(batch) {
      const call = calls;
      calls += 1;
      const fits = batchFits(batch);
      const outcomes = batch.map((entry, position): PutOutcome => {
        const reason = fits ? refused(entry, { call, position }) : "ValidationException";
        if (reason !== undefined) return { outcome: "failed", reason };
        entries.push(entry);
        return { outcome: "sent" };
      });
      return Promise.resolve(outcomes);
    },
  };
}
