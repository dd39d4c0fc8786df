import type { HistoryPoint, RunSegment } from "../../../shared/history/history.ts";
import { compareIds } from "../../../shared/watchlists/id-order.ts";
import { seededGenerator } from "../../../tools/stand-ins/seeded.ts";

const itemsCount = 50_000;
/** Time of the first run, in milliseconds since 1970. */
export const startMs = Date.parse("2026-01-01T00:00:00.000Z");
const everyMs = 15 * 60_000;
/**
 * Milliseconds from the start of a run to its first read, from one batch to the next, and from the
 * start to the end.
 */
const [readMs, batchMs, endMs] = [2_000, 400, 30_000];
const batchItems = 1_000;
/** The share of the changes in which the item also goes into or out of stock, from 0 to 1. */
const stockShare = 0.2;

/** A watchlist of 50,000 items. Some of them change in each run. */
export interface HistoryLoad {
  /** Sorted item IDs. */
  readonly ids: readonly string[];
  /**
   * Returns the history segment of the next run.
   * @param of The positions in `ids` of the items whose points the segment contains.
   * @default all items
   */
  next(of?: readonly number[]): RunSegment;
}

/**
 * Creates a simulated watchlist of 50,000 items.
 * @param changedShare The share of the items that change in each run, from 0 to 1.
 */
export function historyLoad(changedShare: number): HistoryLoad {
  const draw = seededGenerator(15);
  const ids = scatteredIds(draw);
  const everyPosition = ids.map((_, n) => n);
  const prices = new Map<string, number>();
  const inStock = new Map<string, boolean>();
  let runNumber = 0;

  const change = (id: string, at: string): HistoryPoint => {
    const before = prices.get(id) ?? Math.round(500 + draw() * 20_000) / 100;
    const after = Math.round(before * (80 + draw() * 40)) / 100;
    prices.set(id, after);
    const price = { price: { before, after } };
    if (draw() >= stockShare) return { id, at, step: "check", status: "ok", values: price };
    const was = inStock.get(id) ?? true;
    inStock.set(id, !was);
    const values = { ...price, inStock: { before: was, after: !was } };
    return { id, at, step: "check", status: "ok", values };
  };
  return {
    ids,
    next(of = everyPosition) {
      runNumber += 1;
      const runMs = startMs + runNumber * everyMs;
      const points: HistoryPoint[] = [];
      for (const n of of) {
        if (draw() >= changedShare) continue;
        const id = ids[n] ?? "";
        const batch = Math.floor(n / batchItems);
        points.push(change(id, new Date(runMs + readMs + batch * batchMs).toISOString()));
      }
      return { runNumber, endedAt: new Date(runMs + endMs).toISOString(), points };
    },
  };
}

/**
 * Returns IDs spread over the whole range, as real IDs are. Successive IDs would compress better.
 */
function scatteredIds(draw: () => number): readonly string[] {
  const found = new Set<string>();
  while (found.size < itemsCount) found.add(String(10_000_000 + Math.floor(draw() * 90_000_000)));
  return [...found].toSorted(compareIds);
}
