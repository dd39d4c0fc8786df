import { expect, it } from "vitest";
import { dynamoEventFeed } from "../../../../shared/aws/deliveries/event-feed.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import type { FeedRun } from "../../../../shared/events/event-feed.ts";
import { openTables } from "../../../support/tables.ts";

const account = "acct_1";
const tables = openTables();

const runsMade = Number(process.env["FEED_RUNS"] ?? 3);
const runs: readonly FeedRun[] = Array.from({ length: runsMade }, (_, n) => ({
  runId: `wlrun_${n}`,
  watchlistId: "wl_1",
  webhookEndpointId: null,
  // The order of the times differs from the order of the IDs. From 12 runs on, some end in the same
  // millisecond.
  createdAt: new Date(systemClock.now().getTime() - ((n * 7) % 11)).toISOString(),
  types: ["watchlist.run.completed"],
}));

/**
 * Adds runs to a feed in `processes` processes, while a reader reads pages of `pageSize` runs. Two
 * processes add each run. Checks that the reader gets each run once, in the order of the feed.
 */
async function race(processes: number, pageSize: number): Promise<void> {
  const tableName = await tables.create();
  const feedOf = () =>
    dynamoEventFeed(tables.client, { tableName, clock: systemClock, random: systemRandom });
  const seen: string[] = [];
  let sequence = 0;
  let isOpen = true;
  const readAll = async (): Promise<void> => {
    const feed = feedOf();
    for (;;) {
      const isLast = !isOpen;
      const page = await feed.after(account, sequence, pageSize);
      for (const entry of page) {
        expect(entry.sequence).toBe(sequence + 1);
        sequence = entry.sequence;
        seen.push(entry.runId);
      }
      if (page.length === 0 && isLast) return;
      if (page.length === 0) await systemClock.sleep(1);
    }
  };
  const reading = readAll();
  await Promise.all(
    Array.from({ length: processes }, async (_, position) => {
      const feed = feedOf();
      const own = runs.filter(
        (_run, n) => n % processes === position || (n + 1) % processes === position,
      );
      await Promise.all(own.map((run) => feed.append(account, run)));
      for (const run of own) await feed.append(account, run);
    }),
  );
  isOpen = false;
  await reading;

  expect(seen.toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted());
  const all = await feedOf().after(account, 0, 100);
  expect(all.map((entry) => entry.sequence)).toEqual(runs.map((_, n) => n + 1));
  expect(all.map(({ runId }) => runId)).toEqual(seen);
}

it.each([
  [1, 7],
  [3, 1],
  [6, 3],
  [15, 100],
])(
  "the event feed numbers runs from 1 on (parallel processes: %i), and returns each run once (page size: %i)",
  race,
  60_000,
);
