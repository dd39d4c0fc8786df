/** Tests the routes that release and discard a held run. */
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type Answer, conflict, invalid, notFound, refusal } from "../../support/group-api.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";
import { type BenchCall, callOnBench, unknownAccount } from "./bench-api.ts";

const tables = openTables();
const itemIds = ["10001", "10002", "10003", "10004"];
const brake = { maxChangedPercent: 50, minItems: 4 };
const reason = "The source sent prices in cents.";

let bench: RunBench;
let list: Watchlist;
let lists = 0;
beforeEach(async () => {
  bench = await startRunBench({ tables });
  lists += 1;
  list = await bench.createList(itemIds, { id: idOf(lists), brake });
  await read(10);
  bench.published.clear();
  bench.clock.set("2026-03-01T01:00:00Z");
});

const idOf = (n: number): string => `wl_${String(n).padStart(24, "0")}`;

/** Runs the watchlist. Every item has the given price, or no price. */
async function read(amount: number | null): Promise<void> {
  bench.answers.product = () => ({
    status: "ok",
    fields: {
      price: amount === null ? null : { amount, currency: "USD" },
      retailer_d: { state: "ADD_TO_CART", purchasable: true },
    },
  });
  await bench.run(list);
}

type Sent = Partial<Omit<BenchCall, "path">>;

const call = (method: "GET" | "POST", path: string, sent: Sent = {}): Promise<Answer> =>
  callOnBench(bench, method, { path, account: list.accountId, ...sent });

const decide = (decision: "release" | "discard", sent?: Sent): Promise<Answer> =>
  call("POST", `${list.id}/runs/2/${decision}`, sent);

const messageOf = ({ body }: Answer): unknown =>
  (body["error"] as Record<string, unknown>)["message"];
const sentEvents = (): string[] => [...bench.published.values()].map(({ type }) => type);
const prices = async (): Promise<unknown[]> =>
  (await bench.items(list)).map(({ readings }) => readings.standard?.["price"]);

/** Expects that the run is still held, and that the only sent event is the one about the hold. */
async function expectStillHeld(): Promise<void> {
  await bench.work([]);
  expect((await bench.lastRun(list)).phase).toBe("held");
  expect(sentEvents()).toEqual(["watchlist.run.completed"]);
  expect(await prices()).toEqual([1_000, 1_000, 1_000, 1_000]);
}

describe("GET /v1/watchlists/{id}/runs/{run_number}", () => {
  const get = (query?: Record<string, string>) => call("GET", `${list.id}/runs/2`, { query });

  it("shows the changes of a held run, and that the run has sent no events", async () => {
    await read(1_000);
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "held",
      stats: { changed: 4, notified: 0, matched: 0 },
      brake: { status: "held", notified: 4, matched: 0 },
    });
    expect(body["held_changes"]).toEqual(
      itemIds.map((id) => ({
        item_id: id,
        changed_at: expect.any(String) as unknown,
        step: "check",
        is_delisted: false,
        changes: {
          price: {
            kind: "price_rise",
            before: 10,
            after: 1_000,
            last_known: 10,
            delta: 990,
            delta_percent: 9_900,
          },
        },
      })),
    );
  });

  it("compares the price in a held run with the last known price if earlier runs found no price", async () => {
    await read(null);
    const lost = { kind: "other", before: 10, after: null, last_known: 10, delta: null };
    expect((await get()).body["held_changes"]).toMatchObject(
      itemIds.map((id) => ({ item_id: id, changes: { price: lost } })),
    );
    await decide("release");
    await bench.work([]);
    bench.clock.advance(3_600_000);
    await read(6);

    const { body } = await call("GET", `${list.id}/runs/3`);
    const drop = { kind: "price_drop", before: null, after: 6, last_known: 10 };
    expect(body["held_changes"]).toMatchObject(
      itemIds.map((id) => ({
        item_id: id,
        changes: { price: { ...drop, delta: -4, delta_percent: -40 } },
      })),
    );
  });

  it("still shows an item of a held run after the item was removed from the watchlist", async () => {
    await read(1_000);
    const removal = await call("POST", `${list.id}/items`, { body: { remove: ["10001"] } });
    expect(removal.status).toBe(200);
    const { body } = await get();
    expect(body["held_changes"]).toMatchObject(itemIds.map((id) => ({ item_id: id })));

    await decide("release");
    await bench.work([]);
    const changed = [...bench.published.values()].filter(
      ({ type }) => type === "watchlist.product.changed",
    );
    expect(JSON.stringify(changed)).toContain("10001");
  });

  it("shows at most 'limit' changes of a held run", async () => {
    await read(1_000);
    const { body } = await get({ limit: "2" });
    expect(body["held_changes"]).toMatchObject(itemIds.slice(0, 2).map((id) => ({ item_id: id })));
    expect(refusal(await get({ limit: "0" }))).toEqual(invalid("limit"));
  });

  it("shows the delistings of a held run", async () => {
    bench.answers.product = () => ({ status: "not_found" });
    await bench.run(list);
    const { body } = await get();
    expect(body["held_changes"]).toHaveLength(4);
    expect(body["held_changes"]).toMatchObject([{ is_delisted: true, changes: {} }, {}, {}, {}]);
  });

  it("counts the sent events of a released run, and counts none for a discarded run", async () => {
    await read(1_000);
    await decide("release");
    await bench.work([]);
    expect((await get()).body).toMatchObject({ held_changes: null, stats: { notified: 4 } });
    bench.clock.advance(3_600_000);
    await read(10);
    await call("POST", `${list.id}/runs/3/discard`);
    await bench.work([]);
    const { body } = await call("GET", `${list.id}/runs/3`);
    expect(body).toMatchObject({ stats: { notified: 0 }, brake: { notified: 4 } });
  });

  it("returns 404 for a run that does not exist", async () => {
    expect(refusal(await get())).toEqual(notFound);
  });
});

describe("POST /v1/watchlists/{id}/run", () => {
  it("returns 409 while the events of a released run are being sent", async () => {
    await read(1_000);
    const held = await call("POST", `${list.id}/run`);
    expect(messageOf(held)).toContain("is held by its brake");
    expect(messageOf(held)).toContain(`POST /v1/watchlists/${list.id}/runs/2/release`);
    await decide("release");
    const ending = await call("POST", `${list.id}/run`);
    expect(refusal(ending)).toEqual(conflict);
    expect(messageOf(ending)).toBe(
      "Run 2 of this watchlist was released and is still ending. Try again in a few seconds.",
    );
  });
});

describe("POST /v1/watchlists/{id}/runs/{run_number}/release", () => {
  beforeEach(() => read(1_000));

  it("returns 202 with the released run, and its events are then sent once", async () => {
    const answer = await decide("release");
    expect(answer).toMatchObject({
      status: 202,
      body: {
        object: "watchlist_run",
        run_number: 2,
        status: "completed",
        brake: {
          status: "released",
          changed_items: 4,
          read_items: 4,
          max_changed_percent: 50,
          min_items: 4,
          expires_at: null,
          decided_at: "2026-03-01T01:00:00.000Z",
          reason: null,
        },
      },
    });
    expect(sentEvents()).toEqual(["watchlist.run.completed"]);

    await bench.work([]);
    expect(sentEvents()).toEqual([
      "watchlist.run.completed",
      "watchlist.product.changed",
      "watchlist.run.completed",
    ]);
    expect(await prices()).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect((await call("GET", list.id)).body["last_run_status"]).toBe("completed");
  });

  it("returns the same run for a repeated call, and sends no event twice", async () => {
    const first = await decide("release");
    await bench.work([]);
    bench.clock.set("2026-03-01T02:00:00Z");
    const second = await decide("release");
    await bench.work([]);

    expect([second.status, second.body["brake"]]).toEqual([202, first.body["brake"]]);
    expect(bench.published.size).toBe(3);
  });

  it("returns 409 with the time of the discard if the run was already discarded", async () => {
    await decide("discard");
    const early = await decide("release");
    await bench.work([]);
    const late = await decide("release");

    for (const answer of [early, late]) {
      expect(refusal(answer)).toEqual(conflict);
      expect(messageOf(answer)).toBe(
        "Run 2 was discarded at 2026-03-01T01:00:00.000Z. The decision cannot be changed.",
      );
    }
    expect(sentEvents()).not.toContain("watchlist.product.changed");
  });

  it("returns 202 even if the wake-up message is lost, and the sweeper then continues the run", async () => {
    const sendResume = async (): Promise<never> => {
      throw new Error("The queue is not available");
    };
    const answer = await decide("release", { queue: { ...bench.queue, sendResume } });
    expect(answer.status).toBe(202);
    await bench.work([]);
    expect((await bench.lastRun(list)).phase).toBe("releasing");

    await bench.work([{ queue: "resume", run: await bench.lastRun(list) }]);
    expect(sentEvents()).toContain("watchlist.product.changed");
  });
});

describe("POST /v1/watchlists/{id}/runs/{run_number}/discard", () => {
  beforeEach(() => read(1_000));

  it("returns 202 with the reason, restores the items and sends no event about an item", async () => {
    const answer = await decide("discard", { body: { reason } });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: "completed", brake: { status: "discarded", reason, expires_at: null } },
    });
    await bench.work([]);

    expect(sentEvents()).toEqual(["watchlist.run.completed", "watchlist.run.completed"]);
    expect(await prices()).toEqual([10, 10, 10, 10]);
    const { body } = await call("GET", `${list.id}/runs`);
    expect(body["data"]).toMatchObject([
      { run_number: 2, brake: { status: "discarded", reason } },
      { run_number: 1 },
    ]);
  });

  it.each([{ body: undefined }, { body: {} }])(
    "discards the run without a reason if the request is %j",
    async ({ body }) => {
      const answer = await decide("discard", { body });
      expect(answer).toMatchObject({ status: 202, body: { brake: { reason: null } } });
    },
  );

  it.each(["", "x".repeat(501), 5, null])(
    "returns 400 for the invalid reason %j",
    async (wrong) => {
      const answer = await decide("discard", { body: { reason: wrong } });
      expect(refusal(answer)).toEqual(invalid("reason"));
      expect(messageOf(answer)).toMatch(
        /^'reason' must be a string of 1 to 500 characters \(got .+\)\. Send one, or omit it\.$/,
      );
      await expectStillHeld();
    },
  );

  it.each(["a\u0000b", "a\nb", "a\u202eb"])(
    "returns 400 for the reason %j, which contains an invisible character",
    async (wrong) => {
      const answer = await decide("discard", { body: { reason: wrong } });
      expect(refusal(answer)).toEqual(invalid("reason"));
      expect(messageOf(answer)).toContain("must not contain control characters");
      await expectStillHeld();
    },
  );

  it("returns 400 for a body that is not an object", async () => {
    expect(refusal(await decide("discard", { body: [reason] }))).toEqual(invalid("body"));
    await expectStillHeld();
  });

  it("keeps the first reason if the call is repeated with another reason", async () => {
    await decide("discard", { body: { reason } });
    const answer = await decide("discard", { body: { reason: "Another one." } });
    expect(answer).toMatchObject({ status: 202, body: { brake: { reason } } });
  });

  it("returns 409 with the time of the release if the run was already released", async () => {
    await decide("release");
    const answer = await decide("discard", { body: { reason } });
    expect(refusal(answer)).toEqual(conflict);
    expect(messageOf(answer)).toBe(
      "Run 2 was released at 2026-03-01T01:00:00.000Z. The decision cannot be changed.",
    );
    await bench.work([]);
    expect(await prices()).toEqual([1_000, 1_000, 1_000, 1_000]);
  });
});

describe.each(["release", "discard"] as const)(
  "POST /v1/watchlists/{id}/runs/{run_number}/%s",
  (decision) => {
    it.each(["0", "3", "02", "x", "1e0", "99999999999"])(
      "returns 404 for the run number '%s'",
      async (number) => {
        await read(1_000);
        const answer = await call("POST", `${list.id}/runs/${number}/${decision}`);
        expect(refusal(answer)).toEqual(notFound);
        await expectStillHeld();
      },
    );

    it("returns 404 for a watchlist that does not exist or belongs to another account", async () => {
      await read(1_000);
      const unknown = await call("POST", `${idOf(999_999)}/runs/2/${decision}`);
      const strange = await decide(decision, { account: "acct_stranger" });
      expect([refusal(unknown), refusal(strange)]).toEqual([notFound, notFound]);
      await expectStillHeld();
    });

    it("returns 404 after the watchlist was deleted", async () => {
      await read(1_000);
      await bench.watchlists.remove({
        accountId: list.accountId,
        watchlistId: list.id,
        purgeAt: bench.clock.now(),
      });
      expect(refusal(await decide(decision))).toEqual(notFound);
      await expectStillHeld();
    });

    it("returns 401 to an unknown API key and 403 to a key of the demo workspace", async () => {
      await read(1_000);
      expect((await decide(decision, { account: unknownAccount })).status).toBe(401);
      expect((await decide(decision, { account: "demo" })).status).toBe(403);
      await expectStillHeld();
    });

    it.each([
      [
        "in progress",
        () => bench.runSome(list, 1),
        "Run 2 is in progress. If its brake holds it at its end, you can release or discard it.",
      ],
      [
        "that ended below its brake",
        () => read(10),
        "Run 2 is not held by a brake, so it cannot be released or discarded.",
      ],
    ])("returns 409 for a run that is not held: a run %s", async (_, start, message) => {
      await start();
      const answer = await decide(decision);
      expect(refusal(answer)).toEqual(conflict);
      expect(messageOf(answer)).toBe(message);
    });

    it("returns 409 and asks the client to try again if the event about the held run has not been sent yet", async () => {
      await read(1_000);
      await bench.table.client.send(
        new UpdateCommand({
          TableName: bench.table.name,
          Key: watchlistKeys.run(list.id, 2),
          UpdateExpression: "SET phase = :phase",
          ExpressionAttributeValues: { ":phase": "holding" },
        }),
      );
      const answer = await decide(decision);
      expect(refusal(answer)).toEqual(conflict);
      expect(messageOf(answer)).toBe("Run 2 is still ending. Try again in a few seconds.");
      const shown = await call("GET", `${list.id}/runs`);
      expect((shown.body["data"] as unknown[])[0]).toMatchObject({
        status: "running",
        finished_at: null,
      });
    });
  },
);
