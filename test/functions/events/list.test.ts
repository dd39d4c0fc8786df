import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { Logger } from "@aws-lambda-powertools/logger";
import { DeleteObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventRoutes } from "../../../functions/events/handler.ts";
import { groupHandler, type HttpHandler } from "../../../functions/http/group-handler.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoDeliveryStore } from "../../../shared/aws/deliveries/delivery-store.ts";
import { dynamoEndpoints } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoApiKeyStore } from "../../../shared/aws/accounts/api-key-store.ts";
import { writeRows } from "../../../shared/aws/table/dynamo.ts";
import { deliveryKeys } from "../../../shared/aws/table/table.ts";
import { derivedIdAt, newId } from "../../../shared/base/ids.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import type { ByteRange } from "../../../shared/events/event-archive.ts";
import type { EventEnvelope, RunEvents } from "../../../shared/events/event.ts";
import { fixedClock } from "../../support/clock.ts";
import {
  type EventWorld,
  type MadeRun,
  runOf,
  startEventWorld,
} from "../../support/event-world.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";

const start = "2026-11-20T10:00:00.000Z";
const dayMs = 24 * 60 * 60 * 1_000;
const clock = fixedClock(start);
const random = systemRandom;
const changed = "watchlist.product.changed";
const matched = "watchlist.product.matched";
const delisted = "watchlist.product.delisted";
const completed = "watchlist.run.completed";
const [listA, listB] = ["a", "b"].map((name) =>
  derivedIdAt("watchlist", new Date(start), name),
) as [string, string];

let base: Awaited<ReturnType<typeof startEventWorld>>;
let world: EventWorld;
let handler: HttpHandler;
let accountId: string;
let key: string;
let makeAccount: (demo?: boolean) => Promise<{ id: string; key: string }>;
/** Names of the objects that were read from the bucket. */
let reads: string[];
beforeAll(async () => {
  base = await startEventWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  clock.set(start);
  world = await base.open({ clock, random });
  const { client, tableName } = world;
  const accounts = dynamoAccountStore(client, { accounts: tableName });
  const apiKeys = dynamoApiKeyStore(client, tableName);
  reads = [];
  handler = groupHandler({
    group: "events",
    routes: eventRoutes,
    dependencies: {
      accounts,
      endpoints: dynamoEndpoints(client, { tableName, clock, random }),
      deliveries: dynamoDeliveryStore(client, { tableName, clock, random }),
      queue: { send: async () => {} },
      warn: () => {},
      clock,
      random,
      logger: new Logger({ logLevel: "SILENT" }),
      feed: world.feed,
      bodies: {
        ...world.bodies,
        get(name: string, range?: ByteRange) {
          reads.push(name.replace(/^.*\/(?=[^/]+\/[^/]+$)/, ""));
          return world.bodies.get(name, range);
        },
      },
    },
  });
  makeAccount = async (demo = false) => {
    const deps = { accounts, apiKeys, clock, random };
    const account = await createAccount({ name: "S", email: "it@shop.example", demo }, deps);
    return { id: account.id, key: (await createApiKey({ account, name: "k" }, deps)).key };
  };
  ({ id: accountId, key } = await makeAccount());
});

interface Page {
  readonly object: string;
  readonly data: readonly EventEnvelope[];
  readonly has_more: boolean;
  readonly next_after: string | null;
}
type Query = Readonly<Record<string, string>>;

async function ask(query: Query = {}, apiKey = key) {
  // Without a pause between two calls, the calls would exceed the rate limit of the API key.
  clock.advance(50);
  const event = gatewayEvent({
    path: "/v1/events",
    headers: { Authorization: `Bearer ${apiKey}` },
    query,
  });
  const { statusCode, body } = await handler(event, gatewayContext);
  return { status: statusCode, text: body, body: JSON.parse(body) as unknown };
}

async function page(query: Query = {}, apiKey = key): Promise<Page> {
  const { status, body } = await ask(query, apiKey);
  expect(status).toBe(200);
  return body as Page;
}
const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

/** Reads all pages from the cursor in the query. Checks that each page has a new cursor. */
async function pull(query: Query = {}): Promise<{ ids: string[]; pages: number; last: Page }> {
  const ids: string[] = [];
  let after: string | null = query["after"] ?? null;
  for (let pages = 1; ; pages += 1) {
    const last = await page({ ...query, ...(after === null ? {} : { after }) });
    ids.push(...idsOf(last));
    if (!last.has_more) return { ids, pages, last };
    expect(last.next_after).not.toBe(after);
    after = last.next_after;
  }
}

let made = 0;
/** Returns a run of the account that ends the given number of seconds after 10:00:00. */
function aRun(
  counts: Parameters<typeof runOf>[0],
  { seconds = 0, ...wanted }: MadeRun & { seconds?: number } = {},
): RunEvents {
  made += 1;
  const endedAt = new Date(Date.parse(start) + seconds * 1_000).toISOString();
  const runId = derivedIdAt("run", new Date(endedAt), made);
  return runOf(counts, { accountId, watchlistId: listA, runId, endedAt, ...wanted });
}
async function publish(...runs: readonly RunEvents[]): Promise<readonly RunEvents[]> {
  for (const run of runs) await world.publish(run);
  return runs;
}
const idsIn = (runs: readonly RunEvents[]): string[] =>
  runs.flatMap(({ events }) => events.map(({ id }) => id));
const remove = ({ accountId: owner, runId }: RunEvents, name: string) =>
  world.s3.send(
    new DeleteObjectCommand({
      Bucket: world.bucket,
      Key: `accounts/${owner}/runs/${runId}/${name}`,
    }),
  );

/**
 * Copies the only run in the feed, with sequence numbers and times as if each copy had been
 * published.
 */
async function copyRun(copies: number): Promise<void> {
  const { client, tableName: table } = world;
  const Key = deliveryKeys.feedEntry(accountId, 1);
  const { Item: row } = await client.send(new GetCommand({ TableName: table, Key }));
  const rows = Array.from({ length: copies }, (_, n) => {
    const createdAt = new Date(Date.parse(start) + n).toISOString();
    const runId = `wlrun_${n}`;
    const times = { run_id: runId, created_at: createdAt, appended_at: createdAt };
    const copy = { ...row, sequence: n + 1, ...times };
    return [
      { ...copy, ...deliveryKeys.feedEntry(accountId, n + 1) },
      { ...copy, ...deliveryKeys.feedRun(accountId, { createdAt, runId }) },
    ];
  });
  await writeRows(client, { table, clock, random }, rows.flat());
  const count = { ...deliveryKeys.feedCount(accountId), last: copies, appended_at: start };
  await client.send(new PutCommand({ TableName: table, Item: count }));
}

describe("GET /v1/events returns 200 and", () => {
  it("returns the events of all runs in the order of publication, with the content that was delivered", async () => {
    const runs = await publish(
      aRun({ [changed]: 2, [delisted]: 1 }, { seconds: 3 }),
      aRun({}, { seconds: 1, watchlistId: listB }),
      aRun({ [matched]: 1 }, { seconds: 2 }),
    );
    const { text } = await ask();

    const bodies = runs.flatMap(({ events }) => events.map(({ body }) => body)).join(",");
    const last = idsIn(runs).at(-1);
    expect(text).toBe(
      `{"object":"list","data":[${bodies}],"has_more":false,"next_after":"${last}"}`,
    );
  });

  it("returns no events and no cursor before the first event", async () => {
    expect(await page()).toEqual({ object: "list", data: [], has_more: false, next_after: null });
    expect(await page({ after: start })).toMatchObject({ data: [], next_after: start });
  });

  it("continues after the event whose ID is in 'after', with pages of any size", async () => {
    const runs = await publish(
      aRun({ [changed]: 3 }),
      aRun({}, { seconds: 5 }),
      aRun({ [matched]: 2, [delisted]: 1 }, { seconds: 5 }),
      aRun({}, { seconds: 4 }),
    );
    const all = idsIn(runs);
    for (const [n, after] of all.entries()) {
      expect(idsOf(await page({ after }))).toEqual(all.slice(n + 1));
      const two = await page({ after, limit: "2" });
      expect(idsOf(two)).toEqual(all.slice(n + 1, n + 3));
      expect(two.has_more).toBe(n + 3 < all.length);
      expect(two.next_after).toBe(two.data.at(-1)?.id ?? after);
    }
  });

  it("filters events by type and by watchlist, and continues after the event in 'after' even if the filter excludes it", async () => {
    const runs = await publish(
      aRun({ [changed]: 2 }),
      aRun({ [matched]: 1 }, { watchlistId: listB }),
      aRun({ [changed]: 1, [matched]: 1 }),
      aRun({}, { watchlistId: listB }),
    );
    const events = runs.flatMap((run) =>
      run.events.map(({ id, type }) => ({ id, type, list: run.watchlistId })),
    );
    for (const type of [undefined, changed, matched, delisted, completed]) {
      for (const list of [undefined, listA, listB]) {
        const expected = events.filter(
          (event) =>
            (type === undefined || event.type === type) &&
            (list === undefined || event.list === list),
        );
        const query = {
          ...(type === undefined ? {} : { type }),
          ...(list === undefined ? {} : { watchlist_id: list }),
        };
        const ids = expected.map(({ id }) => id);
        const answer = await page(query);
        expect(idsOf(answer)).toEqual(ids);
        expect([answer.has_more, answer.next_after]).toEqual([false, events.at(-1)?.id]);
        const oneByOne = await pull({ ...query, limit: "1" });
        expect(oneByOne.ids).toEqual(ids);
        expect(oneByOne.pages).toBe(Math.max(1, ids.length));
      }
    }
  });

  it("returns the events from the time in 'after' on, even if they were published out of order", async () => {
    const runs = await publish(
      aRun({ [changed]: 1 }, { seconds: 10 }),
      aRun({}, { seconds: 20 }),
      aRun({}, { seconds: 15 }),
      aRun({}, { seconds: 30 }),
      aRun({}, { seconds: 12 }),
    );
    for (let seconds = 9; seconds <= 31; seconds += 1) {
      const since = new Date(Date.parse(start) + seconds * 1_000);
      const wanted = runs.filter(
        ({ events }) => (events[0]?.createdAt ?? "") >= since.toISOString(),
      );
      for (const after of [since.toISOString(), since.toISOString().replace(".000Z", "Z")]) {
        expect(idsOf(await page({ after }))).toEqual(idsIn(wanted));
      }
    }
    expect(idsOf(await page({ after: "2026-11-20T12:00:30+02:00" }))).toEqual(
      idsIn(runs.slice(3, 4)),
    );
  });

  it("continues from the time in the event ID in 'after' if no event has this ID, without skipping later events", async () => {
    const runs = await publish(
      aRun({}, { seconds: 10 }),
      aRun({}, { seconds: 20 }),
      aRun({}, { seconds: 30 }),
    );
    for (const [seconds, from] of [
      [9, 0],
      [20, 1],
      [21, 2],
      [31, 3],
    ] as const) {
      const at = new Date(Date.parse(start) + seconds * 1_000);
      const after = newId("event", at, random);
      const answer = await page({ after });
      expect(idsOf(answer)).toEqual(idsIn(runs.slice(from)));
      expect(answer.next_after).toBe(idsIn(runs.slice(from)).at(-1) ?? after);
    }
  });

  it("keeps every page below 4 MB, except for a page with a single event above 4 MB", async () => {
    const bytes = [900_000, 900_000, 900_000, 900_000, 5_000_000, 10, 2_000_000];
    const big = aRun(
      { [changed]: bytes.length },
      { text: (_, part) => "x".repeat(bytes[part - 1] ?? 0) },
    );
    const [run] = await publish(big, aRun({ [changed]: 1 }));
    const sizes: number[] = [];
    const ids: string[] = [];
    let after: string | null = null;
    for (;;) {
      const answer = await ask(after === null ? {} : { after });
      const { data, has_more: hasMore, next_after: next } = answer.body as Page;
      ids.push(...data.map(({ id }) => id));
      sizes.push(data.length);
      expect(data.length === 1 || answer.text.length < 4_000_000).toBe(true);
      expect(data.length).toBeGreaterThan(0);
      after = next;
      if (!hasMore) break;
    }

    expect(sizes).toEqual([3, 1, 1, 5]);
    expect(ids.slice(0, -2)).toEqual(idsIn(run === undefined ? [] : [run]));
  });

  it("reads one archive index per run of a page, and the bytes of all events of a run in one request", async () => {
    await publish(
      aRun({ [changed]: 40 }, { runId: "wlrun_a" }),
      aRun({}, { runId: "wlrun_b", watchlistId: listB }),
      aRun({ [changed]: 40 }, { runId: "wlrun_c" }),
    );
    const answer = await page({ type: changed });

    expect(answer.data).toHaveLength(80);
    expect(reads.toSorted()).toEqual([
      "wlrun_a/events-00001.jsonl.gz",
      "wlrun_a/run.json.gz",
      "wlrun_c/events-00001.jsonl.gz",
      "wlrun_c/run.json.gz",
    ]);
    reads = [];
    await page({ after: answer.next_after ?? "" });
    expect(reads).toEqual([]);
  });

  it("ends a page after reading the maximum number of runs, and returns a cursor that advances", async () => {
    await publish(aRun({}));
    await copyRun(2_010);
    await publish(aRun({ [matched]: 1 }, { seconds: 5 }));

    const first = await page({ type: matched });
    expect([first.data.length, first.has_more]).toEqual([0, true]);
    expect(await page({ type: matched, after: first.next_after ?? "" })).toMatchObject({
      data: [{ type: matched }],
      has_more: false,
    });
  });

  it("omits an event as soon as it is 30 days old", async () => {
    const runs = await publish(aRun({ [changed]: 1 }), aRun({}, { seconds: 60 }));
    // `page` advances the clock by 50 ms before each call.
    clock.set(new Date(Date.parse(start) + 30 * dayMs - 51).toISOString());
    expect(idsOf(await page())).toEqual(idsIn(runs));
    clock.set(new Date(Date.parse(start) + 30 * dayMs - 50).toISOString());
    expect(idsOf(await page())).toEqual(idsIn(runs.slice(1)));
    for (const after of idsIn(runs.slice(0, 1))) {
      expect(idsOf(await page({ after }))).toEqual(idsIn(runs.slice(1)));
    }
    clock.advance(60_000);
    expect(await page()).toMatchObject({ data: [], has_more: false, next_after: null });
  });

  it("omits events whose bodies were deleted", async () => {
    const runs = await publish(aRun({ [changed]: 1 }), aRun({}), aRun({ [changed]: 1 }));
    const [first, second, third] = runs as [RunEvents, RunEvents, RunEvents];
    await remove(first, "run.json.gz");
    await remove(third, "events-00001.jsonl.gz");

    expect(idsOf(await page())).toEqual(idsIn([second]));
    expect((await pull({ limit: "1" })).ids).toEqual(idsIn([second]));
    expect((await pull()).last.next_after).toBe(idsIn([third]).at(-1));
  });

  it("returns no events of another account", async () => {
    const other = await makeAccount();
    const [run] = await publish(aRun({ [changed]: 2 }));
    const ids = idsIn(run === undefined ? [] : [run]);
    for (const query of [{}, { watchlist_id: listA }, { after: ids[0] ?? "" }, { after: start }]) {
      const answer = await page(query, other.key);
      expect([answer.data, answer.has_more]).toEqual([[], false]);
    }
    await publish(aRun({}, { accountId: other.id, seconds: 1 }));
    expect((await page({ after: ids[0] ?? "" }, other.key)).data).toHaveLength(1);
    expect(idsOf(await page())).toEqual(ids);
  });

  it("returns the events of the demo workspace to the key of the demo workspace", async () => {
    const demo = await makeAccount(true);
    await publish(aRun({ [changed]: 1 }, { accountId: demo.id }));
    expect((await page({}, demo.key)).data).toHaveLength(2);
  });
});

describe("a consumer of GET /v1/events", () => {
  it.each([1, 2, 3, 4, 5, 6, 7])(
    "gets every event once and in order, in pages of %i events, while more events are published",
    async (limit) => {
      const published: RunEvents[] = [];
      const seen: string[] = [];
      let after: string | null = null;
      for (let round = 0; round < 14; round += 1) {
        if (round < 10) {
          // Some runs end in the same millisecond, and some are published late.
          const seconds = [0, 1, 1, 1, 4, 2, 5, 5, 3, 9][round] ?? 0;
          const counts = { [changed]: round % 4, [matched]: (round * 3) % 5 };
          published.push(...(await publish(aRun(counts, { seconds }))));
        }
        const pulls = round < 10 ? 1 + (round % 2) : 40;
        for (let n = 0; n < pulls; n += 1) {
          const query: Query = after === null ? {} : { after };
          const answer = await page({ ...query, limit: String(limit) });
          seen.push(...idsOf(answer));
          after = answer.next_after;
          if (!answer.has_more) break;
        }
      }
      expect(seen).toEqual(idsIn(published));
    },
    30_000,
  );
});

describe("GET /v1/events returns 400 for", () => {
  it.each([
    ["after", "evt_1", "ID of an event"],
    ["after", "wl_0123456789abcdefghjkmnpq", "ID of an event"],
    ["after", "2026-11-20", "with a zone"],
    ["after", "2026-13-20T10:00:00Z", "with a zone"],
    ["after", "", "ID of an event"],
    ["type", "webhook.test", completed],
    ["type", "changed", matched],
    ["watchlist_id", "evt_0123456789abcdefghjkmnpq", "wl_"],
    ["watchlist_id", "", "wl_"],
    ["limit", "0", "from 1 to 100"],
    ["limit", "101", "from 1 to 100"],
    ["limit", "ten", "from 1 to 100"],
  ])("the invalid parameter '%s=%s'", async (param, value, message) => {
    const { status, body } = await ask({ [param]: value });

    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: "INVALID_PARAM", param, message: expect.stringContaining(message) },
    });
  });
});

describe("GET /v1/events returns 401", () => {
  it("for an API key that does not exist", async () => {
    expect((await ask({}, "svc_live_unknown")).status).toBe(401);
  });
});
