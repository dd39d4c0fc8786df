import { beforeEach, describe, expect, it } from "vitest";
import type { HistoryPoint } from "../../../shared/history/history.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";
import { openWatchlistWorld, type WatchlistWorld } from "../../support/watchlist-world.ts";

const [first, second] = [`wl_${"1".repeat(24)}`, `wl_${"2".repeat(24)}`];
const accountId = "acct_1";
const tables = openTables();
let world: WatchlistWorld;

beforeEach(async () => {
  world = await openWatchlistWorld(tables);
  for (const id of [first, second]) {
    const list = aWatchlist({ id, accountId, platform: "retailer_d" });
    const items = ["9000000", "9000001"].map((item) => newItem(item, "2026-01-01T00:00:00.000Z"));
    await putWatchlist({ client: world.client, ...world.options }, list, items);
  }
});

/** Returns the time of a read in the hour before the time of the test's clock. */
const at = (minute: number): string => `2026-03-01T09:${String(minute).padStart(2, "0")}:00.000Z`;

const read = (id: string, minute: number, values: HistoryPoint["values"]): HistoryPoint => ({
  id,
  at: at(minute),
  step: "check",
  status: "ok",
  values,
});

/** Records a run that ended at its last read. */
async function record(
  watchlistId: string,
  runNumber: number,
  points: readonly HistoryPoint[],
): Promise<void> {
  const endedAt =
    points
      .map((point) => point.at)
      .toSorted()
      .at(-1) ?? at(0);
  await world.history.append({ accountId, watchlistId }, { runNumber, endedAt, points });
}

const price = (before: number, after: number): HistoryPoint["values"] => ({
  price: { before, after },
});

/** Reads all pages of a list. `cursorOf` returns the cursor of the next page, or null. */
async function allPages(
  path: string,
  query: Record<string, string>,
  cursorOf: (json: Readonly<Record<string, unknown>>) => string | null,
): Promise<readonly Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const paged: Record<string, string> = cursor === null ? {} : { starting_after: cursor };
    const { status, json } = await world.ask(`GET ${path}`, { query: { ...query, ...paged } });
    expect(status).toBe(200);
    all.push(...(json["data"] as Record<string, unknown>[]));
    cursor = cursorOf(json);
  } while (cursor !== null);
  return all;
}

describe("GET /v1/watchlists/{id}/items/{item_id}/history", () => {
  const path = `/${first}/items/9000000/history`;

  beforeEach(async () => {
    await record(first, 1, [
      read("9000000", 1, { price: { after: 20 }, inStock: { after: true } }),
      read("9000001", 1, { price: { after: 7 } }),
    ]);
    await record(first, 2, [read("9000000", 11, price(20, 18))]);
    await record(first, 3, [
      { ...read("9000000", 21, {}), status: "unavailable" },
      read("9000001", 21, price(7, 8)),
    ]);
    await record(first, 4, [{ ...read("9000000", 31, {}), status: "not_found" }]);
  });

  it("returns the observed values and the delisting of one item, newest first", async () => {
    const { status, json } = await world.ask(`GET ${path}`);

    expect(status).toBe(200);
    const point = { object: "history_point", step: "check", status: "ok" };
    expect(json).toEqual({
      object: "list",
      data: [
        { ...point, id: "4.check", at: at(31), run_number: 4, status: "not_found", values: {} },
        { ...point, id: "2.check", at: at(11), run_number: 2, values: { price: 18 } },
        { ...point, id: "1.check", at: at(1), run_number: 1, values: { price: 20, inStock: true } },
      ],
      has_more: false,
      values_at_since: null,
    });
  });

  it("returns only the requested fields and time span, in the requested order", async () => {
    const query = { fields: "inStock, price", since: at(1), until: at(30), order: "oldest_first" };
    const { json } = await world.ask(`GET ${path}`, { query });
    expect(json["data"]).toMatchObject([{ run_number: 1 }, { run_number: 2 }]);

    const stock = await world.ask(`GET ${path}`, { query: { ...query, fields: "inStock" } });
    expect(stock.json["data"]).toMatchObject([{ run_number: 1, values: { inStock: true } }]);
  });

  it("returns the values that were valid at the time 'since', even if no read in the time span changed a value", async () => {
    const { json } = await world.ask(`GET ${path}`, { query: { since: at(12), until: at(20) } });
    expect(json).toMatchObject({ data: [], values_at_since: { price: 18, inStock: true } });
    const stock = { since: at(12), fields: "inStock" };
    expect((await world.ask(`GET ${path}`, { query: stock })).json["values_at_since"]).toEqual({
      inStock: true,
    });
    const before = await world.ask(`GET ${path}`, { query: { since: "2026-02-01T00:00:00Z" } });
    expect(before.json["values_at_since"]).toEqual({});
  });

  it("returns null for each value at 'since' if the item was delisted at that time and had not been added again", async () => {
    const valuesAt = async (query: Record<string, string>): Promise<unknown> =>
      (await world.ask(`GET ${path}`, { query })).json["values_at_since"];
    expect(await valuesAt({ since: at(31) })).toEqual({ price: 18, inStock: true });
    expect(await valuesAt({ since: at(32) })).toEqual({ price: null, inStock: null });
    expect(await valuesAt({ since: at(32), fields: "price" })).toEqual({ price: null });

    await record(first, 5, [read("9000000", 41, { price: { after: 15 } })]);
    expect(await valuesAt({ since: at(42) })).toEqual({ price: 15, inStock: null });
  });

  it("returns each history point once over all pages", async () => {
    const points = await allPages(path, { limit: "1" }, (json) => {
      const last = (json["data"] as { readonly id: string }[]).at(-1);
      return json["has_more"] === true ? (last?.id ?? null) : null;
    });
    expect(points.map((one) => one["id"])).toEqual(["4.check", "2.check", "1.check"]);
  });

  it("returns the history of an item that was removed, and 404 for an item that was never added", async () => {
    await record(first, 5, [read("9000009", 41, { price: { after: 1 } })]);

    expect((await world.ask(`GET /${first}/items/9000009/history`)).status).toBe(200);
    expect((await world.ask(`GET /${first}/items/9000008/history`)).status).toBe(404);
  });

  it("returns an empty list for an item that has not been read yet", async () => {
    const { json } = await world.ask(`GET /${second}/items/9000000/history`);
    expect(json).toMatchObject({ data: [], has_more: false });
  });

  it("returns 404 to another account", async () => {
    expect((await world.ask(`GET ${path}`, { as: "stranger" })).status).toBe(404);
  });

  it.each([
    [{ fields: "prices" }, "fields", "Did you mean 'price'?"],
    [{ since: "2024-01-01T00:00:00Z" }, "since", "at most 400 days ago"],
    [{ since: at(20), until: at(10) }, "since", "before 'until'"],
    [{ until: "2026-03-01T11:00:00Z" }, "until", "must not be in the future"],
    [{ since: "2027-01-01T00:00:00Z" }, "since", "must not be in the future"],
    [{ until: "2020-01-01T00:00:00Z" }, "until", "at most 400 days ago"],
    [{ since: "yesterday" }, "since", '(got "yesterday").'],
    [{ since: "2026-02-01T10:00:00 02:00" }, "since", "Encode '+' as %2B in a URL."],
    [{ starting_after: "9.check" }, "starting_after", "ID of a point"],
    [{ order: "newest" }, "order", "newest_first"],
  ])(
    "returns 400 that names the invalid parameter of the query %j",
    async (query, param, message) => {
      const { status, json } = await world.ask(`GET ${path}`, { query });
      expect(status).toBe(400);
      expect(json["error"]).toMatchObject({ param, message: expect.stringContaining(message) });
    },
  );
});

describe("GET /v1/watchlists/{id}/changes", () => {
  const path = `/${first}/changes`;
  const nextOf = (json: Readonly<Record<string, unknown>>): string | null =>
    json["next_starting_after"] as string | null;
  const shown = (data: unknown): unknown =>
    (data as Record<string, unknown>[]).map((one) => [one["item_id"], one["before"], one["after"]]);

  beforeEach(async () => {
    await record(first, 1, [read("9000000", 1, { price: { after: 20 } })]);
    await record(first, 2, [
      read("9000000", 11, price(20, 18)),
      read("9000001", 11, {
        price: { before: 8, after: 9 },
        inStock: { before: true, after: false },
      }),
    ]);
    await record(first, 3, [read("9000000", 21, price(18, 12.99))]);
    await record(second, 1, [read("9000000", 15, price(100, 99))]);
  });

  it("lists the changed fields, latest run first, without the values of an item's first read", async () => {
    const { status, json } = await world.ask(`GET ${path}`);

    expect(status).toBe(200);
    expect(shown(json["data"])).toEqual([
      ["9000000", 18, 12.99],
      ["9000000", 20, 18],
      ["9000001", 8, 9],
      ["9000001", true, false],
    ]);
    expect((json["data"] as unknown[])[0]).toEqual({
      object: "field_change",
      watchlist_id: first,
      watchlist_name: "List",
      platform: "retailer_d",
      currency: "USD",
      item_id: "9000000",
      label: null,
      title: null,
      url: null,
      image: null,
      kind: "price_drop",
      field: "price",
      before: 18,
      after: 12.99,
      last_known: 18,
      delta: -5.01,
      delta_percent: -27.8333,
      changed_at: at(21),
      run_number: 3,
      step: "check",
    });
  });

  it.each([
    [{ field: "inStock" }, [["9000001", true, false]]],
    [{ op: "increased" }, [["9000001", 8, 9]]],
    [{ op: "decreased", min_delta_percent: "20" }, [["9000000", 18, 12.99]]],
    [
      { min_delta_percent: "10" },
      [
        ["9000000", 18, 12.99],
        ["9000000", 20, 18],
        ["9000001", 8, 9],
      ],
    ],
    [{ until: at(12), field: "price", op: "decreased" }, [["9000000", 20, 18]]],
    [{ kind: "sold_out" }, [["9000001", true, false]]],
    [{ kind: "price_rise" }, [["9000001", 8, 9]]],
    [{ kind: "price_rise", op: "increased" }, [["9000001", 8, 9]]],
    [{ kind: "price_drop", min_delta: "5" }, [["9000000", 18, 12.99]]],
    [
      { compare: "period" },
      [
        ["9000000", 20, 12.99],
        ["9000001", true, false],
        ["9000001", 8, 9],
      ],
    ],
    [{ compare: "period", kind: "price_drop", min_delta_percent: "30" }, [["9000000", 20, 12.99]]],
    [{ compare: "period", kind: "price_drop", min_delta_percent: "36" }, []],
    [{ compare: "period", until: at(12), kind: "price_drop" }, [["9000000", 20, 18]]],
    [
      { sort: "size" },
      [
        ["9000000", 18, 12.99],
        ["9000001", 8, 9],
        ["9000000", 20, 18],
      ],
    ],
    [
      { sort: "amount" },
      [
        ["9000000", 18, 12.99],
        ["9000000", 20, 18],
        ["9000001", 8, 9],
      ],
    ],
  ])("filters and sorts the changes by the query %j", async (query, changes) => {
    const { json } = await world.ask(`GET ${path}`, { query });
    expect(shown(json["data"])).toEqual(changes);
  });

  it.each(["time", "size", "amount"])(
    "returns each change once over all pages, sorted by %s",
    async (sort) => {
      const whole = await world.ask(`GET ${path}`, { query: { sort } });
      const paged = await allPages(path, { sort, limit: "1" }, nextOf);
      expect(paged).toEqual(whole.json["data"]);
    },
  );

  it("does not add the changes of a run that ends between the requests for two pages of a list sorted by size", async () => {
    const page = await world.ask(`GET ${path}`, { query: { sort: "size", limit: "1" } });
    world.clock.advance(60_000);
    const later = { ...read("9000000", 21, price(1, 100)), at: world.clock.now().toISOString() };
    await record(first, 4, [later]);

    const next = { sort: "size", limit: "5", starting_after: nextOf(page.json) ?? "" };
    const { json } = await world.ask(`GET ${path}`, { query: next });
    expect(shown(json["data"])).toEqual([
      ["9000001", 8, 9],
      ["9000000", 20, 18],
    ]);
  });

  it("returns 404 to another account", async () => {
    expect((await world.ask(`GET ${path}`, { as: "stranger" })).status).toBe(404);
  });

  it.each([
    [{ field: "colour" }, "field"],
    [{ op: "below" }, "op"],
    [{ min_delta_percent: "-5" }, "min_delta_percent"],
    [{ sort: "date" }, "sort"],
    [{ compare: "week" }, "compare"],
    [{ compare: "period", starting_after: `${at(21)}~1~size` }, "starting_after"],
    [{ field: "inStock", op: "decreased" }, "op"],
    [{ field: "inStock", min_delta_percent: "5" }, "min_delta_percent"],
    [{ field: "inStock", sort: "size" }, "sort"],
    [{ field: "inStock", sort: "amount" }, "sort"],
    [{ field: "delisted", min_delta: "1" }, "min_delta"],
    [{ kind: "sold_out", op: "decreased" }, "op"],
    [{ kind: "price_drop", op: "increased" }, "op"],
    [{ kind: "price_rise", op: "decreased" }, "op"],
    [{ kind: "new_seller" }, "kind"],
    [{ kind: "price_drop", field: "regularPrice" }, "kind"],
    [{ kind: "price_drop", field: "inStock" }, "kind"],
    [{ kind: "cheaper" }, "kind"],
    [{ min_delta: "-1" }, "min_delta"],
    [{ starting_after: "yesterday" }, "starting_after"],
    [{ starting_after: `2026-02-30T09:00:00.000Z~${first}~3~1` }, "starting_after"],
    [{ starting_after: `2026-00-01T09:00:00.000Z~${first}~3~1` }, "starting_after"],
    [{ sort: "size", starting_after: "2026-13-99T09:00:00.000Z~1~size" }, "starting_after"],
    [{ kind: "price_drop", op: "increased" }, "op"],
    [{ kind: "price_rise", op: "decreased" }, "op"],
    [{ sort: "size", starting_after: `${at(21)}~${first}~3~1` }, "starting_after"],
    [{ sort: "size", starting_after: `${at(21)}~1~amount` }, "starting_after"],
  ])("returns 400 that names the invalid parameter of the query %j", async (query, param) => {
    const { status, json } = await world.ask(`GET ${path}`, { query });
    expect(status).toBe(400);
    expect(json["error"]).toMatchObject({ param });
  });

  it.each([
    ["time", `2026-00-00T00:00:00.000Z~${first}~1~0`],
    ["time", `2026-13-48T00:00:00.000Z~${first}~1~0`],
    ["time", `2026-02-30T00:00:00.000Z~${first}~1~0`],
    ["time", `2026-03-01T24:00:00.000Z~${first}~1~0`],
    ["size", "2026-13-99T00:00:00.000Z~0~size"],
    ["amount", "2026-11-99T00:00:00.000Z~0~amount"],
  ])(
    "returns 400 for an impossible time in the cursor of a list sorted by %s (cursor: %s)",
    async (sort, cursor) => {
      for (const route of [path, "/v1/changes"]) {
        const query = { sort, starting_after: cursor };
        const { status, json } = await world.ask(`GET ${route}`, { query });
        expect(status).toBe(400);
        expect(json["error"]).toMatchObject({ param: "starting_after" });
      }
    },
  );

  describe("for the first price after an item was sold out", () => {
    const soldOut = { price: { before: 100, after: null } };
    const back = { price: { before: null, after: 60 } };

    beforeEach(async () => {
      await record(first, 4, [read("9000001", 31, soldOut)]);
      await record(first, 5, [read("9000001", 41, back)]);
    });

    const drop = { before: null, after: 60, last_known: 100, delta: -40, delta_percent: -40 };

    it.each([
      ["time, with a decrease", { op: "decreased", since: at(30) }],
      ["time, since a time without a price", { op: "decreased", since: at(40) }],
      ["size, with a minimum", { sort: "size", min_delta_percent: "40", since: at(30) }],
      ["size, since a time without a price", { sort: "size", since: at(40) }],
    ])("compares the price with the last known price (sorted by %s)", async (_sort, query) => {
      const { json } = await world.ask(`GET ${path}`, { query });
      expect(json["data"]).toMatchObject([drop]);
    });

    it("lists a lower price as a price drop", async () => {
      const { json } = await world.ask(`GET ${path}`, {
        query: { kind: "price_drop", since: at(30) },
      });
      expect(json["data"]).toMatchObject([drop]);
      const others = await world.ask(`GET ${path}`, { query: { kind: "other", since: at(30) } });
      expect(others.json["data"]).toMatchObject([{ before: 100, after: null }]);
      const rises = await world.ask(`GET ${path}`, {
        query: { kind: "price_rise", since: at(30) },
      });
      expect(rises.json["data"]).toEqual([]);
    });

    it.each(["time", "size", "amount"])(
      "returns no difference if the item was added again without a price (sorted by %s)",
      async (sort) => {
        const addedAgain = { price: { after: null } };
        const missing = { ...read("9000002", 52, {}), status: "not_found" } as const;
        await record(first, 6, [read("9000002", 51, soldOut), read("9000003", 51, soldOut)]);
        await record(first, 7, [missing, read("9000003", 52, addedAgain)]);
        await record(first, 8, [read("9000002", 53, addedAgain)]);
        await record(first, 9, [read("9000002", 54, back), read("9000003", 54, back)]);
        for (const since of [at(50), at(54)]) {
          const query = { kind: "price_drop", sort, since };
          const { json } = await world.ask(`GET ${path}`, { query });
          expect(json["data"]).toEqual([]);
        }
      },
    );

    it.each(["time", "size", "amount"])(
      "compares the price with the last known price, even if one run read no price and then the new price (sorted by %s)",
      async (sort) => {
        await record(first, 6, [read("9000001", 51, { price: { before: 60, after: null } })]);
        await record(first, 7, [read("9000001", 52, { price: { before: null, after: 50 } })]);
        const lost = read("9000001", 53, { price: { before: 50, after: null } });
        const found = read("9000001", 54, { price: { before: null, after: 40 } });
        await record(first, 8, [lost, { ...found, step: "full" }]);
        const query = { kind: "price_drop", sort, since: at(50) };
        const { json } = await world.ask(`GET ${path}`, { query });
        expect(
          new Set((json["data"] as Record<string, unknown>[]).map((one) => one["last_known"])),
        ).toEqual(new Set([50, 60]));
      },
    );

    it("lists no increase, and returns no difference if the item never had a price", async () => {
      await record(first, 6, [read("9000000", 51, { listPrice: { after: null } })]);
      await record(first, 7, [read("9000000", 52, { listPrice: { before: null, after: 5 } })]);
      const increased = await world.ask(`GET ${path}`, {
        query: { op: "increased", since: at(30) },
      });
      expect(increased.json["data"]).toEqual([]);
      const all = await world.ask(`GET ${path}`, { query: { since: at(52) } });
      expect(all.json["data"]).toMatchObject([
        { field: "listPrice", last_known: null, delta: null },
      ]);
    });

    it.each(["time", "size", "amount"])(
      "returns no difference if the item was added again while it was sold out (sorted by %s)",
      async (sort) => {
        const again = "9000001";
        await record(first, 6, [read(again, 51, { price: { before: 60, after: null } })]);
        await record(first, 7, [read(again, 52, { price: { after: null } })]);
        await record(first, 8, [read(again, 53, { price: { before: null, after: 20 } })]);
        const { json } = await world.ask(`GET ${path}`, {
          query: { sort, kind: "price_drop", since: at(45) },
        });
        expect(json["data"]).toEqual([]);
      },
    );

    it("returns each change on one page, even if a page ends early after many comparisons", async () => {
      const points = Array.from({ length: 250 }, (_, n) => read(String(9_100_000 + n), 55, back));
      await record(first, 8, points);
      const paged = await allPages(path, { since: at(50), limit: "200" }, nextOf);
      expect(paged).toHaveLength(250);
      expect(new Set(paged.map((one) => one["item_id"])).size).toBe(250);
    });
  });

  it("lists a delisted item exactly once, even if two steps of a run did not find it", async () => {
    const missing = { ...read("9000001", 31, {}), status: "not_found" } as const;
    await record(first, 4, [missing, { ...missing, step: "full" }]);
    const delisting = { item_id: "9000001", kind: "delisted", field: "delisted", after: true };
    for (const query of [{ since: at(30) }, { kind: "delisted" }, { field: "delisted" }]) {
      const { json } = await world.ask(`GET ${path}`, { query });
      expect(json["data"]).toMatchObject([{ ...delisting, before: false, step: "check" }]);
    }
  });

  it("shows the label and the title of the item", async () => {
    const add = [{ id: "9000000", label: "Kettle" }];
    await world.ask(`POST /${first}/items`, { body: { add } });
    const { json } = await world.ask(`GET ${path}`, { query: { limit: "1" } });
    expect(json["data"]).toMatchObject([{ item_id: "9000000", label: "Kettle", title: null }]);
  });

  describe("for all watchlists of an account (GET /v1/changes)", () => {
    it("lists the changes of all watchlists of the account, latest run first", async () => {
      const { json } = await world.ask("GET /v1/changes", { query: { field: "price" } });
      expect(shown(json["data"])).toEqual([
        ["9000000", 18, 12.99],
        ["9000000", 100, 99],
        ["9000000", 20, 18],
        ["9000001", 8, 9],
      ]);
    });

    it("returns each change once over all pages, across watchlists", async () => {
      const whole = await world.ask("GET /v1/changes");
      const paged = await allPages("/v1/changes", { limit: "2" }, nextOf);
      expect(paged).toEqual(whole.json["data"]);
    });

    it("accepts a kind of change that never occurs on some of the platforms", async () => {
      const { status, json } = await world.ask("GET /v1/changes", {
        query: { kind: "new_seller" },
      });
      expect([status, json["data"]]).toEqual([200, []]);
    });

    it("returns an empty list to an account without watchlists", async () => {
      const { json } = await world.ask("GET /v1/changes", { as: "stranger" });
      expect(json).toMatchObject({ data: [], has_more: false, next_starting_after: null });
    });
  });
});
