import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoEventFeed } from "../../../../shared/aws/deliveries/event-feed.ts";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import type { EventFeed, FeedRun } from "../../../../shared/events/event-feed.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { openTables } from "../../../support/tables.ts";

const account = "acct_1";
const start = "2026-11-20T10:00:00.000Z";
const clock = fixedClock(start);
const random = countingRandom();
const dayMs = 24 * 60 * 60 * 1_000;
const tables = openTables();
let tableName: string;
let feed: EventFeed;
beforeEach(async () => {
  clock.set(start);
  tableName = await tables.create();
  feed = dynamoEventFeed(tables.client, { tableName, clock, random });
});

/** A run that ends at the given minute after 10:00. */
const run = (runId: string, minute = 0, wanted: Partial<FeedRun> = {}): FeedRun => ({
  runId,
  watchlistId: "wl_1",
  webhookEndpointId: null,
  createdAt: at(minute),
  types: ["watchlist.product.changed", "watchlist.run.completed"],
  ...wanted,
});
const at = (minute: number): string => `2026-11-20T10:${String(minute).padStart(2, "0")}:00.000Z`;

/**
 * Adds runs in this order. `publishedAt` is the minute after 10:00 at which a run is added; by
 * default, each run is added at its `createdAt`.
 */
async function appendAll(...runs: readonly (readonly [FeedRun, publishedAt?: number])[]) {
  for (const [added, minute] of runs) {
    clock.set(minute === undefined ? added.createdAt : at(minute));
    await feed.append(account, added);
  }
}
const idsAfter = async (sequence: number, limit = 100) =>
  (await feed.after(account, sequence, limit)).map(({ runId }) => runId);
const idsBetween = async (
  since: string,
  until: string,
  wanted: { after?: Pick<FeedRun, "createdAt" | "runId">; limit?: number } = {},
) => {
  const range = { since, until, after: wanted.after ?? null, limit: wanted.limit ?? 100 };
  return (await feed.between(account, range)).map(({ runId }) => runId);
};
const rowsOf = async (pk: string) => {
  const { Items = [] } = await tables.client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
    }),
  );
  return Items;
};
const dropEntry = (sequence: number) =>
  tables.client.send(
    new DeleteCommand({ TableName: tableName, Key: deliveryKeys.feedEntry(account, sequence) }),
  );

describe("appending to the event feed", () => {
  it("numbers the runs of an account from 1 on, and stores all their fields", async () => {
    const first = run("a");
    const second = run("b", 1, { webhookEndpointId: "we_1", types: ["watchlist.run.completed"] });
    await appendAll([first], [second]);

    const expected = [
      { ...first, sequence: 1 },
      { ...second, sequence: 2 },
    ];
    expect(await feed.after(account, 0, 100)).toEqual(expected);
    expect(
      await feed.between(account, { since: at(0), until: at(9), after: null, limit: 100 }),
    ).toEqual(expected);
  });

  it("does not change a run that is already in the feed", async () => {
    await appendAll([run("a")], [run("b")]);
    await feed.append(account, run("a", 0, { watchlistId: "wl_other" }));

    expect(await idsAfter(0)).toEqual(["a", "b"]);
    expect((await feed.after(account, 0, 1))[0]?.watchlistId).toBe("wl_1");
  });

  it("adds a run to the feed only once if two processes add the same run at the same moment", async () => {
    let isFirst = true;
    const client = watchedClient(tables.client, async (command, send) => {
      const { Key } = command.input as { Key?: { sk: string } };
      if (isFirst && Key?.sk === "count") {
        isFirst = false;
        // The other call adds the run before this call reads the newest sequence number.
        await new Promise((resolve) => setTimeout(resolve, 50));
        await feed.append(account, run("a"));
      }
      return send();
    });
    await dynamoEventFeed(client, { tableName, clock, random }).append(account, run("a"));

    expect(isFirst).toBe(false);
    expect(await feed.after(account, 0, 100)).toMatchObject([{ runId: "a", sequence: 1 }]);
  });

  it("uses separate sequence numbers for each account", async () => {
    await appendAll([run("a")], [run("b")]);
    await feed.append("acct_2", run("c"));

    expect(await feed.after("acct_2", 0, 100)).toMatchObject([{ runId: "c", sequence: 1 }]);
    expect(await idsAfter(0)).toEqual(["a", "b"]);
    expect(await idsBetween(at(0), at(9))).toEqual(["a", "b"]);
  });

  it("stores runs that expire after 30 days, and a counter of sequence numbers that does not expire", async () => {
    await appendAll([run("a")]);
    const rows = [...(await rowsOf(`${account}#feed`)), ...(await rowsOf(`${account}#feedruns`))];

    const ttl = Date.parse(start) / 1_000 + 30 * 24 * 60 * 60;
    expect(rows.map(({ sk, ttl: until }) => [sk, until])).toEqual([
      ["count", undefined],
      ["run#000000000001", ttl],
      [`${start}#a`, ttl],
    ]);
  });
});

describe("a read of the event feed after a sequence number", () => {
  it("returns the runs with the next sequence numbers in order, up to the requested number of runs", async () => {
    await appendAll([run("a")], [run("b")], [run("c")], [run("d")]);

    expect(await idsAfter(1)).toEqual(["b", "c", "d"]);
    expect(await idsAfter(1, 2)).toEqual(["b", "c"]);
    expect(await idsAfter(4)).toEqual([]);
    expect(await idsAfter(99)).toEqual([]);
  });

  it("omits runs that ended 30 days ago, and returns the later runs", async () => {
    await appendAll([run("a", 0)], [run("b", 1)], [run("c", 2)]);
    clock.set(new Date(Date.parse(at(1)) + 30 * dayMs - 1).toISOString());
    expect(await idsAfter(0, 1)).toEqual(["b"]);
    expect(await idsBetween(at(0), at(9), { limit: 1 })).toEqual(["b"]);
    clock.advance(1);
    expect(await idsAfter(0, 1)).toEqual(["c"]);
    expect(await idsBetween(at(0), at(9), { limit: 1 })).toEqual(["c"]);
  });

  it("ends a page before a recent gap in the sequence numbers, but skips an old gap", async () => {
    await appendAll([run("a")], [run("b")], [run("c")]);
    await dropEntry(2);

    expect(await idsAfter(0)).toEqual(["a"]);
    expect(await idsAfter(1)).toEqual([]);
    clock.advance(10_000);
    expect(await idsAfter(0)).toEqual(["a", "c"]);
  });
});

describe("a read of the event feed between two times", () => {
  const runs = [run("b", 1), run("a", 1), run("c", 0), run("d", 2), run("e", 3)] as const;

  it("returns runs in order of their end times, then of their IDs, with both bounds included", async () => {
    await appendAll(...runs.map((added) => [added] as const));

    expect(await idsBetween(at(0), at(3))).toEqual(["c", "a", "b", "d", "e"]);
    expect(await idsBetween(at(1), at(2))).toEqual(["a", "b", "d"]);
    expect(await idsBetween(at(1), at(1))).toEqual(["a", "b"]);
    expect(await idsBetween("2026-11-20T10:01:00Z", "2026-11-20T11:02:00+01:00")).toEqual([
      "a",
      "b",
      "d",
    ]);
    expect(await idsBetween(at(4), at(9))).toEqual([]);
    expect(await idsBetween(at(3), at(0))).toEqual([]);
  });

  it("returns each run on exactly one page, for pages of any size", async () => {
    await appendAll(...runs.map((added) => [added] as const));
    for (const limit of [1, 2, 3, 5, 6]) {
      const seen: string[] = [];
      let after: Pick<FeedRun, "createdAt" | "runId"> | null = null;
      for (;;) {
        const range = { since: at(0), until: at(3), after, limit };
        const page = await feed.between(account, range);
        if (page.length === 0) break;
        seen.push(...page.map(({ runId }) => runId));
        after = page.at(-1) ?? null;
      }
      expect(seen).toEqual(["c", "a", "b", "d", "e"]);
    }
  });
});

describe("the sequence number that the event feed returns for a time", () => {
  it("is the number of the last run that ended before the time, or 0 without such a run", async () => {
    expect(await feed.before(account, at(0))).toBe(0);
    await appendAll(...[0, 10, 20, 30, 40].map((minute) => [run(`r${minute}`, minute)] as const));

    for (const [minute, sequence] of [
      [0, 0],
      [1, 1],
      [10, 1],
      [11, 2],
      [40, 4],
      [41, 5],
    ] as const) {
      expect(await feed.before(account, at(minute))).toBe(sequence);
    }
    expect(await feed.before("acct_2", at(0))).toBe(0);
  });

  it("is lower than the number of every run that ended after the time, even if runs were published late or out of order", async () => {
    await appendAll(
      [run("a", 0)],
      [run("b", 30)],
      [run("c", 10), 31],
      [run("d", 20), 31],
      [run("e", 33)],
    );
    for (let minute = 0; minute < 40; minute += 1) {
      const since = at(minute);
      const ids = await idsAfter(await feed.before(account, since));
      expect(ids).toEqual(expect.arrayContaining(await idsBetween(since, at(59))));
    }
    expect(await idsAfter(await feed.before(account, at(32)))).toEqual(["e"]);
  });

  it("is lower than the number of a run that ended after the time, even if the clocks of the publishers differ", async () => {
    await appendAll(
      [run("a", 0)],
      [run("b", 10), 9],
      [run("c", 4), 5],
      [run("d", 4), 5],
      [run("e", 20)],
    );
    for (const minute of [1, 4, 5, 7, 10]) {
      expect(await idsAfter(await feed.before(account, at(minute)))).toContain("b");
    }
    expect(await idsAfter(await feed.before(account, at(11)))).toEqual(["e"]);
  });

  it("is lower than the number of every stored run that ended after the time, even if older runs have expired", async () => {
    await appendAll([run("a", 0)], [run("b", 10)], [run("c", 11)], [run("d", 20)]);
    for (const gone of [1, 2]) await dropEntry(gone);

    expect(await idsAfter(await feed.before(account, at(0)))).toEqual(["c", "d"]);
    expect(await idsAfter(await feed.before(account, at(11)))).toEqual(["c", "d"]);
    expect(await idsAfter(await feed.before(account, at(12)))).toEqual(["d"]);
  });
});
