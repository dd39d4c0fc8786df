/** The five event types (specification, section "Events"). */
export const eventTypes = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
  "watchlist.run.completed",
  "webhook.test",
] as const;
export type EventType = (typeof eventTypes)[number];

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

export function serializeEvent(envelope: EventEnvelope, items: number): SerializedEvent {
  return {
    id: envelope.id,
    type: envelope.type,
    createdAt: envelope.created_at,
    items,
    body: JSON.stringify(envelope),
  };
}
