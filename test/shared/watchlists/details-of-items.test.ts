import { describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { detailsOfItems } from "../../../shared/watchlists/details-of-items.ts";
import type { ItemDetails } from "../../../shared/watchlists/item-details.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";

describe("the details of some items of a watchlist", () => {
  it.each([
    ["one part if the watchlist is small", 3, [["10001", "10002", "10003", "10004"]]],
    [
      "as many parts as the watchlist has pages",
      limits.pageItemsMax + 1,
      [
        ["10001", "10002"],
        ["10003", "10004"],
      ],
    ],
  ])("are read in ID order and without repeated IDs, in %s", async (_name, count, parts) => {
    const read: (readonly string[])[] = [];
    const detailed = (id: string): ItemDetails => ({
      id,
      addedAt: "2026-03-01T00:00:00.000Z",
      label: `Label ${id}`,
      metadata: {},
      facts: {},
      readAt: null,
    });
    const found = await detailsOfItems(
      aWatchlist({ itemCounts: { new: count, active: 0, delisted: 0 } }),
      ["10003", "10001", "10004", "10002", "10003"],
      {
        async detailsOf(_watchlistId, ids) {
          read.push(ids);
          return ids.filter((id) => id !== "10004").map(detailed);
        },
      },
    );
    expect(read).toEqual(parts);
    expect([...found.keys()].toSorted()).toEqual(["10001", "10002", "10003"]);
  });
});
