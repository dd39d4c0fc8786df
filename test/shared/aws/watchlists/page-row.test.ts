import { describe, expect, it } from "vitest";
import type { Row } from "../../../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import {
  itemPageRow,
  itemPagesOf,
  lastItemPageOf,
  lowestOf,
  itemPageSecondRow,
} from "../../../../shared/aws/watchlists/page-row.ts";
import { type Item, newItem } from "../../../../shared/watchlists/item.ts";
import { encodeItems } from "../../../../shared/watchlists/page-codec.ts";
import { cutPages } from "../../../../shared/watchlists/page.ts";

const list = "wl_1";
const before = ["10001", "10002"].map((id) => newItem(id, "2026-02-01T00:00:00.000Z"));
const after = before.map((item): Item => ({ ...item, revision: 5 }));
const unbounded = { itemsMax: 1_000, bytesMax: 100_000 };

/** Returns the row of a page that begins with the ID `lowest`. */
function pageRow(lowest: string, version: number, hasSecondRow = true): Row {
  const [page] = cutPages({ lowest, upper: null }, before, unbounded);
  if (page === undefined) throw new Error("The items have no page");
  return itemPageRow(list, page, { version, hasSecondRow });
}

/** Returns the row with the changed second item of a page. */
const secondRow = (lowest: string, version: number, pageVersion: number): Row =>
  itemPageSecondRow(
    list,
    {
      lowest,
      maxChangedAt: "2026-03-01T00:00:00.000Z",
      encoded: encodeItems(after.slice(1)),
      pageVersion,
    },
    version,
  );

const shown = (rows: readonly Row[]) =>
  itemPagesOf(rows).map(({ lowest, version, items }) => ({
    lowest,
    version,
    revisions: items.map(({ revision }) => revision),
  }));

describe("the rows of a watchlist's pages of items", () => {
  it("are pages in which the changed items replace the items of the page", () => {
    const rows = [pageRow("", 3), secondRow("", 7, 3), pageRow("20000", 4, false)];

    expect(shown(rows)).toEqual([
      { lowest: "", version: 7, revisions: [0, 5] },
      { lowest: "20000", version: 4, revisions: [0, 0] },
    ]);
    const [page] = itemPagesOf(rows);
    expect(page?.maxChangedAt).toBe("2026-03-01T00:00:00.000Z");
    expect(page?.heads).toEqual(before.map(({ id, state, owes }) => ({ id, state, owes })));
    expect(page?.select((id) => id === "10002")).toEqual([after[1]]);
    expect(page?.secondRow).toMatchObject({ items: [after[1]], pageVersion: 3 });
  });

  it.each([
    ["lacks its second row", [pageRow("", 3)]],
    ["is older than its second row", [pageRow("", 3), secondRow("", 8, 8)]],
    ["lacks its own row", [secondRow("", 7, 3)]],
    ["is followed by the second row of another page", [pageRow("", 3), secondRow("2", 7, 3)]],
  ])("end before the first page that %s", (_, incomplete) => {
    const complete = pageRow("05000", 1, false);

    expect(shown(incomplete)).toEqual([]);
    expect(shown([...incomplete, complete])).toEqual([]);
    expect(shown([complete, ...incomplete])).toHaveLength(1);
  });

  it("ignore changed items that the page already includes", () => {
    expect(shown([pageRow("", 9), secondRow("", 7, 3)])).toEqual([
      { lowest: "", version: 9, revisions: [0, 0] },
    ]);
  });

  it("ignore changed items if the page has no second row any more", () => {
    expect(shown([pageRow("", 9, false), secondRow("", 7, 3)])).toEqual([
      { lowest: "", version: 9, revisions: [0, 0] },
    ]);
  });
});

describe("the last page of items in a range", () => {
  it.each([
    ["the page with its changed items", [secondRow("", 7, 3), pageRow("", 3)], 7],
    ["the page without a second row", [pageRow("", 3, false)], 3],
  ])("is %s", (_, rows, version) => {
    expect(lastItemPageOf(rows)).toMatchObject({ lowest: "", version });
  });

  it.each([
    ["only its second row was read", [secondRow("", 7, 3)]],
    ["the previous row belongs to another page", [secondRow("2", 7, 3), pageRow("1", 3)]],
    ["its second row is missing", [pageRow("", 3)]],
  ])("is incomplete if %s", (_, rows) => {
    expect(lastItemPageOf(rows)).toBe("incomplete");
  });

  it.each([
    ["has no rows", []],
    ["has only rows of another kind", [{ ...watchlistKeys.detailsPage(list, ""), version: 1 }]],
  ])("does not exist if the range %s", (_, rows) => {
    expect(lastItemPageOf(rows)).toBeUndefined();
  });
});

it.each(["", "10001"])("both rows of a page state its lower bound %j", (lowest) => {
  expect([pageRow(lowest, 3), secondRow(lowest, 7, 3)].map(lowestOf)).toEqual([lowest, lowest]);
});

it("the second row of a page directly follows its own row", () => {
  const keys = ["", "1", "10001", "1000A", "2"].flatMap((lowest) => [
    watchlistKeys.page(list, lowest).sk,
    watchlistKeys.pageSecondRow(list, lowest).sk,
  ]);

  expect(keys.toSorted()).toEqual(keys);
});
