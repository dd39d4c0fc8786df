import type { Client } from "../client.ts";
import type { Event } from "../events.ts";
import { textOf, type Values } from "./arguments.ts";

/** The options of commands that read the event feed. */
export const feedOptions = {
  after: { type: "string", value: "<id or time>", about: "where to begin (default: now)" },
  type: { type: "string", value: "<type>", about: "only events of this type" },
  watchlist: { type: "string", value: "<id>", about: "only events of this watchlist" },
} as const;

/** Iterates over the events of the feed that the options select, until `signal` is aborted. */
export function feed(client: Client, values: Values, signal: AbortSignal) {
  const [after, id] = [textOf(values, "after"), textOf(values, "watchlist")];
  const type = textOf(values, "type") as Event["type"] | undefined;
  return client.events.tail({
    ...(after && { after }),
    ...(type && { type }),
    ...(id && { watchlist_id: id }),
    signal,
  });
}
