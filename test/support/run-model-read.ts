import {
  type Pipeline,
  readingKind,
  type Route,
  type Step,
} from "../../shared/pipelines/definition.ts";
import { type ReadingKind, type Snapshot, stepScrapers } from "../../shared/scrapers/catalogue.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";
import type { ModelAnswer } from "./run-model-answers.ts";
import {
  everythingKnown,
  isSame,
  type Known,
  newest,
  type Newer,
  refreshed,
  sharers,
} from "./run-model-fields.ts";

type Value = Snapshot[string];
export type Changes = Readonly<Record<string, { readonly before: Value; readonly after: Value }>>;

/** A read of an item at a step, with the values known before. */
export interface Reading {
  readonly status: ReadStatus;
  readonly isFirst: boolean;
  /** The last reading of the same kind. */
  readonly last: Snapshot | undefined;
  readonly seen: Snapshot;
  readonly before: Known;
  readonly offer: string | null | undefined;
}

export function read(
  { step, known, isNew }: { readonly step: Step; readonly known: Known; readonly isNew: boolean },
  { status, seen, offer }: ModelAnswer,
): Reading {
  const last = known.readings[readingKind(step)];
  return { status, isFirst: status === "ok" && isNew, last, seen, before: known, offer };
}

/** The effects of a reading at a step. */
export interface Verdict {
  /** The routes that the item takes. */
  readonly routes: readonly Route[];
  /** The recorded changes: of tracked fields, and of fields that a matching rule names. */
  readonly changes: Changes;
  /** True if one of the changes is new: no earlier read has the value. */
  readonly isNews: boolean;
  /** True if a changed event reports the changes. */
  readonly isTold: boolean;
  readonly after: Known;
  /** All known values after the read. */
  readonly view: Snapshot;
  /** Values in a matched event. */
  readonly values: Snapshot;
}

export function judge(pipeline: Pipeline, step: Step, reading: Reading): Verdict {
  const { testableFields } = stepScrapers[step.scraper];
  const moved = movedFields(reading);
  const routes = step.routes.filter((route) => isTaken(route, { step, reading, moved }));
  const found = changesOf(step, { reading, moved, routes });
  const after = knownAfter(pipeline, step, { reading, found });
  const view = everythingKnown(after) ?? {};
  const shown = { ...view, ...derivedFields(step, reading) };
  return {
    routes,
    ...found,
    after,
    view,
    values: reading.status === "ok" ? only(shown, [...testableFields, "buyboxAboveLowest"]) : view,
  };
}

type Found = Pick<Verdict, "changes" | "isNews" | "isTold">;

/**
 * A change is new if no scraper has read the value before. A step with a notifying `changed` route reports
 * new changes, and changes that no event has reported yet.
 */
function changesOf(
  step: Step,
  {
    reading,
    moved,
    routes,
  }: Pick<Case, "reading" | "moved"> & { readonly routes: readonly Route[] },
): Found {
  const { trackedFields } = stepScrapers[step.scraper];
  const changed = routes.filter(({ when }) => when === "changed");
  const named = changed.flatMap(({ field }) => (field === undefined ? [] : [field]));
  const news = newsIn(step, reading);
  const isUntold = (field: string): boolean =>
    field in news || (field in moved && reading.before.newer[field]?.told !== true);
  const isTold = changed
    .filter(({ notify }) => notify === true)
    .some(({ field }) =>
      field === undefined
        ? trackedFields.some((one) => one in moved && isUntold(one))
        : isUntold(field),
    );
  const changes: Record<string, Changes[string]> = {};
  for (const field of new Set([...trackedFields, ...named])) {
    // The change starts from the value that this kind of read had, if it had another one.
    const change = moved[field] ?? news[field];
    if (change !== undefined && (isTold ? isUntold(field) : field in news)) changes[field] = change;
  }
  const isNews = Object.keys(changes).some((field) => field in news);
  return { changes, isNews, isTold };
}

/** Returns the fields whose value differs from the newest known one. */
function newsIn(step: Step, { status, seen, before }: Reading): Changes {
  const news: Record<string, Changes[string]> = {};
  if (status !== "ok") return news;
  for (const [field, after] of Object.entries(seen)) {
    const was = newest(before, field, readingKind(step));
    if (was !== undefined && !isSame(field, was, after)) news[field] = { before: was, after };
  }
  return news;
}

interface Judged {
  readonly reading: Reading;
  readonly found: Found;
}

function knownAfter(pipeline: Pipeline, step: Step, { reading, found }: Judged): Known {
  const { status, seen, before } = reading;
  if (status !== "ok") return before;
  const kind = readingKind(step);
  const readings: Partial<Record<ReadingKind, Snapshot>> = { ...before.readings };
  readings[kind] = refreshed(before.readings[kind], seen);
  const newer = { ...before.newer, ...newerIn(step, { reading, found }) };
  for (const [field, value] of Object.entries(seen)) {
    if (kind !== "product" || !sharers(field).includes("pulse")) continue;
    const isFirst = before.readings.pulse?.[field] === undefined;
    if (isFirst || isDone(pipeline, step, { field, isTold: newer[field]?.told === true })) {
      readings.pulse = refreshed(readings.pulse, { [field]: value });
    }
  }
  // A value that all kinds of read have seen is in the readings.
  const left = Object.entries(newer).filter(([field, { value }]) =>
    sharers(field).some((one) => {
      const known = readings[one]?.[field];
      return known !== undefined && !isSame(field, known, value);
    }),
  );
  return { readings, newer: Object.fromEntries(left) };
}

function newerIn(step: Step, { reading: { seen, before }, reading, found }: Judged): Newer {
  const kind = readingKind(step);
  const news = newsIn(step, reading);
  const newer: Record<string, Newer[string]> = {};
  for (const [field, value] of Object.entries(seen)) {
    if (!sharers(field).includes(kind)) continue;
    const isNews = field in news;
    const known = newest(before, field, kind) ?? value;
    const isToldNow = found.isTold && field in found.changes;
    const wasTold = !isNews && before.newer[field]?.told === true;
    newer[field] = { value: isNews ? value : known, told: isToldNow || wasTold };
  }
  return newer;
}

/** True when a pulse would have no further effect for a change that this product read found. */
function isDone(
  pipeline: Pipeline,
  step: Step,
  { field, isTold }: { readonly field: string; readonly isTold: boolean },
): boolean {
  for (const { scraper, routes } of pipeline.steps) {
    if (scraper !== "retailer_a.pulse") continue;
    for (const route of routes) {
      if (route.when !== "changed" || (route.field ?? field) !== field) continue;
      if (route.run !== undefined && route.run !== step.id) return false;
      if (route.notify === true && !isTold) return false;
    }
  }
  return true;
}

interface Case {
  readonly step: Step;
  readonly reading: Reading;
  readonly moved: Changes;
}

function isTaken(route: Route, { step, reading, moved }: Case): boolean {
  const { status, last } = reading;
  const isTrackedMoved = stepScrapers[step.scraper].trackedFields.some((field) => field in moved);
  switch (route.when) {
    case "new":
      return reading.isFirst;
    case "changed":
      return route.field === undefined ? isTrackedMoved : isMoved(route, moved[route.field]);
    case "unchanged":
      return status === "ok" && last !== undefined && !isTrackedMoved;
    case "ok":
      return status === "ok" && isValueMet(route, { step, reading });
    case "failed":
      return !isAnswered(status);
    case "not_found":
      return status === "not_found";
    case "always":
      return isAnswered(status);
    default:
      throw new Error("Unknown value of 'when'");
  }
}

const isAnswered = (status: ReadStatus): boolean => status === "ok" || status === "not_found";

/** Returns the fields that differ between the last reading and this one. */
function movedFields({ status, last, seen }: Reading): Changes {
  if (status !== "ok" || last === undefined) return {};
  const moved: Record<string, Changes[string]> = {};
  for (const [field, after] of Object.entries(seen)) {
    const before = last[field];
    if (before !== undefined && !isSame(field, before, after)) moved[field] = { before, after };
  }
  return moved;
}

function isMoved(route: Route, change: Changes[string] | undefined): boolean {
  if (change === undefined) return false;
  const { before, after } = change;
  if (route.op !== "increased" && route.op !== "decreased") return isMet(route, after);
  if (typeof before !== "number" || typeof after !== "number") return false;
  return route.op === "increased" ? after > before : after < before;
}

function isValueMet(route: Route, { step, reading }: Pick<Case, "step" | "reading">): boolean {
  if (route.field === undefined) return true;
  const shown = { ...reading.seen, ...derivedFields(step, reading) };
  return isMet(route, shown[route.field]);
}

/** Evaluates a condition. An unseen field meets none; null is no number and differs from every value. */
function isMet({ field = "", op, value = "" }: Route, seen: Value | undefined): boolean {
  if (seen === undefined) return false;
  if (op === "is") return isSame(field, seen, value);
  if (op === "is_not") return !isSame(field, seen, value);
  if (op === undefined) return true;
  if (typeof seen !== "number" || typeof value !== "number") return false;
  return op === "below" ? seen < value : seen > value;
}

/** Derives the fields of pulse: whether the last buy-box price exceeds the newest lowest new price. */
function derivedFields({ scraper }: Step, { before, seen }: Reading): Snapshot {
  const price = before.readings.product?.["price"];
  const lowest = seen["newMinPrice"];
  if (scraper !== "retailer_a.pulse") return {};
  if (typeof price !== "number" || typeof lowest !== "number") return {};
  return { buyboxAboveLowest: price > lowest && !isSame("price", price, lowest) };
}

function only<Kept>(
  all: Readonly<Record<string, Kept>>,
  fields: readonly string[],
): Record<string, Kept> {
  return Object.fromEntries(Object.entries(all).filter(([field]) => fields.includes(field)));
}
