import { describe, expect, it } from "vitest";
import type { RunSegment } from "../../../shared/history/history.ts";
import type { ChangesQuery } from "../../../shared/history/changes-query.ts";
import { listChanges } from "../../../shared/history/list-changes.ts";

const at = "2026-03-01T00:00:00.000Z";
const lists = ["wl_a", "wl_b", "wl_c"];

/** A run in which the price of each item rose by 10 %. */
const run: RunSegment = {
  runNumber: 2,
  endedAt: at,
  points: ["10001", "10002"].map((id) => ({
    id,
    at,
    step: "check",
    status: "ok",
    values: { price: { before: 10, after: 11 } },
  })),
};

const query: ChangesQuery = {
  watchlistIds: lists,
  newestRuns: new Map(),
  span: { since: "2026-02-01T00:00:00.000Z", until: "2026-03-02T00:00:00.000Z" },
  keptSince: "2025-03-01T00:00:00.000Z",
  sort: "size",
  compare: "reads",
  limit: 4,
  startingAfter: undefined,
};

describe("the changes of several watchlists, sorted by size,", () => {
  it("are each on exactly one page if their sizes are equal, whichever watchlist is read first", async () => {
    const pageWith = async (slowest: string, startingAfter: string | undefined) =>
      listChanges(
        { ...query, startingAfter },
        {
          item: async () => [],
          runsAt: async () => new Map(),
          async *runs({ watchlistId }) {
            const turns = watchlistId === slowest ? 50 : 0;
            for (let n = 0; n < turns; n += 1) await Promise.resolve();
            yield run;
          },
        },
      );
    const first = await pageWith("wl_a", undefined);
    const second = await pageWith("wl_c", first.next ?? undefined);

    const listed = [...first.changes, ...second.changes].map(
      ({ watchlistId, itemId }) => `${watchlistId} ${itemId}`,
    );
    expect(listed).toEqual(lists.flatMap((list) => [`${list} 10001`, `${list} 10002`]));
    expect(second.next).toBe(null);
  });

  it("begin with the largest change if the time span has many changes", async () => {
    const points = Array.from({ length: 3_000 }, (_, n) => ({
      id: String(10_000 + n),
      at,
      step: "check",
      status: "ok" as const,
      values: { price: { before: 100, after: 101 + ((n * 7_919) % 3_000) } },
    }));
    const { changes } = await listChanges(query, {
      item: async () => [],
      runsAt: async () => new Map(),
      async *runs() {
        yield { ...run, points };
      },
    });
    expect(changes.map(({ delta }) => delta)).toEqual([3_000, 3_000, 3_000, 2_999]);
  });
});
