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
  /**
   * Number of the attempt, from 1. After an attempt that sent at least one event, the next attempt
   * has the number 1 again.
   */
  attempt: number(),
  /**
   * Positions in the run, from 0 and ascending, of the events that this attempt must still send;
   * null for all events.
   */
  remaining: nullable(array(number())),
  /** Positions of the events that failed in this attempt. */
  failed: array(number()),
  /** Number of events that this attempt sent. */
  sent: number(),
});
export type BusContent = InferOutput<typeof busContent>;

interface BusAttempt {
  readonly runId: string;
  readonly watchlistId: string;
  /** `first` if no attempt was made for the run, otherwise `later`. */
  readonly lane: OutboxEntry["lane"];
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Positions of the events to send; null for all events of the run. */
  readonly positions: readonly number[] | null;
  /** Time at which the attempt is due (ISO 8601). */
  readonly dueAt: string;
}

/**
 * Returns the outbox entry for one attempt to send events of a run to the bus.
 * @param positions positions of the events to send among all events of the run, from 0; null for
 * all events
 */
export const busEntry = ({
  runId,
  watchlistId,
  lane,
  attempt,
  positions,
  dueAt,
}: BusAttempt): OutboxEntry => ({
  lane,
  dueAt,
  key: `bus#${runId}`,
  content: {
    kind: "bus",
    runId,
    watchlistId,
    attempt,
    remaining: positions === null ? null : [...positions],
    failed: [],
    sent: 0,
  } satisfies BusContent,
});

/**
 * Returns the positions (from 0, ascending) of the run's events that an outbox entry has not sent
 * yet: the events that failed in the current attempt, and the events that the attempt must still
 * send. Null means all events of the run.
 */
export const unsentPositions = ({ failed, remaining }: BusContent): readonly number[] | null =>
  remaining === null ? null : [...failed, ...remaining].toSorted((one, other) => one - other);
