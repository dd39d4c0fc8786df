import { derivedIdAt } from "../base/ids.ts";

/** The five event types (specification, section "Events"). */
export const eventTypes = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
  "webhook.test",
] as const;
export type EventType = (typeof eventTypes)[number];

/** The event types of runs: all except that of test deliveries. */
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

/** An event with its only serialization: every attempt and the export send these bytes. */
export interface SerializedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: string;
  /** Number of item entries; 0 for an event without items. */
  readonly items: number;
  readonly body: string;
}

/** The events of a finished run, in delivery order. */
export interface RunEvents {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly runId: string;
  readonly runNumber: number;
  /** ISO time. Its UTC date is part of the export folder. */
  readonly runStartedAt: string;
  /** ID of the watchlist's webhook endpoint; null: every subscribed endpoint. */
  readonly webhookEndpointId: string | null;
  readonly events: readonly SerializedEvent[];
}

/**
 * The ID of a run's event. Derived, so that a repeat gives the same ID; contains the time at which the
 * run ended. `part`: number of the event among the run's events of its type, from 1.
 */
export const runEventId = (
  run: { readonly runId: string; readonly endedAt: string },
  type: RunEventType,
  part: number,
): string => derivedIdAt("event", new Date(run.endedAt), run.runId, type, part);

/** The ID of the last event of a run, `watchlist.run.completed`, which has one part. */
export const lastEventId = (run: { readonly runId: string; readonly endedAt: string }): string =>
  runEventId(run, "watchlist.run.completed", 1);

export function serializeEvent(envelope: EventEnvelope, items: number): SerializedEvent {
  return {
    id: envelope.id,
    type: envelope.type,
    createdAt: envelope.created_at,
    items,
    body: JSON.stringify(envelope),
  };
}
