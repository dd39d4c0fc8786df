import type { ArchivedEvent } from "../events/event-archive.ts";
import { batchFits, type BusEntry } from "./event-bus.ts";

export interface EntrySubject {
  readonly event: ArchivedEvent;
  readonly watchlistId: string;
  /** JSON text of the envelope, byte for byte as webhooks send it. */
  readonly body: string;
  /** Base URL of the API, with a slash at its end. */
  readonly apiUrl: string;
}

/**
 * Returns the bus entry of an event. The detail of the entry is the event's envelope: the JSON
 * object that deliveries send. If the envelope is too large for the bus, the detail has only the
 * event's ID, type, creation time and address in the API (`url`).
 */
export function entryOfEvent({ event, watchlistId, body, apiUrl }: EntrySubject): BusEntry {
  const { id, type, createdAt } = event;
  const entry: BusEntry = { type, createdAt, watchlistId, detail: body };
  if (batchFits([entry])) return entry;
  const reference = { id, type, created_at: createdAt, url: `${apiUrl}v1/events/${id}` };
  return { ...entry, detail: JSON.stringify(reference) };
}
