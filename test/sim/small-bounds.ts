import { historyBounds } from "../../shared/aws/history/history-bounds.ts";
import { limits } from "../../shared/base/limits.ts";
import { duePartitions } from "../../shared/base/table-schema.ts";
import { batchBounds } from "../../shared/event-bus/event-bus.ts";
import { resultBounds } from "../../shared/runs/run-results.ts";
import { pageBounds } from "../../shared/watchlists/page.ts";

/**
 * The value of `limits.shapeItemsMin` in the simulation: the least number of items for a change of
 * shape.
 */
export const shapeItemsMin = 2;

/**
 * Lowers limits of the service for the whole process. Small watchlists then have pages that split
 * and merge, and steps with several batches. Events have several parts, windows of the history are
 * soon complete, and accounts soon reach their limits. Also lowers the number of due partitions,
 * because the sweeper queries each of them.
 */
export function useSmallBounds(): void {
  Object.assign(duePartitions, { hold: 2, outbox: 2, run: 1, watchlist: 1, purge: 1 });
  // A page of four items is hardly longer than one of its items. With this share, most changes fit
  // into the second row of a page, and some do not.
  Object.assign(pageBounds, { itemsMax: 4, mergeItemsMax: 2 });
  Object.assign(pageBounds, { secondRowShareMax: 0.9, secondRowBytesMin: 0 });
  Object.assign(limits, { batchIdsMax: 3, itemEventsMax: 3, watchlistsMax: 12, apiKeysMax: 8 });
  Object.assign(limits, { historyWindowRuns: 2, shapeItemsMin });
  // A chunk of a segment then contains one or two points. Every row is first created without
  // content. In the service, only a large row is.
  Object.assign(historyBounds, { chunkCharactersMax: 120, claimedAbove: 0 });
  // The finisher reads most steps of a run several times from the store.
  Object.assign(resultBounds, { keptMax: 4 });
  // Most runs need several calls of the event bus, so that a call can fail before the last one.
  Object.assign(batchBounds, { entriesMax: 2 });
  // Two days are shorter than the retry schedule, so that the service disables an endpoint whose
  // receiver stays down.
  Object.assign(limits, { webhookFailingDaysMax: 2 });
}
