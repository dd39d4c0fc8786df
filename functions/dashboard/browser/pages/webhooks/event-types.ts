import type { RunEventType } from "../../../../../shared/events/event.ts";

/** For each event type, a description of what causes an event. */
const words: Readonly<Record<RunEventType, string>> = {
  "watchlist.product.changed": "products changed",
  "watchlist.product.matched": "products matched a route of the pipeline",
  "watchlist.product.delisted": "products were delisted",
  "watchlist.run.completed": "a run ended",
};

/** The event types of watchlists, each with a description of what causes an event. */
export const runEventTypes: readonly (readonly [string, string])[] = Object.entries(words);

/** The event type of a test if the user does not choose another type. */
export const testType: string = "webhook.test";

/**
 * Returns the event types of an endpoint as a label: `All types` (null), `2 of 4 types` or `None`.
 */
export function eventsInWords(events: readonly string[] | null): string {
  if (events === null) return "All types";
  const chosen = runEventTypes.filter(([type]) => events.includes(type)).length;
  return chosen === 0 ? "None" : `${chosen} of ${runEventTypes.length} types`;
}
