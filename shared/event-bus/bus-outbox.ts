import { array, type InferOutput, literal, nullable, number, object, string } from "valibot";
import type { OutboxEntry } from "../outbox/outbox.ts";

/**
 * Content of an outbox entry that sends events of a run to the bus. The entry also stores the
 * progress of the attempt, so the bus needs no log.
 */
export const busContent = object({
  kind: literal("bus"),
  runId: string(),
  watchlistId: string(),
  /** Number of the attempt, from 1. It counts from the last attempt that sent an event. */
  attempt: number(),
  /**
   * Positions in the run of the events that this attempt must still send, from 0 in ascending
   * order; null for all events.
   */
  remaining: nullable(array(number())),
  /** Positions of the events that failed in this attempt. */
  failed: array(number()),
  /** Number of events that this attempt sent. */
  sent: number(),
});
export type BusContent = InferOutput<typeof busContent>;

/** The outbox entry for the first attempt to send a run's events to the bus. */
export function busEntry(run: {
  readonly runId: string;
  readonly watchlistId: string;
  /** Time at which the run ended (ISO). The entry is due at this time. */
  readonly createdAt: string;
}): OutboxEntry {
  const { runId, watchlistId, createdAt } = run;
  const content: BusContent = {
    kind: "bus",
    runId,
    watchlistId,
    attempt: 1,
    remaining: null,
    failed: [],
    sent: 0,
  };
  return { lane: "first", dueAt: createdAt, key: `bus#${runId}`, content };
}

/** The outbox entry for the next attempt to send the events at these positions. */
export const busRetryEntry = (
  { runId, watchlistId }: Pick<BusContent, "runId" | "watchlistId">,
  next: {
    readonly attempt: number;
    readonly positions: readonly number[] | null;
    readonly dueAt: string;
  },
): OutboxEntry => ({
  lane: "later",
  dueAt: next.dueAt,
  key: `bus#${runId}`,
  content: {
    kind: "bus",
    runId,
    watchlistId,
    attempt: next.attempt,
    remaining: next.positions === null ? null : [...next.positions],
    failed: [],
    sent: 0,
  } satisfies BusContent,
});
