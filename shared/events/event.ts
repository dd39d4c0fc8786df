import { derivedIdAt } from "../base/ids.ts";
import type { SnapshotFile } from "./snapshot-file.ts";

/** The five event types (specification, section "Events"). */
export const eventTypes = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
  "webhook.test",
] as const;
export type EventType = (typeof eventTypes)[number];

/** The event types of runs: all types except the type of test deliveries. */
export const runEventTypes = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
] as const satisfies readonly EventType[];
export type RunEventType = (typeof runEventTypes)[number];

/** The envelope of an event in webhooks, in the event feed and in exports. */
export interface EventEnvelope {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event with its JSON text. All delivery attempts and the export send exactly this string. */
export interface SerializedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: string;
  /** Number of items in the event; 0 for an event without items. */
  readonly items: number;
  /** The envelope as JSON. */
  readonly body: string;
}

/** The events of a finished run, in delivery order. */
export interface RunEvents {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly runId: string;
  readonly runNumber: number;
  /** Start time of the run (ISO). Its UTC date is part of the name of the export folder. */
  readonly runStartedAt: string;
  /**
   * ID of the watchlist's webhook endpoint. Null if all subscribed endpoints receive the events.
   */
  readonly webhookEndpointId: string | null;
  readonly events: readonly SerializedEvent[];
  /**
   * True if these are not the events of a run, but the notice that a run is held. `runId` is then
   * the ID of the notice, not of the run. A notice is exported to a separate folder.
   */
  readonly isHoldNotice?: true;
  /** The file of all items at the end of the run; absent if the run has no such file. */
  readonly snapshot?: SnapshotFile;
}

/** The events of a finished run, which the publisher reads one after the other. */
export type RunEventStream = Omit<RunEvents, "events"> & {
  /** The events in delivery order. */
  readonly events: Iterable<SerializedEvent> | AsyncIterable<SerializedEvent>;
};

/**
 * Derives the ID of an event from its run, its type and its number. The same arguments always give
 * the same ID. The ID contains the end time of the run.
 * @param part number of the event among the run's events of this type, from 1
 */
export const runEventId = (
  run: { readonly runId: string; readonly endedAt: string },
  type: RunEventType,
  part: number,
): string => derivedIdAt("event", new Date(run.endedAt), run.runId, type, part);

/**
 * Derives the ID of the last event of a run. Every run ends with exactly one event of type
 * `watchlist.run.completed`.
 */
export const lastEventId = (run: { readonly runId: string; readonly endedAt: string }): string =>
  runEventId(run, "watchlist.run.completed", 1);

/**
 * Serializes an event to JSON. Returns the JSON together with the ID, the type, the creation time
 * and the number of items of the event.
 * @param items number of items in the event
 */
export function serializeEvent(envelope: EventEnvelope, items: number): SerializedEvent {
  return {
    id: envelope.id,
    type: envelope.type,
    createdAt: envelope.created_at,
    items,
    body: JSON.stringify(envelope),
  };
}
