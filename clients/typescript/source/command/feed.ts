import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../client.ts";
import { ApiError, ConnectionError } from "../errors.ts";
import type { Event } from "../events.ts";
import { textOf, type Values } from "./arguments.ts";
import type { Output } from "./output.ts";

/** The options of commands that read the event feed. */
export const feedOptions = {
  after: { type: "string", value: "<id or time>", about: "where to begin (default: now)" },
  type: { type: "string", value: "<type>", about: "only events of this type" },
  watchlist: { type: "string", value: "<id>", about: "only events of this watchlist" },
} as const;

/** The longest outage of the service during which `feed` keeps trying, in milliseconds. */
const outageMsMax = 600_000;
const pauseMsDefault = 5_000;

interface FeedOptions {
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Milliseconds before the next attempt during an outage. Default: 5,000. */
  readonly pauseMs?: number;
}

/**
 * Iterates over the events of the feed that the options select, until `signal` is aborted. Starts
 * after the option `after`, which defaults to the current time. If the service does not respond, or
 * responds with a 5xx status, tries again after a pause and continues after the last event that it
 * returned.
 * @throws ConnectionError or ApiError if the attempts have failed for ten minutes; any other error
 * immediately, including an AbortError if `signal` is aborted during a pause
 */
export async function* feed(
  client: Client,
  values: Values,
  { output, signal, pauseMs = pauseMsDefault }: FeedOptions,
): AsyncGenerator<Event, void, undefined> {
  const id = textOf(values, "watchlist");
  const type = textOf(values, "type") as Event["type"] | undefined;
  let after = textOf(values, "after") ?? new Date().toISOString();
  let failingSince: number | undefined;
  for (;;) {
    try {
      const query = { after, ...(type && { type }), ...(id && { watchlist_id: id }) };
      for await (const event of client.events.tail({ ...query, signal })) {
        failingSince = undefined;
        yield event;
        after = event.id;
      }
      return;
    } catch (error) {
      failingSince ??= Date.now();
      if (!isOutage(error) || Date.now() - failingSince > outageMsMax) throw error;
      output.warn(`${error.message} Trying again.\n`);
      await delay(pauseMs, undefined, { signal });
    }
  }
}

const isOutage = (error: unknown): error is Error =>
  error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);
