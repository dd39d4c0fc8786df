import { beforeEach, describe, expect, it } from "vitest";

import { limits } from "../../../shared/base/limits.ts";
import { takeOverMs } from "../../../shared/watchlists/idempotency.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { purgeAfterMs, purgeWatchlist } from "../../../shared/watchlists/purge-watchlist.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import type { CrashPoint } from "../../support/crashing-ports.ts";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";
import { watchedClient } from "../../support/watched-client.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

const ids = Array.from({ length: 1_500 }, (_, n) => String(1_000_000 + n));
const body = { name: "Coffee", platform: "retailer_d", ids, every: "5m" };
const keyed = { body, headers: { "Idempotency-Key": "order-1" } };
const leaseMs = 35_000;

const lists = async (): Promise<readonly Record<string, unknown>[]> =>
  (await world.ask("GET ")).json["data"] as Record<string, unknown>[];

/** Purges due watchlists that do not exist, as the sweeper and the run starter do. */
async function purgeDue(): Promise<void> {
  const now = world.clock.now();
  for (const watchlistId of await world.purges.due(now, 1_000)) {
    await purgeWatchlist({ watchlistId, until: new Date(now.getTime() + 60_000) }, world);
  }
}

/** Expects exactly one complete watchlist, and no rows of any other watchlist. */
async function expectOneWatchlist(answer: Answered): Promise<void> {
  expect(answer.status).toBe(201);
  const { id } = answer.json;
  expect((await lists()).map((list) => list["id"])).toEqual([id]);
  world.clock.advance(purgeAfterMs + 1);
  await purgeDue();
  const found: string[] = [];
  for await (const page of world.pages.pages(String(id))) {
    found.push(...page.items.map((item) => item.id));
  }
  expect(found).toEqual(ids);
  expect([...world.scheduled.keys()]).toEqual([id]);
  const rows = await world.rows();
  const others = rows.filter(({ pk, sk }) => !`${pk}/${sk}`.includes(String(id)));
  expect(new Set(others.map(({ sk }) => sk.split("#")[0]))).toEqual(
    new Set(["idempotency", "watchlists"]),
  );
  expect(others).toHaveLength(2);
  const count = others.find(({ sk }) => sk === "watchlists");
  expect(count?.["watchlists"]).toBe(1);
}

const portCalls = 8;
const points: readonly CrashPoint[] = Array.from({ length: portCalls }, (_, n) => [
  { call: n + 1, when: "before" as const },
  { call: n + 1, when: "after" as const },
]).flat();

describe("the creation of a watchlist in a process that dies", () => {
  it("makes no more external calls than the number of calls that these tests interrupt", async () => {
    const process = world.process();

    await process.ask("POST ", keyed);
    expect(process.calls()).toBeLessThanOrEqual(portCalls);
  });

  it.each(points)(
    "$when external call number $call: a repeated request completes exactly one watchlist with the item counts of the request",
    async (point) => {
      const died = await world.process(point).ask("POST ", keyed);
      const soon = await world.ask("POST ", keyed);
      expect([201, 409]).toContain(soon.status);
      world.clock.advance(leaseMs + 1);
      const later = await world.ask("POST ", keyed);
      const again = await world.ask("POST ", keyed);

      expect([201, 500]).toContain(died.status);
      for (const answer of [died, soon]) {
        if (answer.status === 201) expect(answer.text).toBe(later.text);
      }
      expect(again).toMatchObject({ status: 201, text: later.text });
      expect(again.headers["Idempotent-Replayed"]).toBe("true");
      await expectOneWatchlist(later);
    },
  );

  it.each(points)(
    "$when external call number $call: repeated requests whose processes also die create only one watchlist",
    async (point) => {
      let answer = await world.process(point).ask("POST ", keyed);
      for (let call = point.call; call <= portCalls && answer.status !== 201; call += 1) {
        world.clock.advance(leaseMs + 1);
        answer = await world.process({ ...point, call }).ask("POST ", keyed);
      }
      world.clock.advance(leaseMs + 1);
      await expectOneWatchlist(await world.ask("POST ", keyed));
    },
  );

  it.each(points)(
    "$when external call number $call: a request that is repeated 15 minutes later leaves exactly one watchlist",
    async (point) => {
      await world.process(point).ask("POST ", keyed);
      world.clock.advance(takeOverMs);

      await expectOneWatchlist(await world.ask("POST ", keyed));
    },
  );

  it.each(points)(
    "$when external call number $call: without a repeated request, either no rows or a complete watchlist remain",
    async (point) => {
      const died = await world.process(point).ask("POST ", { body });
      world.clock.advance(purgeAfterMs + 1);
      await purgeDue();

      const left = await lists();
      const { length } = left;
      if (died.status === 201) expect(length).toBe(1);
      expect(world.scheduled.size).toBe(length);
      const rows = await world.rows();
      const counted = rows.find(({ sk }) => sk === "watchlists")?.["watchlists"] ?? 0;
      expect(counted).toBe(length);
      if (length === 0) expect(rows.filter(({ sk }) => sk !== "watchlists")).toEqual([]);
    },
  );
});

describe("a watchlist creation that fails after its pages are written", () => {
  const dieLate = async (): Promise<string> => {
    await world.process({ call: 6, when: "before" }).ask("POST ", keyed);
    const rows = await world.rows();
    expect(rows.filter(({ sk }) => sk.startsWith("page#"))).toHaveLength(2);
    return String(rows.find(({ sk }) => sk === "purge")?.pk).slice("watchlist#".length);
  };

  it("is purged after an hour", async () => {
    const id = await dieLate();

    world.clock.advance(purgeAfterMs - 1);
    expect(await world.purges.due(world.clock.now(), 10)).toEqual([]);
    world.clock.advance(1);
    expect(await world.purges.due(world.clock.now(), 10)).toEqual([id]);
  });

  it("is completed by a repeated request, and keeps its original creation time", async () => {
    const id = await dieLate();
    const begun = world.clock.now().toISOString();
    world.clock.advance(takeOverMs - 1);

    const { json } = await world.ask("POST ", keyed);
    expect(json).toMatchObject({ id, created_at: begun, next_run_at: begun });
    const firstAt = world.scheduled.get(id)?.firstAt ?? new Date(0);
    expect(firstAt > world.clock.now()).toBe(true);
  });

  it("is not completed by a request that is repeated after 15 minutes, because the request creates another watchlist", async () => {
    const id = await dieLate();
    world.clock.advance(takeOverMs);

    expect((await world.ask("POST ", keyed)).json["id"]).not.toBe(id);
  });
});

describe("a watchlist creation whose purge has begun", () => {
  it.each([
    [keyed, 409],
    [{ body }, 503],
  ])(
    "is not completed, and a later request creates the watchlist from the start",
    async (asked, status) => {
      const { watchlists } = world;
      const make = watchlists.create.bind(watchlists);
      Object.assign(world.watchlists, {
        create: async (creation: Parameters<typeof make>[0]) => {
          Object.assign(world.watchlists, { create: make });
          world.clock.advance(purgeAfterMs + 1);
          await purgeDue();
          return make(creation);
        },
      });

      expect((await world.ask("POST ", asked)).status).toBe(status);
      expect(world.scheduled.size).toBe(0);
      expect((await world.rows()).map(({ sk }) => sk)).toEqual([]);
      await expectOneWatchlist(await world.ask("POST ", keyed));
    },
  );
});

describe("concurrent requests to create a watchlist", () => {
  it("with the same idempotency key create one watchlist, and each request returns that watchlist or a conflict", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.ask("POST ", keyed)));

    const created = answers.filter(({ status }) => status === 201);
    expect(created.filter(({ headers }) => !headers["Idempotent-Replayed"])).toHaveLength(1);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const { status, json } of answers) {
      if (status !== 201)
        expect([status, json["error"]]).toMatchObject([409, { code: "CONFLICT" }]);
    }
    expect(await lists()).toHaveLength(1);
  });

  it("create only one watchlist if all of the requests take over the creation from a dead process", async () => {
    await world.process({ call: 5, when: "after" }).ask("POST ", keyed);
    world.clock.advance(leaseMs + 1);
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.ask("POST ", keyed)));

    const created = answers.filter(({ status }) => status === 201);
    expect(created.filter(({ headers }) => !headers["Idempotent-Replayed"])).toHaveLength(1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    await expectOneWatchlist(created[0] as Answered);
  });

  it("keep the watchlist of the request that took over the creation, even if the first request then continues", async () => {
    const { watchlists } = world;
    const make = watchlists.create.bind(watchlists);
    let second: Answered | undefined;
    Object.assign(world.watchlists, {
      create: async (creation: Parameters<typeof make>[0]) => {
        Object.assign(world.watchlists, { create: make });
        world.clock.advance(leaseMs + 1);
        second = await world.ask("POST ", keyed);
        return make(creation);
      },
    });
    const first = await world.ask("POST ", keyed);

    expect(first.status).toBe(409);
    await expectOneWatchlist(second as Answered);
  });

  it("never create more watchlists than an account may have, and leave no rows of refused watchlists", async () => {
    for (let n = 0; n < limits.watchlistsMax - 2; n += 1) {
      const id = `wl_${String(n).padStart(24, "0")}`;
      await putWatchlist({ client: world.client, ...world.options }, aWatchlist({ id }), []);
    }
    const small = { ...body, ids: ["9000001"] };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        world.ask("POST ", { body: small, headers: { "Idempotency-Key": `order-${n}` } }),
      ),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await lists()).toHaveLength(limits.watchlistsMax);
    expect(world.scheduled.size).toBe(2);
    const rows = await world.rows();
    const pages = rows.filter(({ sk }) => sk.startsWith("page#"));
    expect(new Set(pages.map(({ pk }) => pk)).size).toBe(limits.watchlistsMax);
    expect(rows.filter(({ sk }) => sk.startsWith("idempotency#"))).toHaveLength(2);
    // After the limit is reached, the service refuses a request before it writes a purge mark for
    // the new watchlist.
    expect(rows.filter(({ sk }) => sk === "purge").length).toBeLessThanOrEqual(10);
    world.clock.advance(purgeAfterMs + 1);
    await purgeDue();
    expect((await world.rows()).filter(({ sk }) => sk === "purge")).toEqual([]);
  });
});

describe("POST /v1/watchlists, with the account at its limit of watchlists,", () => {
  it("succeeds after a watchlist is deleted, even with the idempotency key of the refused request", async () => {
    for (let n = 0; n < limits.watchlistsMax; n += 1) {
      const id = `wl_${String(n).padStart(24, "0")}`;
      await putWatchlist({ client: world.client, ...world.options }, aWatchlist({ id }), []);
    }
    expect((await world.ask("POST ", keyed)).status).toBe(409);
    await world.ask(`DELETE /wl_${"0".repeat(24)}`);

    expect((await world.ask("POST ", keyed)).status).toBe(201);
  });
});

describe("a lost response of DynamoDB", () => {
  it("does not make the API create a second watchlist or report that the creation failed", async () => {
    const lost = new Set<string>();
    const client = watchedClient(world.client, async (command, send) => {
      const name = command.constructor.name;
      const answer = await send();
      if (name === "ScanCommand" || lost.has(name)) return answer;
      lost.add(name);
      // The SDK repeats a request that got no response.
      return send();
    });
    world = await openWatchlistWorld({ ...tables, client });
    const first = await world.ask("POST ", keyed);

    expect([...lost]).toContain("TransactWriteCommand");
    expect(first.status).toBe(201);
    await expectOneWatchlist(first);
  });
});

describe("a watchlist of 50,000 items", () => {
  it("is created with at most 60 writes", async () => {
    let writes = 0;
    const client = watchedClient(tables.client, (command, send) => {
      if (/Put|Update|Delete|Write/.test(command.constructor.name)) writes += 1;
      return send();
    });
    world = await openWatchlistWorld({ ...tables, client });
    const many = Array.from({ length: limits.watchlistItemsMax }, (_, n) => String(1_000_000 + n));
    const answer = await world.ask("POST ", { ...keyed, body: { ...body, ids: many } });

    expect(answer.status).toBe(201);
    expect(answer.json["item_count"]).toBe(50_000);
    expect(writes).toBeLessThanOrEqual(60);
    expect(writes).toBeGreaterThan(50);
  });
});

it("the purge an hour after a failed creation removes even a watchlist page that was written late", async () => {
  const now = world.clock.now();
  const watchlistId = "wl_failed";
  const purgeAt = new Date(now.getTime() + purgeAfterMs);
  await world.purges.expectCreation({ accountId: "acct_1", id: watchlistId }, purgeAt);
  const until = new Date(now.getTime() + 60_000);
  await purgeWatchlist({ watchlistId, until, abandoned: true }, world);
  await world.pages.create(watchlistId, [newItem("9000001", now.toISOString())]);

  world.clock.advance(purgeAfterMs + 1);
  await purgeDue();
  const rows = await world.rows();
  expect(rows.filter(({ pk }) => pk === `watchlist#${watchlistId}`)).toEqual([]);
});
