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

/** The types of events that runs make: all but that of test deliveries. */
export const runEventTypes = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
] as const satisfies readonly EventType[];
export type RunEventType = (typeof runEventTypes)[number];

/** The envelope that receivers, the event feed and the export all carry. */
export interface EventEnvelope {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An envelope with its one and only serialisation: every attempt and the export send these bytes. */
export interface SerializedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: string;
  /** Item entries inside; 0 for an event that is not about items. */
  readonly items: number;
  readonly body: string;
}

/** Everything a finished run has to say, in delivery order. */
export interface RunEvents {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly runId: string;
  readonly runNumber: number;
  /** ISO time; its UTC date names the export folder. */
  readonly runStartedAt: string;
  /** The endpoint the list names; null: every enabled endpoint subscribed to the event. */
  readonly webhookEndpointId: string | null;
  readonly events: readonly SerializedEvent[];
}

/**
 * The id of a run's event: the same whenever it is made again, and it tells when the run ended.
 * `part` counts the run's events of the type, from 1 on.
 */
export const runEventId = (
  run: { readonly runId: string; readonly endedAt: string },
  type: RunEventType,
  part: number,
): string => derivedIdAt("event", new Date(run.endedAt), run.runId, type, part);

/** The id of the last event of a run: every run ends with its completion, which has one part. */
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
