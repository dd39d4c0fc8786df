import { beforeEach, describe, expect, it } from "vitest";
import type { HistoryPoint, HistorySpan, RunSegment } from "../../shared/history/history.ts";
import type { HistoryOwner, HistoryStore, RunsQuery } from "../../shared/history/history-store.ts";
import { runsOf } from "../../shared/history/window.ts";
import type { fixedClock } from "../support/clock.ts";

/** Watchlists and a store of their history. */
export interface HistoryWorld {
  readonly store: HistoryStore;
  /** The clock of the store, which begins at `start`. */
  readonly clock: ReturnType<typeof fixedClock>;
  /** Creates a watchlist. */
  create(): Promise<HistoryOwner>;
  /** Deletes a watchlist and purges its rows. */
  remove(list: HistoryOwner): Promise<void>;
}

/** The time that each clock shows at the start of a test. */
const start = Date.parse("2026-03-01T00:00:00.000Z");
const hour = (n: number): string => new Date(start + n * 3_600_000).toISOString();
const always: HistorySpan = { since: hour(-1), until: hour(100_000) };
const never = (): boolean => false;

/** Returns the history point of a price that run `n` read at hour `n`. */
const price = (id: string, n: number, before?: number): HistoryPoint => ({
  id,
  at: hour(n),
  step: "check",
  status: "ok",
  values: { price: before === undefined ? { after: n } : { before, after: n } },
});
/** Returns the segment of a run. Run n ended n hours after `start`. */
const segment = (runNumber: number, points: readonly HistoryPoint[] = []): RunSegment => ({
  runNumber,
  endedAt: hour(runNumber),
  points,
});
const withoutId = (runNumber: number, { id: _id, ...point }: HistoryPoint) => ({
  runNumber,
  ...point,
});

/** Registers the tests that every history store must pass. `open` is called before each test. */
export function historyStoreContract(name: string, open: () => Promise<HistoryWorld>): void {
  let world: HistoryWorld;
  let store: HistoryStore;
  let list: HistoryOwner;
  let watchlistId: string;
  beforeEach(async () => {
    world = await open();
    store = world.store;
    list = await world.create();
    watchlistId = list.watchlistId;
  });

  const numbersOf = async (query: Partial<RunsQuery> = {}): Promise<number[]> => {
    const wanted: RunsQuery = { watchlistId, order: "oldest_first", ...always, ...query };
    const runs = await Array.fromAsync(store.runs(wanted));
    return runs.map(({ runNumber }) => runNumber);
  };
  const itemOf = (itemId: string, span: HistorySpan = always) =>
    store.item({ watchlistId, itemId, ...span });
  const appendRuns = async (numbers: Iterable<number>): Promise<void> => {
    for (const n of numbers) await store.append(list, segment(n, [price("10001", n)]));
  };
  const mergeRequest = (window: number, absent: readonly number[] = []) => ({
    window,
    absent: new Set(absent),
    isOver: never,
  });

  describe(`runs recorded in ${name}`, () => {
    it("contain the same history points as when they were recorded", async () => {
      const points: HistoryPoint[] = [
        {
          id: "10001",
          at: "2026-03-01T01:02:03.004Z",
          step: "check",
          status: "ok",
          values: {
            price: { before: 10.5, after: null },
            state: { before: null, after: 'Ä\t"\n' },
            inStock: { after: true },
          },
        },
        { id: "10001", at: hour(1), step: "detail", status: "deferred", values: {} },
        { id: "10002", at: hour(1), step: "check", status: "not_found", values: {} },
      ];
      expect(await store.append(list, segment(1, points))).toBe("appended");

      const runs = store.runs({ watchlistId, order: "newest_first", ...always });
      expect(await Array.fromAsync(runs)).toEqual([segment(1, points)]);
      const [first, second] = points as [HistoryPoint, HistoryPoint];
      expect(await itemOf("10001")).toEqual([withoutId(1, first), withoutId(1, second)]);
    });

    it("are returned for several watchlists in one request, with their history points in the requested time span", async () => {
      await store.append(list, segment(1, [price("10001", 1), price("10002", 5)]));
      await store.append(list, segment(2, [price("10001", 2)]));
      const span = { since: hour(1), until: hour(4) };

      const found = await store.runsAt(
        [
          { watchlistId, runNumber: 1 },
          { watchlistId: "wl_other", runNumber: 1 },
        ],
        span,
      );
      expect([...found]).toEqual([[watchlistId, segment(1, [price("10001", 1)])]]);
      expect(await store.runsAt([{ watchlistId, runNumber: 3 }], span)).toEqual(new Map());
      expect(await store.runsAt([], span)).toEqual(new Map());
    });

    it("are stored exactly once if the same run is recorded twice", async () => {
      await appendRuns([1, 1]);

      expect(await numbersOf()).toEqual([1]);
      expect(await itemOf("10001")).toEqual([withoutId(1, price("10001", 1))]);
    });

    it("are stored even if they have no history points", async () => {
      await store.append(list, segment(1));

      expect(await store.isRecorded(watchlistId, 1)).toBe(true);
      expect(await store.isRecorded(watchlistId, 2)).toBe(false);
      expect(await numbersOf()).toEqual([]);
    });

    it("are listed from a given run number on, in ascending or descending order", async () => {
      await appendRuns([3, 1, 4, 2]);

      expect(await numbersOf()).toEqual([1, 2, 3, 4]);
      expect(await numbersOf({ order: "newest_first" })).toEqual([4, 3, 2, 1]);
      expect(await numbersOf({ from: 3 })).toEqual([3, 4]);
      expect(await numbersOf({ order: "newest_first", from: 3 })).toEqual([3, 2, 1]);
    });

    it("are listed with their history points in the requested time span, both ends included", async () => {
      // The run numbers are 40 apart, so that the runs are in several windows. The span excludes
      // one point of run 121 (an hour before its end), and all runs before 121 and after 201.
      const numbers = Array.from({ length: 12 }, (_, n) => n * 40 + 1);
      for (const n of numbers) {
        await store.append(list, segment(n, [price("10001", n), price("10002", n - 1)]));
      }
      const span = { since: hour(121), until: hour(201) };

      for (const order of ["oldest_first", "newest_first"] as const) {
        const runs = await Array.fromAsync(store.runs({ watchlistId, order, ...span }));
        const found = runs.map(({ runNumber, points }) => [runNumber, points.map(({ id }) => id)]);
        const inOrder = [
          [121, ["10001"]],
          [161, ["10001", "10002"]],
          [201, ["10001", "10002"]],
        ];
        expect(found).toEqual(order === "oldest_first" ? inOrder : inOrder.toReversed());
      }
    });

    it("are returned with the history points of one item in the requested time span, both ends included", async () => {
      await appendRuns([1, 2, 3, 4]);

      const found = await itemOf("10001", { since: hour(2), until: hour(3) });
      expect(found.map(({ runNumber }) => runNumber)).toEqual([2, 3]);
    });

    it("are returned without the history points of an item whose ID merely contains the requested ID", async () => {
      const ids = ["1000", "10001", "100010", "210001"];
      await store.append(
        list,
        segment(
          1,
          ids.map((id) => price(id, 1)),
        ),
      );

      for (const id of ids) expect(await itemOf(id)).toHaveLength(1);
      expect(await itemOf("0001")).toEqual([]);
    });

    it("are returned until they are 400 days old", async () => {
      await appendRuns([1, 2, 3]);
      world.clock.advance((400 * 24 + 2) * 3_600_000);

      expect(await numbersOf()).toEqual([2, 3]);
      expect((await itemOf("10001")).map(({ runNumber }) => runNumber)).toEqual([2, 3]);
    });

    it("are returned only for their own watchlist", async () => {
      const other = await world.create();
      await store.append(other, segment(1, [price("10001", 1)]));

      expect(await numbersOf()).toEqual([]);
      expect(await itemOf("10001")).toEqual([]);
    });
  });

  describe(`the merge of the history points of a window of runs in ${name}`, () => {
    it("does not change the history points that a reader gets, and increases the number of merged windows", async () => {
      const ids = Array.from({ length: 40 }, (_, n) => String(10_000 + n));
      for (const n of [...runsOf(1), 65, 66]) {
        const points = ids.filter((_, at) => at % 3 !== n % 3).map((id) => price(id, n, n - 1));
        await store.append(list, segment(n, points));
      }
      const before = await Promise.all(ids.map((id) => itemOf(id)));
      const runs = await numbersOf();
      expect(await store.mergedWindows(watchlistId)).toBe(0);

      expect(await store.merge(list, mergeRequest(1))).toEqual({ outcome: "merged" });
      expect(await store.mergedWindows(watchlistId)).toBe(1);
      expect(await Promise.all(ids.map((id) => itemOf(id)))).toEqual(before);
      expect(await numbersOf()).toEqual(runs);

      expect(await store.merge(list, mergeRequest(1))).toEqual({ outcome: "merged" });
      expect(await Promise.all(ids.map((id) => itemOf(id)))).toEqual(before);
    });

    it("is refused if a run of the window is neither stored nor named as absent in the request", async () => {
      await appendRuns(runsOf(1).filter((n) => n !== 7 && n !== 20));

      const refused = { outcome: "missing", runs: [7, 20] };
      expect(await store.merge(list, mergeRequest(1))).toEqual(refused);
      expect(await store.merge(list, mergeRequest(1, [7]))).toEqual({
        outcome: "missing",
        runs: [20],
      });
      expect(await store.mergedWindows(watchlistId)).toBe(0);

      expect(await store.merge(list, mergeRequest(1, [7, 20]))).toEqual({ outcome: "merged" });
      expect(await itemOf("10001")).toHaveLength(62);
    });

    it("can be followed by the merge of the next window", async () => {
      await appendRuns([...runsOf(1), ...runsOf(2)]);
      await store.merge(list, mergeRequest(1));
      await store.merge(list, mergeRequest(2));

      expect(await store.mergedWindows(watchlistId)).toBe(2);
      const found = await itemOf("10001");
      expect(found.map(({ runNumber }) => runNumber)).toEqual([...runsOf(1), ...runsOf(2)]);
    });

    it("stops at its time limit and is completed by a later call", async () => {
      await appendRuns(runsOf(1));
      const isOver = (): boolean => true;

      expect(await store.merge(list, { ...mergeRequest(1), isOver })).toEqual({
        outcome: "unfinished",
      });
      expect(await store.mergedWindows(watchlistId)).toBe(0);
      expect(await store.merge(list, mergeRequest(1))).toEqual({ outcome: "merged" });
      expect(await itemOf("10001")).toHaveLength(64);
    });
  });

  describe(`a deleted watchlist in ${name}`, () => {
    it("has no history, and refuses runs and merges from a process that continues after the deletion", async () => {
      await appendRuns(runsOf(1));
      await world.remove(list);

      expect(await store.append(list, segment(65, [price("10001", 65)]))).toBe("watchlist_deleted");
      const merged = await store.merge(list, mergeRequest(1, runsOf(1)));
      expect(merged).toEqual({ outcome: "watchlist_deleted" });
      expect(await numbersOf()).toEqual([]);
      expect(await itemOf("10001")).toEqual([]);
      expect(await store.mergedWindows(watchlistId)).toBe(0);
    });
  });
}
