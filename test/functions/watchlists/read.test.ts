import { beforeEach, describe, expect, it } from "vitest";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

const idOf = (n: number): string => `wl_${String(n).padStart(24, "0")}`;
const put = (n: number, accountId = "acct_1"): Promise<void> =>
  putWatchlist(
    { client: world.client, ...world.options },
    aWatchlist({ id: idOf(n), accountId }),
    [],
  );
const refusal = ({ status, json }: Answered): readonly unknown[] => [
  status,
  (json["error"] as Record<string, unknown>)["param"],
];

describe("GET /v1/watchlists", () => {
  it("lists the account's watchlists newest first, in pages", async () => {
    for (const n of [2, 1, 3]) await put(n);
    await put(4, "acct_2");

    const all = await world.ask("GET ");
    const one = await world.ask("GET ", { query: { limit: "2" } });
    const idsOf = ({ json }: Answered): unknown[] =>
      (json["data"] as Record<string, unknown>[]).map(({ id }) => id);
    expect([all.status, all.json["object"], all.json["has_more"]]).toEqual([200, "list", false]);
    expect(idsOf(all)).toEqual([3, 2, 1].map(idOf));
    expect([idsOf(one), one.json["has_more"]]).toEqual([[3, 2].map(idOf), true]);
  });

  it.each(["0", "101", "x", ""])("returns 400 for the limit %j", async (limit) => {
    expect(refusal(await world.ask("GET ", { query: { limit } }))).toEqual([400, "limit"]);
  });

  it("returns 200 to a key of the demo workspace", async () => {
    expect((await world.ask("GET ", { as: "demo" })).status).toBe(200);
  });
});

describe("GET /v1/watchlists/{id}", () => {
  it("returns the watchlist, and 404 for an unknown watchlist or a watchlist of another account", async () => {
    await put(1);

    expect((await world.ask(`GET /${idOf(1)}`)).json["id"]).toBe(idOf(1));
    for (const [path, as] of [
      [idOf(1), "stranger"],
      [idOf(2), "owner"],
      ["wl_1", "owner"],
    ] as const) {
      expect((await world.ask(`GET /${path}`, { as })).status).toBe(404);
    }
  });

  it("returns the next run times of the watchlist, without the time of an overdue run", async () => {
    await put(1);
    const { json: overdue } = await world.ask(`GET /${idOf(1)}`);
    world.clock.set("2026-02-28T23:30:00Z");
    const { json: waiting } = await world.ask(`GET /${idOf(1)}`);

    expect(overdue["next_run_times"]).toEqual(
      [11, 12, 13, 14, 15].map((hour) => `2026-03-01T${hour}:00:00.000Z`),
    );
    expect(waiting["next_run_times"]).toEqual(
      [0, 1, 2, 3, 4].map((hour) => `2026-03-01T0${hour}:00:00.000Z`),
    );
  });
});

describe("POST /v1/watchlists/{id}/run", () => {
  it("returns 202 with the run, and restarts the schedule from the current time", async () => {
    await put(1);
    world.clock.set("2026-03-01T10:20:00Z");

    const { status, json } = await world.ask(`POST /${idOf(1)}/run`);
    expect([status, json["trigger"], json["status"]]).toEqual([202, "manual", "running"]);
    const next = "2026-03-01T11:20:00.000Z";
    expect((await world.ask(`GET /${idOf(1)}`)).json["next_run_at"]).toBe(next);
    expect(world.scheduled.get(idOf(1))?.firstAt).toEqual(new Date(next));
  });

  it("writes the IDs of the watchlist and of the started run to the log line of the call", async () => {
    await put(1);
    const { json } = await world.ask(`POST /${idOf(1)}/run`);

    expect(world.lines.at(-1)).toMatchObject({
      message: "call",
      account_id: "acct_1",
      watchlist_id: idOf(1),
      run_id: json["id"],
      run_number: 1,
    });
  });

  it("returns 409 while a run is in progress, and 404 for another account's watchlist", async () => {
    await put(1);
    await world.ask(`POST /${idOf(1)}/run`);

    expect((await world.ask(`POST /${idOf(1)}/run`)).status).toBe(409);
    expect((await world.ask(`POST /${idOf(1)}/run`, { as: "stranger" })).status).toBe(404);
  });

  it("returns 409 for a watchlist without items, and explains how to add items", async () => {
    await putWatchlist(
      { client: world.client, ...world.options },
      aWatchlist({ id: idOf(1), itemCounts: { new: 0, active: 0, delisted: 0 } }),
      [],
    );
    const before = await world.ask(`GET /${idOf(1)}`);

    const { status, json } = await world.ask(`POST /${idOf(1)}/run`);
    expect([status, json["error"]]).toMatchObject([409, { code: "CONFLICT" }]);
    expect((json["error"] as { message: string }).message).toBe(
      "This watchlist has no items, so there is nothing to read. Add items with " +
        "POST /v1/watchlists/{id}/items, then run it.",
    );
    expect((await world.ask(`GET /${idOf(1)}`)).json).toEqual(before.json);
    expect((await world.ask(`GET /${idOf(1)}/runs`)).json["data"]).toEqual([]);

    await world.ask(`POST /${idOf(1)}/items`, { body: { add: ["9000001"] } });
    expect((await world.ask(`POST /${idOf(1)}/run`)).status).toBe(202);
  });

  it("starts a run of a watchlist that was renamed after the request read it", async () => {
    await put(1);
    const { watchlists } = world;
    const get = watchlists.get.bind(watchlists);
    let isRenamed = false;
    Object.assign(watchlists, {
      get: async (...ref: Parameters<typeof get>) => {
        const found = await get(...ref);
        if (isRenamed || found === undefined) return found;
        isRenamed = true;
        const after = { ...found, name: "Tea", revision: found.revision + 1 };
        await watchlists.update({ before: found, after });
        return found;
      },
    });

    expect((await world.ask(`POST /${idOf(1)}/run`)).status).toBe(202);
  });

  it("starts a run of a paused watchlist, and leaves the watchlist paused without a schedule", async () => {
    await putWatchlist(
      { client: world.client, ...world.options },
      aWatchlist({ id: idOf(1), status: "paused", pausedReason: "user", nextRunAt: null }),
      [],
    );

    expect((await world.ask(`POST /${idOf(1)}/run`)).status).toBe(202);
    const { json } = await world.ask(`GET /${idOf(1)}`);
    expect([json["status"], json["next_run_at"], json["last_run_status"]]).toEqual([
      "paused",
      null,
      "running",
    ]);
    expect(world.scheduled.size).toBe(0);
  });
});

describe("GET /v1/watchlists/{id}/runs", () => {
  it("lists runs newest first, and returns 404 for another account's watchlist", async () => {
    await put(1);
    await world.ask(`POST /${idOf(1)}/run`);

    const { status, json } = await world.ask(`GET /${idOf(1)}/runs`);
    expect([status, json["has_more"]]).toEqual([200, false]);
    expect(json["data"]).toMatchObject([{ run_number: 1, watchlist_id: idOf(1) }]);
    expect((await world.ask(`GET /${idOf(1)}/runs`, { as: "stranger" })).status).toBe(404);
  });

  it("continues with the runs before the run number in the cursor, and returns 400 for a cursor that is not a run number", async () => {
    await put(1);
    await world.ask(`POST /${idOf(1)}/run`);
    const before = (number: string): Promise<Answered> =>
      world.ask(`GET /${idOf(1)}/runs`, { query: { before_run: number } });

    expect((await before("2")).json["data"]).toMatchObject([{ run_number: 1 }]);
    expect((await before("1")).json).toEqual({ object: "list", data: [], has_more: false });
    expect(refusal(await before("-1"))).toEqual([400, "before_run"]);
  });
});

describe("GET /v1/watchlists/scrapers", () => {
  it("returns the platform's scrapers and templates, and does not treat 'scrapers' as the ID of a watchlist", async () => {
    const { status, json } = await world.ask("GET /scrapers", {
      query: { platform: "retailer_d" },
    });

    expect([status, json["object"]]).toEqual([200, "watchlist_scrapers"]);
    expect(json["scrapers"]).toMatchObject([{ id: "retailer_d.standard" }]);
  });

  it("returns 400 for an unknown platform", async () => {
    const answer = await world.ask("GET /scrapers", { query: { platform: "retailer_z" } });

    expect(refusal(answer)).toEqual([400, "platform"]);
  });
});

describe("GET /v1/watchlists/{id}/items and GET /v1/watchlists/items", () => {
  it("filter items by the first characters of their ID, in upper or lower case", async () => {
    const at = "2026-03-01T00:00:00.000Z";
    const items = ["B0SANDBOX0", "B0SANDBOX1", "B1SANDBOX0"].map((id) => newItem(id, at));
    const list = aWatchlist({ id: idOf(1), platform: "retailer_a" });
    await putWatchlist({ client: world.client, ...world.options }, list, items);
    const find = (prefix: string): Promise<Answered> =>
      world.ask(`GET /${idOf(1)}/items`, { query: { id_prefix: prefix } });

    const found = (await find("b0sand")).json["data"] as Record<string, unknown>[];
    expect(found.map(({ id }) => id)).toEqual(["B0SANDBOX0", "B0SANDBOX1"]);
    for (const prefix of ["", "B0-", "B".repeat(16), "~"]) {
      expect(refusal(await find(prefix))).toEqual([400, "id_prefix"]);
    }
  });

  describe("for items with labels and prices", () => {
    const at = "2026-03-01T00:00:00.000Z";
    const priced = (id: string, price: number | null, before: number | null): Item => ({
      ...newItem(id, at),
      state: "active",
      readings: price === null ? {} : { standard: { price } },
      lastChange:
        before === null
          ? null
          : {
              changedAt: `2026-03-0${id.at(-1)}T00:00:00.000Z`,
              runId: "wlrun_1",
              runNumber: 2,
              step: "check",
              scraper: "retailer_d.standard",
              changes: { inStock: { before: true, after: false }, price: { before, after: price } },
            },
    });
    beforeEach(async () => {
      const list = aWatchlist({ id: idOf(1), platform: "retailer_d" });
      const items = [
        priced("9000001", 30, 20),
        priced("9000002", 10, 20),
        priced("9000003", null, null),
        priced("9000004", 20, null),
      ];
      await putWatchlist({ client: world.client, ...world.options }, list, items);
      const add = [
        { id: "9000001", label: "kettle, steel" },
        { id: "9000002", label: "Toaster" },
        { id: "9000004", label: "Kettle, Blue" },
      ];
      await world.ask(`POST /${idOf(1)}/items`, { body: { add } });
    });
    const idsOf = async (query: Record<string, string>): Promise<unknown[]> => {
      const { json } = await world.ask(`GET /${idOf(1)}/items`, { query });
      return (json["data"] as Record<string, unknown>[]).map(({ id }) => Number(id) - 9_000_000);
    };

    it.each([
      [{ sort: "price" }, [2, 4, 1, 3]],
      [{ sort: "price", order: "desc" }, [1, 4, 2, 3]],
      [{ sort: "change" }, [2, 1, 3, 4]],
      [{ sort: "changed_at", order: "desc" }, [2, 1, 3, 4]],
      [{ sort: "name" }, [4, 1, 2, 3]],
      [{ sort: "label", order: "desc" }, [2, 1, 4, 3]],
      [{ order: "desc" }, [4, 3, 2, 1]],
      [{ search: "KETTLE" }, [1, 4]],
      [{ search: "blue ket" }, [4]],
      [{ search: "0003" }, [3]],
      [{ search: "kettle", sort: "price" }, [4, 1]],
      [{ sort: "price", state: "delisted" }, []],
    ] as const)(
      "for the query %j return the items %j, with items without a value last",
      async (query, ids) => {
        expect(await idsOf(query)).toEqual(ids);
      },
    );

    it("continue after the last item of a page, and refuse to continue after an item that is not in the list", async () => {
      const query = { sort: "price", limit: "2" };
      const path = `GET /${idOf(1)}/items`;
      const first = await world.ask(path, { query });
      expect(first.json["has_more"]).toBe(true);
      expect(await idsOf({ ...query, starting_after: "9000004" })).toEqual([1, 3]);
      const gone = await world.ask(path, { query: { ...query, starting_after: "9000009" } });
      expect(refusal(gone)).toEqual([400, "starting_after"]);
      const unknown = await world.ask(path, { query: { sort: "colour" } });
      expect(refusal(unknown)).toEqual([400, "sort"]);
    });

    it("find items by ID prefix and by words, in all watchlists of the account if the path names no watchlist", async () => {
      const other = aWatchlist({ id: idOf(2), platform: "retailer_d" });
      await putWatchlist({ client: world.client, ...world.options }, other, [
        newItem("9000002", at),
        newItem("9000017", at),
      ]);
      const find = async (query: Record<string, string>, as: "owner" | "stranger" = "owner") => {
        const { json } = await world.ask("GET /v1/watchlists/items", { query, as });
        const found = json["data"] as Record<string, unknown>[];
        return [
          found.map(({ id, watchlist_id: list }) => `${String(id)} ${String(list)}`).toSorted(),
          json,
        ];
      };
      expect((await find({ search: "9000002" }))[0]).toEqual([
        `9000002 ${idOf(1)}`,
        `9000002 ${idOf(2)}`,
      ]);
      expect((await find({ search: "blue kettle" }))[0]).toEqual([`9000004 ${idOf(1)}`]);
      expect((await find({ search: "00002" }))[0]).toEqual([`9000002 ${idOf(1)}`]);
      expect((await find({ search: "900000", limit: "2" }))[1]).toMatchObject({ has_more: true });
      expect((await find({ search: "900000" }))[1]).toMatchObject({ has_more: false });
      expect((await find({ search: "no such thing" }))[0]).toEqual([]);
      expect((await find({ search: "9000002" }, "stranger"))[0]).toEqual([]);
      expect(
        refusal(await world.ask("GET /v1/watchlists/items", { query: { search: " a " } })),
      ).toEqual([400, "search"]);
    });

    it("list all items of the account page by page if the path names no watchlist and the query has no search", async () => {
      const other = aWatchlist({ id: idOf(2), platform: "retailer_d" });
      const ids = ["9000002", "9000017", "9000018"];
      await putWatchlist(
        { client: world.client, ...world.options },
        other,
        ids.map((id) => newItem(id, at)),
      );
      await put(3);
      const pageOf = async (query: Record<string, string>, as: "owner" | "stranger" = "owner") => {
        const { json } = await world.ask("GET /v1/watchlists/items", { query, as });
        return json as unknown as {
          readonly data: readonly Record<string, unknown>[];
          readonly has_more: boolean;
          readonly next_starting_after: string | null;
        };
      };
      const all = await pageOf({ limit: "5000" });
      expect([all.has_more, all.next_starting_after]).toEqual([false, null]);
      expect(all.data).toContainEqual(
        expect.objectContaining({ id: "9000004", watchlist_id: idOf(1), label: "Kettle, Blue" }),
      );
      expect(all.data.filter((one) => one["watchlist_id"] === idOf(2)).map(({ id }) => id)).toEqual(
        ids,
      );

      const inPages: unknown[] = [];
      let cursor: string | null | undefined;
      for (let pages = 0; cursor !== null; pages += 1) {
        expect(pages).toBeLessThan(all.data.length);
        const page = await pageOf({ limit: "2", ...(cursor && { starting_after: cursor }) });
        expect(page.data.length).toBeLessThanOrEqual(2);
        inPages.push(...page.data);
        cursor = page.next_starting_after;
      }
      expect(inPages).toEqual(all.data);
      expect((await pageOf({}, "stranger")).data).toEqual([]);
    });

    it("list the account's items that are out of stock now, sorted and page by page, if the path names no watchlist and the query has 'stock'", async () => {
      const stocked = (id: string, price: number, inStock: boolean): Item => ({
        ...newItem(id, at),
        state: "active",
        readings: { standard: { price, inStock } },
        snapshotAt: at,
      });
      const soldOut: Item = {
        ...stocked("9000022", 30, false),
        lastChange: {
          changedAt: at,
          runId: "wlrun_1",
          runNumber: 2,
          step: "check",
          scraper: "retailer_d.standard",
          changes: { inStock: { before: true, after: false } },
        },
      };
      for (const [n, items] of [
        [2, [stocked("9000021", 10, false), soldOut, stocked("9000023", 5, true)]],
        [
          3,
          [stocked("9000021", 20, false), { ...stocked("9000024", 1, false), state: "delisted" }],
        ],
      ] as const) {
        const list = aWatchlist({ id: idOf(n), platform: "retailer_d" });
        await putWatchlist({ client: world.client, ...world.options }, list, [...items]);
      }
      const find = async (query: Record<string, string>, as: "owner" | "stranger" = "owner") => {
        const { json } = await world.ask("GET /v1/watchlists/items", { query, as });
        return json as unknown as {
          readonly data: readonly Record<string, unknown>[];
          readonly next_starting_after: string | null;
        };
      };
      const placesOf = async (query: Record<string, string>) =>
        (await find(query)).data.map(
          ({ id, watchlist_id: list }) => `${String(id)} ${String(list)}`,
        );
      const byPrice = { stock: "out", sort: "price", order: "desc" };
      const all = [`9000022 ${idOf(2)}`, `9000021 ${idOf(3)}`, `9000021 ${idOf(2)}`];
      expect(await placesOf(byPrice)).toEqual(all);
      const first = await find({ ...byPrice, limit: "2" });
      expect(first.data[0]?.["stock"]).toEqual({
        price: 30,
        currency: "USD",
        url: null,
        values_since: at,
        stock_since: at,
      });
      const next = { ...byPrice, limit: "2", starting_after: first.next_starting_after ?? "" };
      expect(await placesOf(next)).toEqual(all.slice(2));
      expect(await placesOf({ ...byPrice, watchlist_id: idOf(3) })).toEqual([all[1]]);
      expect(await placesOf({ ...byPrice, search: "22" })).toEqual([all[0]]);
      expect((await find({ stock: "out" }, "stranger")).data).toEqual([]);
    });

    it.each([
      [{ sort: "price" }, 400, "sort"],
      [{ watchlist_id: idOf(1) }, 400, "watchlist_id"],
      [{ stock: "in" }, 400, "stock"],
      [{ stock: "out", starting_after: `${idOf(1)}.1` }, 400, "starting_after"],
      [{ stock: "out", watchlist_id: "wl_1" }, 404, undefined],
    ])("refuse the query %j if the path names no watchlist", async (query, status, param) => {
      const answer = await world.ask("GET /v1/watchlists/items", { query });
      expect(answer.status).toBe(status);
      if (param !== undefined) expect(refusal(answer)).toEqual([status, param]);
    });

    it.each([
      { starting_after: "wl_1" },
      { starting_after: `${idOf(1)}.` },
      { starting_after: `${idOf(1)}.1.2` },
      { starting_after: `${idOf(1)}.1`, search: "kettle" },
    ])("return 400 for the cursor %j if the path names no watchlist", async (query) => {
      const answer = await world.ask("GET /v1/watchlists/items", { query });
      expect(refusal(answer)).toEqual([400, "starting_after"]);
    });
  });
});

describe("POST /v1/watchlists/estimate", () => {
  const estimate = (body: unknown, as: "owner" | "demo" = "owner"): Promise<Answered> =>
    world.ask("POST /estimate", { body, as });

  it("forecasts the credits of a new watchlist per day and month, and the credits of the account including that watchlist", async () => {
    const body = { platform: "retailer_d", item_count: 100, every: "1h" };
    const { status, json } = await estimate(body);
    expect(status).toBe(200);
    expect(json["forecast"]).toEqual({
      day: { runs: 24, best: 2_400, likely: 2_400, worst: 2_400 },
      month: { runs: 720, best: 72_000, likely: 72_000, worst: 72_000 },
    });
    expect(json["account_forecast"]).toMatchObject({ watchlists: expect.any(Number) as number });
  });

  it("limits the forecast credits to the credit limits of the watchlist", async () => {
    const shop = { platform: "retailer_d", item_count: 100, every: "1h" };
    const perDay = await estimate({ ...shop, daily_credit_budget: 350 });
    expect(perDay.json).toMatchObject({
      blocked_by_limit: null,
      forecast: { day: { best: 300, worst: 600 }, month: { best: 9_000, worst: 9_300 } },
    });
  });

  it.each(["max_credits_per_run", "daily_credit_budget"])(
    "forecasts no credits if a run costs more than the limit '%s', and names this limit in the response",
    async (limit) => {
      const shop = { platform: "retailer_d", item_count: 100, every: "1h" };
      const { json } = await estimate({ ...shop, [limit]: 99 });
      expect(json).toMatchObject({ blocked_by_limit: limit, forecast: { day: { worst: 0 } } });
    },
  );

  it("estimates the credits of a stored watchlist with other settings, and does not change the watchlist", async () => {
    const created = await world.ask("POST ", {
      body: { name: "F", platform: "retailer_d", ids: ["9000001", "9000002"], every: "1d" },
    });
    const id = String(created.json["id"]);
    const { json } = await estimate({ watchlist_id: id, every: "12h" });
    expect(json).toMatchObject({ items: 2, forecast: { day: { runs: 2, worst: 4 } } });
    expect((await world.ask(`GET /${id}`)).json["every"]).toBe("1d");
    expect(refusal(await estimate({ watchlist_id: id, items: 2 }))).toEqual([400, "items"]);
    expect((await estimate({ watchlist_id: "wl_00000000000000000000abcd" })).status).toBe(404);
  });

  it("returns null as the forecast if the request has no schedule", async () => {
    const { json } = await estimate({ platform: "retailer_d", items: 5 });
    expect(json).toMatchObject({ items: 5, forecast: null, account_forecast: null });
  });

  it("returns the cost of the platform's default pipeline, and creates nothing", async () => {
    const { status, json } = await estimate({ items: 1_000, refresh_every_runs: 0 }, "demo");

    expect([status, json["default_pipeline"]]).toEqual([200, true]);
    expect(json["pipeline"]).toMatchObject({ entry: "pulse", refresh: null });
    expect(json["estimated_credits"]).toEqual({
      pulseRun: 250,
      refreshRun: 250,
      newAsins: 5_000,
    });
    expect((await world.ask("GET ", { as: "demo" })).json["data"]).toEqual([]);
  });

  it("returns the pipeline with default values for omitted keys, and names the invalid key of an invalid pipeline", async () => {
    const steps = [{ id: "all", scraper: "retailer_d.standard" }];
    const shop = { platform: "retailer_d", items: 3 };
    const { json } = await estimate({ ...shop, pipeline: { steps } });
    const wrong = await estimate({ ...shop, pipeline: { steps, entry: "none" } });

    expect(json).toMatchObject({
      default_pipeline: false,
      pipeline: { entry: "all", baseline: null, steps: [{ id: "all", routes: [] }] },
      estimated_credits: { pulseRun: 3, refreshRun: 3, newAsins: 3 },
    });
    expect(refusal(wrong)).toEqual([400, "pipeline.entry"]);
  });

  it.each([
    [{}, "item_count"],
    [{ items: 1, item_count: 1 }, "items"],
    [{ item_count: 1, timezone: "UTC" }, "every"],
    [{ items: 50_001 }, "items"],
    [{ items: 1.5 }, "items"],
    [{ items: 1, platform: "retailer_z" }, "platform"],
    [{ items: 1, refresh_every_runs: -1 }, "refresh_every_runs"],
    [{ items: 1, platform: "retailer_c", refresh_every_runs: 8 }, "refresh_every_runs"],
    [
      {
        items: 1,
        pipeline: { steps: [{ id: "a", scraper: "retailer_a.pulse" }] },
        refresh_every_runs: 8,
      },
      "refresh_every_runs",
    ],
  ] as const)("returns 400 for the body %j, and names the parameter '%s'", async (body, param) => {
    expect(refusal(await estimate(body))).toEqual([400, param]);
  });

  it("returns 501 for a marketplace that is announced but not yet available", async () => {
    expect((await estimate({ items: 1, marketplace: "de" })).status).toBe(501);
  });
});

describe("GET /v1/watchlists/schedule", () => {
  const preview = (query: Record<string, string>): Promise<Answered> =>
    world.ask("GET /schedule", { query });

  it("returns the next five run times of an interval", async () => {
    const { status, json } = await preview({ every: "6h" });

    expect([status, json]).toEqual([
      200,
      {
        object: "schedule_preview",
        schedule: { type: "every", every: "6h", every_seconds: 21_600 },
        next_run_times: [
          "2026-03-01T16:00:00.000Z",
          "2026-03-01T22:00:00.000Z",
          "2026-03-02T04:00:00.000Z",
          "2026-03-02T10:00:00.000Z",
          "2026-03-02T16:00:00.000Z",
        ],
        runs_in_30_days: 120,
      },
    ]);
  });

  it("returns the requested number of run times of a cron schedule in its time zone, all after the given time", async () => {
    const { json } = await preview({
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
      after: "2026-03-28T01:30:00Z",
      count: "2",
    });

    // The clocks skip this local time on the 29th, so the run on that day is an hour later in local
    // time.
    expect(json["next_run_times"]).toEqual([
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(json["schedule"]).toEqual({
      type: "cron",
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
    });
  });

  it.each([
    ["all day on Mondays", { cron: "*/5 * * * MON" }, "2026-03-02T08:00:00Z", 191 + 4 * 288],
    ["on a day of the month", { cron: "*/5 9-17 1 * *" }, "2026-03-02T00:00:00Z", 0],
    ["on a day of the month", { cron: "*/5 9-17 1 * *" }, "2026-03-31T00:00:00Z", 108],
    ["once in four years", { cron: "0 0 29 2 *" }, "2026-03-01T00:00:00Z", 0],
    ["every five minutes", { cron: "*/5 * * * *" }, "2026-03-01T00:00:00Z", 8_640],
    ["at both ends of the span", { cron: "0 0 * * *" }, "2026-03-01T00:00:00Z", 30],
    ["by the longest cadence", { every: "7d" }, "2026-03-01T00:00:00Z", 4],
    // On the 29th, the hour from 2 to 3 is skipped, and its runs coincide with the runs of the next
    // hour.
    [
      "while the clocks go forward",
      { cron: "*/5 2,3 * * *", timezone: "Europe/Berlin" },
      "2026-03-15T12:00:00Z",
      30 * 24 - 12,
    ],
    // The day of the clock change has 25 hours, but a cron fires in the hour from 2 to 3 once.
    [
      "while the clocks go back",
      { cron: "*/5 2 * * *", timezone: "Europe/Berlin" },
      "2026-10-15T12:00:00Z",
      30 * 12,
    ],
  ] as const)(
    "returns the number of runs in the 30 days after a given time (runs %s; schedule: %j; time: %s)",
    async (...[, query, after, runs]) => {
      const { json } = await preview({ ...query, after });

      expect(json["runs_in_30_days"]).toBe(runs);
    },
  );

  it("returns a hundred run times if the request asks for this maximum", async () => {
    const { json } = await preview({ cron: "@hourly", count: "100" });

    expect(json["next_run_times"]).toHaveLength(100);
  });

  it.each([
    [{}, "every"],
    [{ every: "1m" }, "every"],
    [{ every: "1h", cron: "@daily" }, "cron"],
    [{ cron: "? * * * *" }, "cron"],
    [{ every: "1h", timezone: "UTC" }, "timezone"],
    [{ cron: "@daily", timezone: "Mars" }, "timezone"],
    [{ every: "1h", after: "yesterday" }, "after"],
    [{ every: "7d", count: "100", after: "9999-12-31" }, "after"],
    [{ every: "1h", count: "0" }, "count"],
    [{ every: "1h", count: "101" }, "count"],
  ] as const)(
    "returns 400 for the query %j, and names the parameter '%s'",
    async (query, param) => {
      expect(refusal(await preview({ ...query }))).toEqual([400, param]);
    },
  );
});
