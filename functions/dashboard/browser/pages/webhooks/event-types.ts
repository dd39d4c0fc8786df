import type { RunEventType } from "../../../../../shared/events/event.ts";

/** The events of watchlists, and when there is one. */
const words: Readonly<Record<RunEventType, string>> = {
  "watchlist.product.changed": "products changed",
  "watchlist.product.matched": "products met a rule of the pipeline",
  "watchlist.product.delisted": "products are delisted by their shop",
  "watchlist.run.completed": "a run ended",
};

export const runEventTypes: readonly (readonly [string, string])[] = Object.entries(words);

/** `All types`, `2 of 4 types`, `None`. Null means all. */
export function eventsInWords(events: readonly string[] | null): string {
  if (events === null) return "All types";
  const chosen = runEventTypes.filter(([type]) => events.includes(type)).length;
  return chosen === 0 ? "None" : `${chosen} of ${runEventTypes.length} types`;
}
