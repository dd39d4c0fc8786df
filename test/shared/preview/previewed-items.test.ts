import { describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { findPreviewItems } from "../../../shared/preview/previewed-items.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { toColumns } from "../../../shared/watchlists/item-columns.ts";
import { countByState } from "../../../shared/watchlists/item-counts.ts";
import type { StoredPage } from "../../../shared/watchlists/page.ts";
import type { IdRange } from "../../../shared/watchlists/page-store.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";

const at = "2026-03-01T00:00:00.000Z";
const items = ["10001", "10002", "10003"].map((id) => newItem(id, at));
const page: StoredPage = {
  lowest: "",
  upper: null,
  version: 1,
  counts: countByState(items),
  maxChangedAt: null,
  heads: items,
  items,
  columns: toColumns(items),
  select: (isWanted) => items.filter(({ id }) => isWanted(id)),
  mayHaveId: () => true,
  bytes: 0,
  secondRow: null,
};

const watchlistOf = (count: number) =>
  aWatchlist({ itemCounts: { new: count, active: 0, delisted: 0 } });

describe("the items of a preview", () => {
  it.each([
    ["one range of a small watchlist", limits.pageItemsMax, [{ from: "10001", to: "10003" }]],
    [
      "a range for each ID of a watchlist with many pages",
      limits.pageItemsMax + 1,
      [
        { from: "10001", to: "10001" },
        { from: "10003", to: "10003" },
      ],
    ],
  ])("are read by ranges of item IDs: in %s", async (_name, count, ranges) => {
    const read: (IdRange | undefined)[] = [];
    const pages = {
      async *pages(_id: string, range?: IdRange) {
        read.push(range);
        yield page;
      },
    };
    const watchlist = watchlistOf(count);
    const found = await findPreviewItems(watchlist, ["10001", "10003"], pages);

    expect(found.map(({ id }) => id)).toEqual(["10001", "10003"]);
    expect(read).toEqual(ranges);
  });

  it("cause 409 if other calls have removed all of the items", async () => {
    const pages = {
      async *pages() {
        yield { ...page, items: [] };
      },
    };
    await expect(findPreviewItems(watchlistOf(1), undefined, pages)).rejects.toMatchObject({
      status: 409,
    });
  });
});
