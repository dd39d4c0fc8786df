import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { apiClient } from "../../tools/customer/api-client.ts";
import type { Narrator } from "../tour/narrator.ts";
import { createWatchlist, openAccount } from "../tour/run-tour.ts";
import { type TourTarget, waitSecondsMax } from "../tour/runs.ts";
import { createBusRule } from "./bus-rule.ts";

const events = v.array(v.record(v.string(), v.unknown()));

/**
 * Checks that the event bus carries the same events as the event feed of an account. Creates a rule
 * that sends the events of the bus to a queue, and an account with a watchlist. Deletes the rule
 * and the queue, even after a failure.
 * @throws Error if a check fails.
 */
export async function checkBusEvents(
  busName: string,
  target: TourTarget,
  narrator: Narrator,
): Promise<void> {
  narrator.chapter(`The event bus ${busName}`);
  const rule = await createBusRule(busName);
  try {
    const api = apiClient(target.baseUrl, await openAccount(target, narrator));
    const watchlistId = await createWatchlist(api, target, narrator);
    const feed = await narrator.wait("the run in the feed", waitSecondsMax, async () => {
      const { body } = await api.get("/events?limit=100");
      const all = v.parse(events, body["data"]);
      return all.some(({ type }) => type === "watchlist.run.completed") ? all : undefined;
    });
    const received = await narrator.wait("the events in the queue", waitSecondsMax, async () => {
      const all = (await rule.received()).filter(({ resources }) =>
        resources.includes(watchlistId),
      );
      const known = new Set(all.map(({ detail }) => detail["id"]));
      return feed.every(({ id }) => known.has(id)) ? all : undefined;
    });
    for (const one of received) narrator.note(`${one["detail-type"]}  ${String(one.detail["id"])}`);
    narrator.check(
      "the details in the queue are the events of the feed",
      received.every(({ detail }) => feed.some((event) => isDeepStrictEqual(event, detail))),
    );
    narrator.check(
      "the type of each event is its detail-type",
      received.every((one) => one["detail-type"] === one.detail["type"]),
    );
  } finally {
    await rule.remove();
  }
}
