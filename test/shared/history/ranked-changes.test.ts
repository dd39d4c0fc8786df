import { describe, expect, it } from "vitest";
import type { ChangesQuery } from "../../../shared/history/changes-query.ts";
import type { HistoryPoint, ItemPoint, RunSegment } from "../../../shared/history/history.ts";
import { rankedChanges } from "../../../shared/history/ranked-changes.ts";

const dayOf = (run: number): string => `2026-03-0${run}T00:00:00.000Z`;

const point = (id: string, run: number, values: HistoryPoint["values"]): HistoryPoint => ({
  id,
  at: dayOf(run),
  step: "check",
  status: "ok",
  values,
});
const lost = (id: string, run: number): HistoryPoint => ({
  ...point(id, run, {}),
  status: "not_found",
});
const price = (before: number | null, after: number | null): HistoryPoint["values"] => ({
  price: { before, after },
});

/** Returns the history of a watchlist that runs once a day. A run has all points of its day. */
function historyOf(points: readonly HistoryPoint[], earlier: readonly ItemPoint[] = []) {
  const runs = [...Map.groupBy(points, ({ at }) => at)]
    .map(([at, own]): RunSegment => ({
      runNumber: Number(at.slice(8, 10)),
      endedAt: at,
      points: own,
    }))
    .toSorted((a, b) => b.runNumber - a.runNumber);
  return {
    item: async ({ itemId }: { readonly itemId: string }) => [
      ...earlier,
      ...runs
        .toReversed()
        .flatMap(({ runNumber, points: own }) =>
          own
            .filter(({ id }) => id === itemId)
            .map(({ at, step, status, values }) => ({ at, step, status, values, runNumber })),
        ),
    ],
    runsAt: async () => new Map(),
    async *runs() {
      yield* runs;
    },
  };
}

const query: ChangesQuery = {
  watchlistIds: ["wl_a"],
  newestRuns: new Map(),
  span: { since: dayOf(1), until: dayOf(9) },
  keptSince: "2025-03-01T00:00:00.000Z",
  sort: "time",
  compare: "period",
  limit: 10,
  startingAfter: undefined,
};

const shown = async (
  points: readonly HistoryPoint[],
  part: Partial<ChangesQuery> = {},
  earlier: readonly ItemPoint[] = [],
) => {
  const { changes } = await rankedChanges({ ...query, ...part }, historyOf(points, earlier));
  return changes.map(({ itemId, field, before, after, lastKnown, delta, kind, at }) => ({
    itemId,
    field,
    before,
    after,
    lastKnown,
    delta,
    kind,
    at,
  }));
};

describe("the net changes of a period", () => {
  it("compare the value before the period with the value at the end of the period, in one entry per item", async () => {
    const points = [
      point("1", 2, price(100, 90)),
      point("1", 3, price(90, 95)),
      point("2", 3, price(50, 60)),
      point("2", 4, price(60, 50)),
    ];
    expect(await shown(points)).toEqual([
      {
        itemId: "1",
        field: "price",
        before: 100,
        after: 95,
        lastKnown: 100,
        delta: -5,
        kind: "price_drop",
        at: dayOf(3),
      },
    ]);
  });

  it("are filtered by the percentage of the net change, not by the percentages of the single changes", async () => {
    const points = [
      point("1", 2, price(100, 97)),
      point("1", 3, price(97, 94)),
      point("2", 2, price(100, 90)),
      point("2", 3, price(90, 99)),
    ];
    const drops = await shown(points, { kind: "price_drop", minDeltaPercent: 5 });
    expect(drops.map(({ itemId, delta }) => [itemId, delta])).toEqual([["1", -6]]);
    const single = await rankedChanges(
      { ...query, compare: "reads", sort: "size", kind: "price_drop", minDeltaPercent: 5 },
      historyOf(points),
    );
    expect(single.changes.map(({ itemId }) => itemId)).toEqual(["2"]);
  });

  it("show only the last stock change of an item, such as 'back_in_stock' after the item was sold out", async () => {
    const stock = (before: boolean) => ({ inStock: { before, after: !before } });
    const points = [
      point("1", 2, stock(true)),
      point("1", 3, stock(false)),
      point("2", 2, stock(false)),
      point("2", 3, stock(true)),
    ];
    const changes = await shown(points);
    expect(changes.map(({ itemId, kind }) => [itemId, kind])).toEqual([
      ["1", "back_in_stock"],
      ["2", "sold_out"],
    ]);
  });

  it("compare a price after a gap with the last known price before the period", async () => {
    const earlier: ItemPoint = {
      runNumber: 0,
      at: "2026-02-20T00:00:00.000Z",
      step: "check",
      status: "ok",
      values: price(80, null),
    };
    const [change] = await shown(
      [point("1", 2, price(null, 60)), point("1", 3, price(60, 70))],
      {},
      [earlier],
    );
    expect(change).toMatchObject({ before: null, lastKnown: 80, after: 70, delta: -10 });
  });

  it("compare an item that was added in the period with its first price", async () => {
    const points = [point("1", 2, { price: { after: 20 } }), point("1", 3, price(20, 15))];
    expect(await shown(points)).toMatchObject([{ before: 20, after: 15, delta: -5 }]);
  });

  it("list an item as delisted only if no later read found the item, and otherwise ignore the values before the delisting", async () => {
    const points = [
      point("1", 2, price(10, 12)),
      lost("1", 3),
      point("1", 4, { price: { after: 30 } }),
      point("1", 5, price(30, 33)),
      point("2", 2, price(10, 12)),
      lost("2", 3),
    ];
    expect(await shown(points)).toMatchObject([
      { itemId: "1", field: "price", before: 30, after: 33 },
      { itemId: "2", kind: "delisted", before: false, after: true },
    ]);
  });

  it("continue on the next page, and refuse the cursor of a list in another sort order", async () => {
    const points = ["1", "2", "3"].map((id, n) => point(id, 2, price(100, 90 - n)));
    const history = historyOf(points);
    const first = await rankedChanges({ ...query, sort: "amount", limit: 2 }, history);
    expect(first.changes.map(({ itemId }) => itemId)).toEqual(["3", "2"]);
    const next = { ...query, limit: 2, startingAfter: first.next ?? undefined };
    const second = await rankedChanges({ ...next, sort: "amount" }, history);
    expect(second).toMatchObject({ changes: [{ itemId: "1" }], next: null });
    await expect(rankedChanges({ ...next, sort: "size" }, history)).rejects.toThrow(
      /same 'sort' and 'compare'/,
    );
    await expect(
      rankedChanges({ ...next, sort: "amount", compare: "reads" }, history),
    ).rejects.toThrow(/same 'sort' and 'compare'/);
  });
});
