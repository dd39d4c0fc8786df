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
  it("returns how many IDs were added, removed, unchanged and missing, and the watchlist's new counts", async () => {
    const { status, json } = await world.ask(`POST /${id}/${path}`, { body });
    expect(status).toBe(200);
    const counts = { new: 2, active: 0, delisted: 0 };
    expect(json).toEqual({
      object,
      watchlist_id: id,
      added: 1,
      reactivated: 0,
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

  it("refuses the whole change for one invalid ID, and names it", async () => {
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
  ] as const)("refuses a caller that is a %s with %d", async (as, status, code) => {
    const answer = await world.ask(`POST /${id}/${path}`, { body, as });
    expect([answer.status, answer.json["error"]]).toMatchObject([status, { code }]);
  });
});

describe("GET /v1/watchlists/{id}/items", () => {
  const after = async (list: string, start: string) =>
    world.ask(`GET /${list}/items`, { query: { starting_after: start } });

  it("starts after an ID in any accepted spelling, even if the ID is not on the watchlist", async () => {
    const asins = `wl_${"1".repeat(24)}`;
    await putWatchlist(
      { client: world.client, ...world.options },
      aWatchlist({ id: asins, accountId: "acct_1", platform: "retailer_a" }),
      ["B0SANDBOX0", "B0SANDBOX1"].map((item) => newItem(item, createdAt)),
    );

    expect((await after(asins, " b0sandbox0 ")).json["data"]).toMatchObject([{ id: "B0SANDBOX1" }]);
    expect((await after(id, "80000")).json["data"]).toMatchObject([{ id: "9000000" }, {}]);
  });

  it.each(["", "x", "12", "9".repeat(33)])("refuses the starting_after %j", async (start) => {
    const answer = await after(id, start);
    expect([answer.status, answer.json["error"]]).toMatchObject([400, { param: "starting_after" }]);
  });

  it.each([
    "2026-02-30T00:00:00Z",
    "2026-02-29",
    "2026-13-01",
    "9000-01-01",
    "9999-12-31T23:59:59Z",
    "2026-01-01T00:00:00 02:00",
  ])("refuses changed_since %s", async (time) => {
    const answer = await world.ask(`GET /${id}/items`, { query: { changed_since: time } });
    expect([answer.status, answer.json["error"]]).toMatchObject([400, { param: "changed_since" }]);
    expect(answer.text).toContain("%2B");
  });

  it.each(["2028-02-29", "2026-01-01T00:00:00+14:00", "8999-12-31T23:59:59Z"])(
    "accepts changed_since %s",
    async (time) => {
      const answer = await world.ask(`GET /${id}/items`, { query: { changed_since: time } });
      expect(answer.status).toBe(200);
    },
  );
});

describe("the item IDs of a change", () => {
  it.each(["add", "remove"])(
    "are refused in %s with their index if they are not strings",
    async (param) => {
      const answer = await world.ask(`POST /${id}/items`, {
        body: { [param]: ["9000002", 9000003] },
      });
      expect([answer.status, answer.json["error"]]).toMatchObject([
        400,
        { param, message: `'${param}[1]' must be a string. Put IDs in quotes.` },
      ]);
    },
  );

  it("may be one string, with line ends of any kind between them", async () => {
    const add = "9000002\r\n9000003\r9000004\n9000005,9000006";
    expect((await world.ask(`POST /${id}/items`, { body: { add } })).json["added"]).toBe(5);
    const bad = await world.ask(`POST /${id}/items`, { body: { add: "9000002\r\nx" } });
    expect(bad.json["error"]).toMatchObject({ param: "add[1]" });
  });
});
