import { readingKind, type Route, type Step } from "../../shared/pipelines/definition.ts";
import { type Snapshot, stepScrapers } from "../../shared/scrapers/catalogue.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";
import type { ModelAnswer } from "./run-model-answers.ts";
import { everythingKnown, isSame, type Readings, refreshed } from "./run-model-fields.ts";

type Value = Snapshot[string];
export type Changes = Readonly<Record<string, { readonly before: Value; readonly after: Value }>>;

/** A read of an item at a step, held against what was known of it. */
export interface Reading {
  readonly status: ReadStatus;
  readonly isFirst: boolean;
  /** The last reading of the same kind. */
  readonly last: Snapshot | undefined;
  readonly seen: Snapshot;
  readonly before: Readings;
  readonly after: Readings;
  readonly offer: string | null | undefined;
}

export function read(
  {
    step,
    known,
    isNew,
  }: { readonly step: Step; readonly known: Readings; readonly isNew: boolean },
  answer: ModelAnswer,
): Reading {
  const { status, seen, offer } = answer;
  const kind = readingKind(step);
  const isOk = status === "ok";
  const after: Partial<Record<keyof Readings, Snapshot>> = { ...known };
  if (isOk) after[kind] = refreshed(known[kind], seen);
  if (isOk && kind === "product") {
    const pulse = pulseValuesOf(seen);
    if (Object.keys(pulse).length > 0) after.pulse = refreshed(known.pulse, pulse);
  }
  const isFirst = isOk && isNew;
  return { status, isFirst, last: known[kind], seen, before: known, after, offer };
}

const pulseValuesOf = (seen: Snapshot): Snapshot =>
  Object.fromEntries(
    Object.entries(seen).filter(([field]) => ["newCount", "newMinPrice"].includes(field)),
  );

/** What a step makes of a reading. */
export interface Verdict {
  /** The routes that the item takes. */
  readonly routes: readonly Route[];
  /** What moved and counts: tracked fields, and fields that a matching rule names. */
  readonly changes: Changes;
  /** Everything known, after the read. */
  readonly view: Snapshot;
  /** What a matched event tells. */
  readonly values: Snapshot;
}

export function judge(step: Step, reading: Reading): Verdict {
  const { trackedFields, testableFields } = stepScrapers[step.scraper];
  const moved = movedFields(reading);
  const routes = step.routes.filter((route) => isTaken(route, { step, reading, moved }));
  const named = routes.flatMap(({ when, field }) =>
    when === "changed" && field !== undefined ? [field] : [],
  );
  const view = everythingKnown(reading.after) ?? {};
  const shown = { ...view, ...derivedFields(step, reading) };
  return {
    routes,
    changes: only(moved, [...trackedFields, ...named]),
    view,
    values: reading.status === "ok" ? only(shown, [...testableFields, "buyboxAboveLowest"]) : view,
  };
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
      throw new Error("There is no such 'when'");
  }
}

const isAnswered = (status: ReadStatus): boolean => status === "ok" || status === "not_found";

/** Fields that the last reading and this one both have, and that differ. */
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

/** What this read does not show meets nothing; null is no number, and is not any value. */
function isMet({ field = "", op, value = "" }: Route, seen: Value | undefined): boolean {
  if (seen === undefined) return false;
  if (op === "is") return isSame(field, seen, value);
  if (op === "is_not") return !isSame(field, seen, value);
  if (op === undefined) return true;
  if (typeof seen !== "number" || typeof value !== "number") return false;
  return op === "below" ? seen < value : seen > value;
}

/** Of pulse: whether the last known buy-box price is above the newest lowest new price. */
function derivedFields({ scraper }: Step, { before, seen }: Reading): Snapshot {
  const price = before.product?.["price"];
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
