import { beforeEach, describe, expect, it } from "vitest";
import type { Platform } from "../../../shared/platforms/catalog.ts";
import { findItem } from "../../../shared/watchlists/find-item.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import type { PageStore } from "../../../shared/watchlists/page-store.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const addedAt = "2026-03-01T00:00:00.000Z";
const listId = `wl_${"1".repeat(24)}`;
const changed: Partial<Item> = {
  state: "active",
  firstReadAt: addedAt,
  snapshotAt: addedAt,
  lastChange: {
    changedAt: addedAt,
    runId: "wlrun_1",
    runNumber: 3,
    step: "check",
    scraper: "retailer_d.standard",
    changes: { price: { before: 1, after: 2 } },
  },
};

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

async function putItems(platform: Platform, items: readonly Item[]): Promise<void> {
  const list = aWatchlist({ id: listId, platform });
  await putWatchlist({ client: world.client, ...world.options }, list, items);
}
const ask = (itemId: string): Promise<Answered> =>
  world.ask(`GET /${listId}/items/${encodeURIComponent(itemId)}`);
const refusal = ({ status, json }: Answered): readonly unknown[] => {
  const { code, param } = json["error"] as Record<string, unknown>;
  return [status, code, param];
};

describe("GET /v1/watchlists/{id}/items/{item_id}", () => {
  it("returns the same item record as GET /v1/watchlists/{id}/items", async () => {
    await putItems("retailer_d", [
      newItem("9000000", addedAt),
      { ...newItem("9000001", addedAt), ...changed },
    ]);

    const { status, json } = await ask("9000001");

    const listed = await world.ask(`GET /${listId}/items`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: "9000001", state: "active" });
    expect(json).toEqual((listed.json["data"] as unknown[])[1]);
  });

  it.each([
    ["retailer_a", "B0SANDBOX0", ["b0sandbox0", " B0SANDBOX0 "]],
    ["retailer_c", "8000000", ["A-8000000", "a-8000000"]],
  ] as const)(
    "accepts every spelling of an item ID of the platform %s",
    async (platform, id, spellings) => {
      await putItems(platform, [newItem(id, addedAt)]);

      for (const spelling of spellings) {
        expect((await ask(spelling)).json["id"]).toBe(id);
      }
    },
  );

  it.each(["12", "900000x", "B0SANDBOX0", "../9000001", "9".repeat(300)])(
    "refuses the malformed ID %j with 400, and names 'item_id'",
    async (id) => {
      await putItems("retailer_d", [newItem("9000001", addedAt)]);

      expect(refusal(await ask(id))).toEqual([400, "INVALID_PARAM", "item_id"]);
    },
  );

  it("returns 404 for an ID that is not on the watchlist, and for another account's watchlist", async () => {
    await putItems("retailer_d", [newItem("9000001", addedAt)]);

    const stranger = await world.ask(`GET /${listId}/items/9000001`, { as: "stranger" });

    expect(refusal(await ask("9000002"))).toEqual([404, "NOT_FOUND", undefined]);
    expect(refusal(stranger)).toEqual([404, "NOT_FOUND", undefined]);
  });
});

describe("findItem, which reads an item of a watchlist,", () => {
  it("reads only one stored page of a watchlist with many pages", async () => {
    const ids = Array.from({ length: 2_500 }, (_, n) => String(9_000_000 + n));
    await putItems(
      "retailer_d",
      ids.map((id) => newItem(id, addedAt)),
    );
    let read = 0;
    const counting: Pick<PageStore, "pages"> = {
      async *pages(...wanted) {
        for await (const page of world.pages.pages(...wanted)) {
          read += 1;
          yield page;
        }
      },
    };

    const found = [];
    for (const id of ["9000000", "9001700", "9002499"]) {
      found.push((await findItem(listId, id, counting))?.id);
    }

    expect(found).toEqual(["9000000", "9001700", "9002499"]);
    expect(read).toBe(3);
  });
});
