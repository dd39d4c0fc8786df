import { beforeEach, describe, expect, it } from "vitest";
import { newItem } from "../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { type WatchlistWorld, openWatchlistWorld } from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;

const id = `wl_${"0".repeat(24)}`;
const createdAt = "2026-03-01T10:00:00.000Z";
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
  const items = ["9000000", "9000001"].map((item) => newItem(item, createdAt));
  const itemCounts = { new: 2, active: 0, delisted: 0 };
  await putWatchlist(
    { client: world.client, ...world.options },
    aWatchlist({ id, accountId: "acct_1", itemCounts }),
    items,
  );
});

const body = { add: ["9000002", "9000001"], remove: "9000000,9000009" };

describe.each([
  ["items", "watchlist_items"],
  ["asins", "watchlist_asins"],
])("POST /v1/watchlists/{id}/%s", (path, object) => {
  it("returns how many items were added, removed, unchanged or missing, and the watchlist's new item counts", async () => {
    const { status, json } = await world.ask(`POST /${id}/${path}`, { body });
    expect(status).toBe(200);
    const counts = { new: 2, active: 0, delisted: 0 };
    expect(json).toEqual({
      object,
      watchlist_id: id,
      added: 1,
      reactivated: 0,
      updated: 0,
      unchanged: 1,
      removed: 1,
      missing: 1,
      item_count: 2,
      items_by_state: counts,
      asin_count: 2,
      asins_by_state: counts,
    });
    const listed = await world.ask(`GET /${id}/items`);
    expect(listed.json).toMatchObject({
      data: [{ id: "9000001" }, { id: "9000002" }],
      has_more: false,
    });
    const list = await world.ask(`GET /${id}`);
    expect(list.json).toMatchObject({ item_count: 2, items_by_state: counts });
  });

  it("refuses the whole change if one ID is invalid, and names that ID", async () => {
    const bad = { ...body, remove: ["9000000", "12"] };
    const { status, json } = await world.ask(`POST /${id}/${path}`, { body: bad });
    expect([status, json["error"]]).toMatchObject([
      400,
      { code: "INVALID_PARAM", param: "remove[1]" },
    ]);
    const listed = await world.ask(`GET /${id}/items`);
    expect(listed.json).toMatchObject({ data: [{ id: "9000000" }, { id: "9000001" }] });
  });

  it.each([
    ["stranger", 404, "NOT_FOUND"],
    ["demo", 403, "DEMO_READ_ONLY"],
  ] as const)(
    "refuses the API key of the account '%s', which may not change the watchlist, with the status %d",
    async (as, status, code) => {
      const answer = await world.ask(`POST /${id}/${path}`, { body, as });
      expect([answer.status, answer.json["error"]]).toMatchObject([status, { code }]);
    },
  );
});

describe("GET /v1/watchlists/{id}/items", () => {
  const after = async (list: string, start: string) =>
    world.ask(`GET /${list}/items`, { query: { starting_after: start } });

  it("accepts an ID in any spelling in 'starting_after', even if the ID is not on the watchlist", async () => {
    const asins = `wl_${"1".repeat(24)}`;
    await putWatchlist(
      { client: world.client, ...world.options },
      aWatchlist({ id: asins, accountId: "acct_1", platform: "retailer_a" }),
      ["B0SANDBOX0", "B0SANDBOX1"].map((item) => newItem(item, createdAt)),
    );

    expect((await after(asins, " b0sandbox0 ")).json["data"]).toMatchObject([{ id: "B0SANDBOX1" }]);
    expect((await after(id, "80000")).json["data"]).toMatchObject([{ id: "9000000" }, {}]);
  });

  it.each(["", "x", "12", "9".repeat(33)])(
    "refuses the value %j of 'starting_after'",
    async (start) => {
      const answer = await after(id, start);
      expect([answer.status, answer.json["error"]]).toMatchObject([
        400,
        { param: "starting_after" },
      ]);
    },
  );

  it.each([
    "2026-02-30T00:00:00Z",
    "2026-02-29",
    "2026-13-01",
    "9000-01-01",
    "9999-12-31T23:59:59Z",
    "2026-01-01T00:00:00 02:00",
  ])("refuses the invalid time '%s' in 'changed_since'", async (time) => {
    const answer = await world.ask(`GET /${id}/items`, { query: { changed_since: time } });
    expect([answer.status, answer.json["error"]]).toMatchObject([400, { param: "changed_since" }]);
    expect(answer.text).toContain("%2B");
  });

  it.each(["2028-02-29", "2026-01-01T00:00:00+14:00", "8999-12-31T23:59:59Z"])(
    "accepts the time '%s' in 'changed_since'",
    async (time) => {
      const answer = await world.ask(`GET /${id}/items`, { query: { changed_since: time } });
      expect(answer.status).toBe(200);
    },
  );
});

describe("the item IDs in a change of a watchlist", () => {
  it.each([
    ["add", "must be a string or an object with 'id' (got 9000003). Put IDs in quotes."],
    ["remove", "must be a string (got 9000003). Put IDs in quotes."],
  ])(
    "are refused in the list '%s' if they are numbers, and the error names the first number's index",
    async (param, message) => {
      const answer = await world.ask(`POST /${id}/items`, {
        body: { [param]: ["9000002", 9000003] },
      });
      expect([answer.status, answer.json["error"]]).toMatchObject([
        400,
        { param: `${param}[1]`, message: `'${param}[1]' ${message}` },
      ]);
    },
  );

  it("may be sent as one string, separated by commas or any line breaks", async () => {
    const add = "9000002\r\n9000003\r9000004\n9000005,9000006";
    expect((await world.ask(`POST /${id}/items`, { body: { add } })).json["added"]).toBe(5);
    const bad = await world.ask(`POST /${id}/items`, { body: { add: "9000002\r\nx" } });
    expect(bad.json["error"]).toMatchObject({ param: "add[1]" });
  });
});

describe("labels and metadata of items", () => {
  const add = (...items: readonly unknown[]) =>
    world.ask(`POST /${id}/items`, { body: { add: items } });
  const item = async (itemId: string) => {
    const one = await world.ask(`GET /${id}/items/${itemId}`);
    const listed = await world.ask(`GET /${id}/items`, { query: { limit: "1000" } });
    const data = listed.json["data"] as { id: string }[];
    expect(data.find((other) => other.id === itemId)).toEqual(one.json);
    return one.json;
  };

  it("are set by POST /v1/watchlists/{id}/items for new items and for items that are already on the watchlist", async () => {
    const metadata = { target_price: 89.9, team: "toys", is_urgent: true };
    const { json } = await add(
      "9000001",
      { id: "9000000", label: "  Kettle  " },
      { id: "9000002", metadata },
    );
    expect(json).toMatchObject({ added: 1, updated: 1, unchanged: 1 });
    expect(await item("9000000")).toMatchObject({ label: "Kettle", metadata: {} });
    expect(await item("9000001")).toMatchObject({ label: null, metadata: {} });
    expect(await item("9000002")).toMatchObject({ label: null, metadata });
  });

  it("are kept when a call adds the item again without them, and removed when a call sets them to null", async () => {
    await add({ id: "9000000", label: "Kettle", metadata: { a: 1, b: 2 } });
    expect((await add("9000000")).json).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await item("9000000")).toMatchObject({ label: "Kettle", metadata: { a: 1, b: 2 } });
    expect((await add({ id: "9000000", metadata: { b: 3 } })).json).toMatchObject({ updated: 1 });
    expect(await item("9000000")).toMatchObject({ label: "Kettle", metadata: { b: 3 } });
    expect((await add({ id: "9000000", metadata: { b: 3 } })).json).toMatchObject({ updated: 0 });
    await add({ id: "9000000", label: null });
    expect(await item("9000000")).toMatchObject({ label: null, metadata: { b: 3 } });
    await add({ id: "9000000", metadata: null });
    expect(await item("9000000")).toMatchObject({ label: null, metadata: {} });
  });

  it("are empty for an item that was removed and added again", async () => {
    await add({ id: "9000000", label: "Kettle" });
    await world.ask(`POST /${id}/items`, { body: { remove: ["9000000"] } });
    await add("9000000");
    expect(await item("9000000")).toMatchObject({ label: null });
    await add({ id: "9000000", label: "Kettle" });
    await world.ask(`POST /${id}/items`, { body: { add: ["9000000"], remove: ["9000000"] } });
    expect(await item("9000000")).toMatchObject({ label: null });
  });

  it("are set to the last label and the last metadata if a call contains an ID twice", async () => {
    const answer = await add(
      { id: "9000000", label: "First", metadata: { a: 1 } },
      { id: " 9000000 ", label: "Second" },
    );
    expect(answer.json).toMatchObject({ updated: 1, unchanged: 0 });
    expect(await item("9000000")).toMatchObject({ label: "Second", metadata: { a: 1 } });
  });

  const long = "x".repeat(201);
  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`key_${n}`, n]));
  const wide = Object.fromEntries(
    Array.from({ length: 5 }, (_, n) => [`k${n}`, "\u{1F600}".repeat(200)]),
  );
  it.each([
    [{ label: "x" }, "add[1].id", "required"],
    [{ id: 5 }, "add[1].id", "must be a string"],
    [{ id: "12" }, "add[1].id", "must be a SKU"],
    [{ id: "9000001", label: "" }, "add[1].label", "empty"],
    [{ id: "9000001", label: 5 }, "add[1].label", "must be a string, or null"],
    [{ id: "9000001", label: "x".repeat(101) }, "add[1].label", "at most 100 characters"],
    [{ id: "9000001", label: "a\u0007b" }, "add[1].label", "control characters"],
    [{ id: "9000001", metadata: [] }, "add[1].metadata", "must be an object"],
    [
      { id: "9000001", metadata: { target_price: null } },
      "add[1].metadata.target_price",
      "must be a string, a number",
    ],
    [
      { id: "9000001", metadata: { target_price: {} } },
      "add[1].metadata.target_price",
      "must be a string, a number",
    ],
    [{ id: "9000001", metadata: { a: long } }, "add[1].metadata.a", "at most 200 characters"],
    [{ id: "9000001", metadata: { a: "\n" } }, "add[1].metadata.a", "control characters"],
    [{ id: "9000001", metadata: { Target: 1 } }, "add[1].metadata.Target", 'The key "Target"'],
    [{ id: "9000001", metadata: { "a b": 1 } }, "add[1].metadata", 'The key "a b"'],
    [{ id: "9000001", label: "a\u202eb" }, "add[1].label", "direction of writing"],
    [{ id: "9000001", metadata: eleven }, "add[1].metadata", "at most 10 keys"],
    [{ id: "9000001", metadata: wide }, "add[1].metadata", "3000 bytes"],
    [{ id: "9000001", labels: "x" }, "add[1].labels", "Did you mean 'label'?"],
    [["9000001"], "add[1]", "'add[1]' must be a string or an object"],
  ])(
    "are refused by POST /v1/watchlists/{id}/items for the entry %j, and the error names the invalid part",
    async (bad, param, part) => {
      const { status, json } = await add({ id: "9000000", label: "Kettle" }, bad);
      expect([status, json["error"]]).toMatchObject([
        400,
        { param, message: expect.stringContaining(part) },
      ]);
      expect(await item("9000000")).toMatchObject({ label: null });
    },
  );

  it("accept metadata keys that are names of JavaScript object members", async () => {
    const metadata = { constructor: "x", prototype: 1, to_string: true };
    await add({ id: "9000000", metadata });
    expect((await item("9000000"))["metadata"]).toEqual(metadata);
  });
});

describe("a call that sets the labels of items", () => {
  const items = [
    { id: "9000000", label: "Kettle" },
    { id: "9000002", label: "Toaster" },
    "9000003",
  ];
  const labels = async (): Promise<unknown[]> => {
    const { json } = await world.ask(`GET /${id}/items`);
    return (json["data"] as { label: unknown }[]).map(({ label }) => label);
  };

  it.each(
    [1, 2, 3, 4, 5, 6].flatMap((call) => [
      { call, when: "before" as const },
      { call, when: "after" as const },
    ]),
  )(
    "sets all labels when it is repeated after its process died $when external call number $call",
    async (point) => {
      const change = { add: items, remove: ["9000001"] };
      await world.process(point).ask(`POST /${id}/items`, { body: change });
      const again = await world.ask(`POST /${id}/items`, { body: change });
      expect(again.status).toBe(200);
      expect(await labels()).toEqual(["Kettle", "Toaster", null]);
    },
  );
});
