import { derivedIdAt } from "../../shared/base/ids.ts";
import type { ItemPoint, RunSegment, HistoryPoint } from "../../shared/history/history.ts";
import { defaultPipeline } from "../../shared/pipelines/default.ts";
import type { Platform } from "../../shared/platforms/catalog.ts";
import { revisionAfter } from "../../shared/runs/apply-outcome.ts";
import { factsOfProduct } from "../../shared/runs/product-facts.ts";
import type { FieldValue, Snapshot } from "../../shared/scrapers/catalog.ts";
import { snapshotOf } from "../../shared/scrapers/snapshot.ts";
import { sandboxAnswer } from "../../shared/sources/sandbox/scraper.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import type { ItemDetails } from "../../shared/watchlists/item-details.ts";
import { compareIds } from "../../shared/watchlists/id-order.ts";
import { seededGenerator } from "../stand-ins/seeded.ts";

/** A watchlist for which a past is invented. Its platform has one tier. */
export interface PastWatchlist {
  readonly id: string;
  readonly name: string;
  readonly platform: Exclude<Platform, "retailer_a">;
  readonly ids: readonly string[];
  readonly days: number;
  readonly runsPerDay: number;
  /** Share of the items that change in a run. */
  readonly changedShare: number;
  /** Share of the items that have a label and a target price. */
  readonly labeledShare: number;
}

/** A past run with its times and the observations of its only step. */
export interface PastRun extends RunSegment {
  readonly id: string;
  readonly startedAt: string;
}

/** The past of a watchlist, as runs of the sandbox could have recorded it. */
export interface Past {
  /** The items, sorted by ID. */
  readonly items: readonly Item[];
  /** The details of the items, sorted by ID. */
  readonly details: readonly ItemDetails[];
  /** The runs, oldest first. */
  readonly runs: readonly PastRun[];
  /** ID of the step of every run. */
  readonly step: string;
}

const dayMs = 86_400_000;
/** Milliseconds from the start of a run to its reads, and to its end. */
const [readMs, endMs] = [4_000, 30_000];
const priceChangeMax = 0.3;
/** Share of the changes in which the item also comes into stock or goes out of stock. */
const stockShare = 0.15;
/** One in this many items is delisted at some time. */
const delistedEvery = 113;

/**
 * Invents the past of a watchlist until `now`. The last values equal the values that the sandbox
 * returns now, and the earlier values are derived from them. The same arguments give the same
 * result.
 */
export function inventPast(watchlist: PastWatchlist, now: Date): Past {
  const draw = seededGenerator(watchlist.ids.length + watchlist.name.length * 7_919);
  const pipeline = defaultPipeline(watchlist.platform, 0);
  const step = pipeline.entry;
  const times = runTimes(watchlist, now);
  const ids = watchlist.ids.toSorted(compareIds);
  const points: HistoryPoint[][] = times.map(() => []);
  const items: { item: Item; details: ItemDetails }[] = [];
  const readAt = (run: number): string =>
    new Date((times[run] ?? now.getTime()) + readMs).toISOString();
  const firstAt = readAt(0);
  for (const [n, id] of ids.entries()) {
    const read = readOf(watchlist.platform, id, now);
    const observed = changesOf(read.snapshot, { runs: times.length, n, draw, ...watchlist });
    for (const { run, status, values } of observed) {
      points[run]?.push({ id, at: readAt(run), step, status, values });
    }
    const addedAt = new Date((times[0] ?? now.getTime()) - readMs).toISOString();
    items.push({
      item: itemAfter(observed, read.snapshot, {
        watchlist,
        id,
        step,
        addedAt,
        firstAt,
        readAt,
        runs: times.length,
      }),
      details: {
        id,
        addedAt,
        ...labelsOf(watchlist, n, read.snapshot),
        facts: read.facts,
        readAt: firstAt,
      },
    });
  }
  return {
    items: items.map(({ item }) => item),
    details: items.map(({ details }) => details),
    step,
    runs: times.map((at, n) => ({
      id: runIdOf(watchlist, n + 1, at),
      runNumber: n + 1,
      startedAt: new Date(at).toISOString(),
      endedAt: new Date(at + endMs).toISOString(),
      points: points[n] ?? [],
    })),
  };
}

/**
 * Returns the items that a past run read: all items except the items that an earlier run delisted.
 */
export const itemsReadBy = ({ items }: Past, { startedAt }: PastRun): readonly Item[] =>
  items.filter(({ delistedAt }) => delistedAt === null || delistedAt > startedAt);

const runIdOf = ({ id }: PastWatchlist, runNumber: number, at: number): string =>
  derivedIdAt("run", new Date(at), id, runNumber);

/** Returns the start times of the runs, oldest first. The last run ended a few minutes ago. */
function runTimes({ days, runsPerDay }: PastWatchlist, now: Date): readonly number[] {
  const count = days * runsPerDay;
  const everyMs = dayMs / runsPerDay;
  const last = now.getTime() - 5 * 60_000;
  return Array.from({ length: count }, (_, n) => last - (count - 1 - n) * everyMs);
}

interface Read {
  readonly snapshot: Snapshot;
  readonly facts: ItemDetails["facts"];
}

/**
 * Returns the current values of an item in the sandbox. An item that the sandbox does not have gets
 * no values.
 */
function readOf(platform: PastWatchlist["platform"], id: string, at: Date): Read {
  const scraper = `${platform}.standard` as const;
  const answer = sandboxAnswer({ scraper, marketplace: "us", id, at, seed: "sandbox" });
  const fields = "fields" in answer ? answer.fields : {};
  return { snapshot: snapshotOf(scraper, fields), facts: factsOfProduct(fields) ?? {} };
}

type Observed = Pick<ItemPoint, "status" | "values"> & { readonly run: number };

interface Drawing extends Pick<PastWatchlist, "changedShare"> {
  readonly runs: number;
  readonly n: number;
  readonly draw: () => number;
}

/**
 * Returns the observations of an item, oldest first. They are created from the newest to the
 * oldest, so that they end with the current values.
 */
function changesOf(
  snapshot: Snapshot,
  { runs, n, draw, changedShare }: Drawing,
): readonly Observed[] {
  const newestFirst: Observed[] = [];
  let end = runs - 1;
  if (n % delistedEvery === delistedEvery - 1) {
    end = Math.floor(runs * (0.3 + 0.7 * draw()));
    newestFirst.push({ run: end, status: "not_found", values: {} });
    end -= 1;
  }
  let current: Snapshot = snapshot;
  for (let run = end; run > 0; run -= 1) {
    if (draw() >= changedShare) continue;
    const before = earlierValues(current, draw);
    const values = Object.fromEntries(
      Object.entries(before).map(([field, value]) => [
        field,
        { before: value, after: current[field] ?? null },
      ]),
    );
    if (Object.keys(values).length === 0) continue;
    newestFirst.push({ run, status: "ok", values });
    current = Object.assign({}, current, before);
  }
  const values = Object.fromEntries(
    Object.entries(current).map(([field, after]) => [field, { after }]),
  );
  newestFirst.push({ run: 0, status: "ok", values });
  return newestFirst.toReversed();
}

/** Returns the earlier values of the fields that change together. */
function earlierValues(current: Snapshot, draw: () => number): Snapshot {
  const before: Record<string, FieldValue> = {};
  const { price, inStock } = current;
  if (typeof price === "number") {
    const earlier = Math.round(price * (1 + (draw() - 0.5) * priceChangeMax) * 100) / 100;
    if (earlier !== price && earlier > 0) before["price"] = earlier;
  }
  if (typeof inStock === "boolean" && draw() < stockShare) before["inStock"] = !inStock;
  return before;
}

interface Reading {
  readonly watchlist: PastWatchlist;
  readonly id: string;
  readonly step: string;
  readonly addedAt: string;
  readonly firstAt: string;
  readonly readAt: (run: number) => string;
  readonly runs: number;
}

/** Returns the item after its last run. */
function itemAfter(
  observed: readonly Observed[],
  snapshot: Snapshot,
  { watchlist, id, step, addedAt, firstAt, readAt, runs }: Reading,
): Item {
  const { platform } = watchlist;
  const last = observed.at(-1);
  const changed = observed.findLast(({ run, status }) => run > 0 && status === "ok");
  const isDelisted = last?.status === "not_found";
  return {
    ...newItem(id, addedAt),
    state: isDelisted ? "delisted" : "active",
    firstReadAt: firstAt,
    lastReadStatus: isDelisted ? "not_found" : "ok",
    readings: { standard: snapshot },
    snapshotAt: readAt(changed?.run ?? 0),
    delistedAt: isDelisted ? readAt(last.run) : null,
    revision: revisionAfter(runs),
    lastChange:
      changed === undefined
        ? null
        : {
            changedAt: readAt(changed.run),
            runId: runIdOf(watchlist, changed.run + 1, Date.parse(readAt(changed.run)) - readMs),
            runNumber: changed.run + 1,
            step,
            scraper: `${platform}.standard`,
            changes: Object.fromEntries(
              Object.entries(changed.values).map(([field, { before = null, after }]) => [
                field,
                { before, after },
              ]),
            ),
          },
  };
}

const shelves = ["Core range", "Promotion", "Price match", "Own brand rival"];

/** Returns the label of an item, and its target price as metadata. */
function labelsOf(
  { labeledShare }: PastWatchlist,
  n: number,
  { price }: Snapshot,
): Pick<ItemDetails, "label" | "metadata"> {
  if ((n * 37) % 100 >= labeledShare * 100) return { label: null, metadata: {} };
  const target = typeof price === "number" ? { target_price: Math.round(price * 95) / 100 } : {};
  return {
    label: `${shelves[n % shelves.length] ?? ""} ${String(n + 1).padStart(5, "0")}`,
    metadata: target,
  };
}
