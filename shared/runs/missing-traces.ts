import { inParallel } from "../base/in-parallel.ts";
import { limits } from "../base/limits.ts";
import type { ItemPoint } from "../history/history.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { lastRunOf } from "../history/window.ts";
import { areEqual } from "../pipelines/compare.ts";
import { readingKind, type Step } from "../pipelines/definition.ts";
import { type PriceTrace, startTrace, traceAfter } from "../pipelines/price-trace.ts";
import type { RouteState, RouteStates } from "../pipelines/route-state.ts";
import { readsPrice, testedPrices } from "../pipelines/tested-prices.ts";
import type { FieldValue } from "../scrapers/catalog.ts";
import type { DerivedPriceField } from "../scrapers/fields.ts";
import type { Item } from "../watchlists/item.ts";
import type { StepAnswer } from "./read-step.ts";
import type { Run } from "./run.ts";
import type { RunStore } from "./run-store.ts";

interface AnsweredBatch {
  readonly step: Step;
  /** Items by ID. */
  readonly items: ReadonlyMap<string, Item>;
  readonly answers: readonly StepAnswer[];
  /** Returns true if no further history may be read. */
  readonly isOver: () => boolean;
}

interface TraceDependencies {
  readonly history: Pick<HistoryStore, "item" | "mergedWindows">;
  readonly runs: Pick<RunStore, "list">;
}

/** An item that has a known price and lacks traces of derived fields. */
interface Untraced {
  readonly item: Item;
  /** The derived fields without a trace. */
  readonly fields: readonly DerivedPriceField[];
  /** The price before the read, from the stored reading. */
  readonly price: FieldValue;
  /** Time of the read, ISO 8601. */
  readonly at: string;
}

/** Number of items whose history is read at the same time. */
const parallelReads = 8;

/**
 * Builds, from the history, the price traces that items of a batch lack because an earlier pipeline
 * did not test the derived fields. A derived field, such as a 30-day minimum, is calculated from a
 * trace. Reads the history of at most `limits.tracedItemsMax` items, and of no further item after
 * `batch.isOver()` returns true; later runs build the other traces. Returns the route states with
 * these traces, by item ID. Returns no traces while the history lacks an earlier run, and none for
 * an item whose last price in the history differs from its stored price.
 */
export async function missingTraces(
  run: Run,
  batch: AnsweredBatch,
  dependencies: TraceDependencies,
): Promise<ReadonlyMap<string, RouteStates>> {
  const traces = new Map<string, RouteStates>();
  const untraced = untracedItems(run, batch);
  if (untraced.length === 0 || !(await isHistoryComplete(run, dependencies))) return traces;
  await inParallel(untraced, parallelReads, async (one) => {
    if (batch.isOver()) return;
    const points = await dependencies.history.item({
      watchlistId: run.watchlistId,
      itemId: one.item.id,
      // Earlier points belong to a removed item with the same ID.
      since: one.item.addedAt,
      until: one.at,
    });
    const earlier = points.filter(({ runNumber }) => runNumber < run.runNumber);
    const foundTraces = tracesOf(one, earlier);
    if (foundTraces !== undefined) traces.set(one.item.id, foundTraces);
  });
  return traces;
}

function untracedItems(
  { pipeline }: Run,
  { step, items, answers }: AnsweredBatch,
): readonly Untraced[] {
  const tested = testedPrices(pipeline);
  if (tested.length === 0 || !readsPrice(step)) return [];
  const untraced: Untraced[] = [];
  for (const { id, status, fetchedAt: at } of answers) {
    const item = items.get(id);
    const price = item?.readings[readingKind(step)]?.["price"];
    if (status !== "ok" || item === undefined || price === undefined) continue;
    if (item.state === "delisted") continue;
    const fields = tested.filter((field) => item.routeStates?.[field] === undefined);
    if (fields.length > 0) untraced.push({ item, fields, price, at });
    if (untraced.length === limits.tracedItemsMax) break;
  }
  return untraced;
}

/**
 * Returns true if the history contains every run before this one. A run can be missing for a while,
 * because the finisher may record it after the next run has begun.
 */
async function isHistoryComplete(
  { watchlistId, runNumber }: Run,
  { history, runs }: TraceDependencies,
): Promise<boolean> {
  const unmerged = runNumber - 1 - lastRunOf(await history.mergedWindows(watchlistId));
  if (unmerged <= 0) return true;
  if (unmerged > limits.runHistoryMax) return false;
  const earlier = await runs.list(watchlistId, unmerged, runNumber);
  return earlier.runs.every(({ phase }) => phase === "done");
}

/**
 * Returns the price traces of an item, by derived field. Returns undefined if the last price in the
 * history is not the known price of the item.
 */
function tracesOf(
  { fields, price, at }: Untraced,
  points: readonly ItemPoint[],
): RouteStates | undefined {
  const changes = points.flatMap((point) => {
    const change = point.values["price"];
    return change === undefined ? [] : [{ ...change, at: Date.parse(point.at) }];
  });
  const last = changes.at(-1);
  if (last !== undefined && !areEqual("price", last.after, price)) return undefined;
  const states: Record<string, RouteState> = {};
  for (const field of fields) {
    let trace: PriceTrace | undefined;
    for (const { before, after, at: time } of changes) {
      const read = { was: before, is: after, at: time };
      trace = trace === undefined ? startTrace(field, read) : traceAfter(field, trace, read);
    }
    // An item without points was read before its history began, so its trace begins now.
    states[field] = {
      prices: trace ?? startTrace(field, { was: undefined, is: price, at: Date.parse(at) }),
    };
  }
  return states;
}
