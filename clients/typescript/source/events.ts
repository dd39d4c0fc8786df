import { setTimeout as delay } from "node:timers/promises";
import type { ListEventsData, ListEventsResponse } from "./generated/schemas.ts";
import type { Transport } from "./transport.ts";

/** An event of a run, as webhooks receive it. */
export type Event = ListEventsResponse["data"][number];
type EventQuery = NonNullable<ListEventsData["query"]>;

export interface TailOptions extends EventQuery {
  /** Seconds between two reads when no events are left. Default: 5. */
  readonly pollSeconds?: number;
  /** Ends the iteration when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Reads the event feed of the account. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Iterates over the stored events, oldest first, and ends after the newest. To continue later,
   * store the `id` of the last event and send it as `after`.
   * @param query Selects the events: `after`, and filters such as `type` and `watchlist_id`.
   */
  async *all(query: EventQuery = {}): AsyncGenerator<Event, void, undefined> {
    for await (const page of this.#pages(query, {})) {
      yield* page.data;
      if (!page.has_more) return;
    }
  }

  /**
   * Iterates over events, and waits for new events. Ends when `signal` is aborted. Without `after`,
   * it begins with the next new event.
   */
  async *tail(options: TailOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { pollSeconds = 5, signal, ...query } = options;
    const start = { ...query, after: query.after ?? new Date().toISOString() };
    const stopping = signal === undefined ? {} : { signal };
    try {
      for await (const page of this.#pages(start, stopping)) {
        yield* page.data;
        if (!page.has_more) await delay(pollSeconds * 1_000, undefined, stopping);
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  }

  /**
   * Yields pages of events without end. A page after the newest event is empty.
   * @throws the error of a failed call, or of a call that `signal` aborted
   */
  async *#pages(
    query: EventQuery,
    options: { readonly signal?: AbortSignal },
  ): AsyncGenerator<ListEventsResponse, never, undefined> {
    let { after } = query;
    for (;;) {
      const input = after === undefined ? query : { ...query, after };
      const page = await this.#transport.call("listEvents", { query: input, ...options });
      yield page;
      after = page.next_after ?? after;
    }
  }
}
