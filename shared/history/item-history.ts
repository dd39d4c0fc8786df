import { invalidParam } from "../base/errors.ts";
import type { FieldValue } from "../scrapers/catalog.ts";
import type { HistorySpan, ItemPoint } from "./history.ts";
import type { HistoryOrder, HistoryStore } from "./history-store.ts";

/** Selects the points of one item's history. */
export interface ItemHistoryQuery {
  readonly watchlistId: string;
  readonly itemId: string;
  readonly span: HistorySpan;
  /**
   * Start of the kept history, ISO 8601, from which the values at the start of the span are
   * calculated; undefined to omit these values.
   */
  readonly keptSince: string | undefined;
  readonly order: HistoryOrder;
  readonly limit: number;
  /**
   * Fields to include; undefined for all fields. Reads in which none of these fields changed are
   * omitted, except reads that delisted the item.
   */
  readonly fields: readonly string[] | undefined;
  /** ID of the last point of the previous page. */
  readonly startingAfter: string | undefined;
}

/** A point in the history of an item: the values that were new or changed in one read. */
export interface ShownPoint {
  /** ID of the point, which is unique among the points of the item. */
  readonly id: string;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  readonly runNumber: number;
  readonly step: string;
  /** `not_found`: the read delisted the item. */
  readonly status: "ok" | "not_found";
  /** Values after the read, by field. Empty for `not_found`. */
  readonly values: Readonly<Record<string, FieldValue>>;
}

/** A page of the history of an item. `hasMore` is true if more points follow. */
export interface ItemHistoryPage {
  readonly points: readonly ShownPoint[];
  readonly hasMore: boolean;
  /**
   * The values at the start of the span, by field; all null if the item was delisted then. Null if
   * `keptSince` is undefined.
   */
  readonly start: Readonly<Record<string, FieldValue>> | null;
}

/**
 * Reads a page of an item's history. The page has the reads with status `not_found`, and the `ok`
 * reads in which at least one of `fields` changed. If `fields` is undefined, all fields count. The
 * page is empty if no read matches.
 * @param keptSince start of the kept history, ISO 8601; if undefined, the page has no values at the
 * start of the span (`start` is null)
 * @throws 400 INVALID_PARAM if `startingAfter` is not the ID of a point of this query
 */
export async function itemHistory(
  { watchlistId, itemId, span, keptSince, order, limit, fields, startingAfter }: ItemHistoryQuery,
  history: Pick<HistoryStore, "item">,
): Promise<ItemHistoryPage> {
  const since = keptSince ?? span.since;
  const stored = await history.item({ watchlistId, itemId, since, until: span.until });
  const shown = stored.flatMap((point) => shownPoint(point, fields) ?? []);
  const earlier = shown.filter(({ at }) => at < span.since);
  const points = shown.filter(({ at }) => at >= span.since);
  if (order === "newest_first") points.reverse();
  const first = startingAfter === undefined ? 0 : indexAfter(points, startingAfter);
  return {
    points: points.slice(first, first + limit),
    hasMore: points.length > first + limit,
    start: keptSince === undefined ? null : valuesAfter(earlier),
  };
}

/**
 * Returns the values of an item after these points, oldest first. A delisting sets them to null.
 */
function valuesAfter(points: readonly ShownPoint[]): ShownPoint["values"] {
  const all: Record<string, FieldValue> = {};
  for (const { status, values } of points) {
    if (status === "not_found") for (const field of Object.keys(all)) all[field] = null;
    else Object.assign(all, values);
  }
  return all;
}

/** Returns a point as clients see it; undefined if the page leaves it out. */
function shownPoint(
  { runNumber, step, at, status, values }: ItemPoint,
  fields: readonly string[] | undefined,
): ShownPoint | undefined {
  if (status !== "ok" && status !== "not_found") return undefined;
  const shown = Object.entries(values)
    .filter(([field]) => fields === undefined || fields.includes(field))
    .map(([field, { after }]) => [field, after] as const);
  if (status === "ok" && shown.length === 0) return undefined;
  const id = `${runNumber}.${step}`;
  return { id, at, runNumber, step, status, values: Object.fromEntries(shown) };
}

/**
 * Returns the index after the point with this ID.
 * @throws 400 if there is no such point
 */
function indexAfter(points: readonly ShownPoint[], id: string): number {
  const index = points.findIndex((point) => point.id === id);
  if (index === -1) {
    throw invalidParam(
      "starting_after",
      `'starting_after' must be the ID of a point of this history, as in '12.check' (got "${id}").`,
    );
  }
  return index + 1;
}
